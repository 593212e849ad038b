// SPDX-License-Identifier: MIT
// The same work on eight threads at once, on the thread pool and in parallel loops.
using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace Shapes;

static class Threads
{
    const int ThreadCount = 8;
    const int Rounds = 50_000;

    [ThreadStatic]
    static long sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Step(int i) => sum += Weigh(i);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Weigh(int i) => i & 1;

    static void Work(object? result)
    {
        for (int i = 0; i < Rounds; i++)
        {
            Step(i);
        }
        ((long[])result!)[0] = sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int PoolItem(int i) => i;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int ParallelItem(int i) => i;

    public static void Run()
    {
        var results = new long[ThreadCount][];
        var threads = new Thread[ThreadCount];
        for (int t = 0; t < ThreadCount; t++)
        {
            results[t] = new long[1];
            threads[t] = new Thread(Work) { Name = $"worker {t}" };
        }
        for (int t = 0; t < ThreadCount; t++)
        {
            threads[t].Start(results[t]);
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Expect.Equal(results.Sum(r => r[0]), (long)ThreadCount * Rounds / 2, "threads");
        Expect.Calls("Threads.Work", ThreadCount);
        Expect.Calls("Threads.Step", ThreadCount * Rounds);
        Expect.Calls("Threads.Weigh", ThreadCount * Rounds);

        var tasks = new Task<int>[1000];
        for (int i = 0; i < tasks.Length; i++)
        {
            int item = i;
            tasks[i] = Task.Run(() => PoolItem(item));
        }
        Expect.Equal(tasks.Sum(t => t.Result), 999 * 1000 / 2, "pool");
        Expect.Calls("Threads.PoolItem", 1000);

        long parallel = 0;
        Parallel.For(0, Rounds, i => Interlocked.Add(ref parallel, ParallelItem(i)));
        Expect.Equal(parallel, (long)Rounds * (Rounds - 1) / 2, "parallel");
        Expect.Calls("Threads.ParallelItem", Rounds);
    }
}
