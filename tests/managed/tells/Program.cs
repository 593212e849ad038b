// SPDX-License-Identifier: MIT
// What a call costs whose arguments are told, for benchmarks/overhead: methods that do the same, of
// which some are asked for. tells BATCHES: prints for each method the nanoseconds a call of the best
// batch, short enough for a thread's ring, and of a long run without a pause.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

int batches = args.Length > 0 ? int.Parse(args[0]) : 100;
Cost("Plain", batches, count => { for (int i = 0; i < count; ++i) Tells.Plain(i & 7); });
Cost("Number", batches, count => { for (int i = 0; i < count; ++i) Tells.Number(i & 7); });
Cost("Three", batches, count => { for (int i = 0; i < count; ++i) Tells.Three(i & 7, i & 3, i & 1); });
Cost("Result", batches, count => { for (int i = 0; i < count; ++i) Tells.Result(i & 7); });
string[] words = { "eight...", "letters.", "in each.", "of eight" };
Cost("Word", batches, count => { for (int i = 0; i < count; ++i) Tells.Word(words[i & 3]); });
string[] lines = Array.ConvertAll(words, word => new string('x', 56) + word);
Cost("Line", batches, count => { for (int i = 0; i < count; ++i) Tells.Line(lines[i & 3]); });

static void Cost(string name, int batches, Action<int> call)
{
    const int Batch = 2_000, Run = 1_000_000;
    call(Batch);
    long best = long.MaxValue;
    for (int batch = 0; batch < batches; ++batch)
    {
        Thread.Sleep(5);
        long begin = Stopwatch.GetTimestamp();
        call(Batch);
        best = Math.Min(best, Stopwatch.GetTimestamp() - begin);
    }
    long run = Stopwatch.GetTimestamp();
    call(Run);
    double sustained = Stopwatch.GetElapsedTime(run).TotalNanoseconds / Run;
    double shortest = best * 1e9 / Stopwatch.Frequency / Batch;
    Console.WriteLine(FormattableString.Invariant($"{name} {shortest:F1} {sustained:F1}"));
}

static class Tells
{
    static int last;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Plain(int id) => last = id;
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Number(int id) => last = id;
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Three(int id, int count, int kind) => last = id;
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Result(int id) => last = id;
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Word(string name) => last = name.Length;
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Line(string name) => last = name.Length;
}
