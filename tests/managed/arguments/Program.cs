// SPDX-License-Identifier: MIT
// Calls methods with known values on many threads, while another one has garbage collected, and
// prints how often each was called with which: arguments THREADS ROUNDS.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Threading;

int threads = int.Parse(args[0]);
int rounds = int.Parse(args[1]);
bool done = false;
var collector = new Thread(() =>
{
    while (!Volatile.Read(ref done))
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true, compacting: true);
        Thread.Sleep(1);  // else the callers hardly get to run: on .NET 8 they take minutes
    }
});
collector.Start();
Thread[] callers = Enumerable.Range(0, threads).Select(number => new Thread(() =>
{
    var caller = new Caller(number);
    for (int round = 0; round < rounds; ++round) caller.CallAll(round);
})).ToArray();
foreach (Thread caller in callers) caller.Start();
foreach (Thread caller in callers) caller.Join();
Volatile.Write(ref done, true);
collector.Join();
Console.WriteLine(JsonSerializer.Serialize(Tally.All()));

sealed class Caller(int number)
{
    static readonly string?[] texts =
    {
        null, "", "a", "a\0b", "\0", "J\u00fcrgen \"tea\"\n\\", "\ud83d\ude00 smiles", "\ud83d", "\ude00\ud83d",
        "x\u202ey\u200b", new string('x', 64), new string('x', 65), new string('\u00fc', 32), new string('\u00fc', 33),
        new string('\u20ac', 21) + "x", new string('\u20ac', 21) + "xy", new string('x', 61) + "\ud83d\ude00",
        new string('x', 60) + "\ud83d\ude00", new string('x', 63) + "\ud83d\ude00", new string('z', 3_000),
    };
    static readonly double[] reals = { 0, -0.0, 0.5, -1.25, 3, 1e15, double.NaN, double.PositiveInfinity,
                                       double.NegativeInfinity, 0.1, 123456.789 };

    readonly Random random = new(number);
    readonly Kept<string> strings = new();
    readonly Kept<int> integers = new();

    public void CallAll(int round)
    {
        int some = random.Next(10);
        long sign = random.Next(2) == 0 ? 1 : -1;
        Told.Integers((sbyte)(some * sign), (byte)(255 - some), (short)(-some * 1000), (ushort)(65535 - some),
                      int.MinValue + some, uint.MaxValue - (uint)some, long.MinValue + some,
                      ulong.MaxValue - (ulong)some, (nint)(some * sign), nuint.MaxValue - (nuint)some);
        Told.Reals((float)reals[random.Next(reals.Length)], reals[random.Next(4)]);
        Told.Single((float)reals[random.Next(reals.Length)]);
        Told.Letters(random.Next(2) == 0, "a\0'\"\\\ud83d\u00fc"[random.Next(7)]);
        Told.Enums((Colour)new[] { 0, 1, 2, 7, 255 }[random.Next(5)],
                   (Access)new[] { 0L, 1, 2, 3, 16, long.MinValue, long.MinValue + 1 }[random.Next(7)],
                   (DayOfWeek)random.Next(8), (Wide)new uint[] { 0, 5, 0x8000_0001, uint.MaxValue }[random.Next(4)],
                   (Negative)(random.Next(5) - 2), (Told.Nested)new[] { 1, 0xfffe, 0xffff }[random.Next(3)]);
        string? text = texts[random.Next(texts.Length)];
        // What is handed over may move at any moment: nothing else holds it.
        Told.Text(text is null ? null : new string(text), random.Next(3) == 0 ? new object() : new string('r', some));
        Lengths(some);
        Told.Buffer(some * 100);
        if (Told.Overwrites(some) != some) throw new InvalidOperationException("overwritten");
        if (Told.Recurses(some) != some) throw new InvalidOperationException("recursion");
        try
        {
            Told.Throws(some);
        }
        catch (InvalidOperationException)
        {
        }
        if (round % 16 == 0 && Told.Awaits(some).GetAwaiter().GetResult() != some) throw new InvalidOperationException();
        if (Told.Iterates(some).Count() != some) throw new InvalidOperationException("iterator");
        int by_reference = 1;
        Told.Refused(ref by_reference, DateTime.UnixEpoch, out int _, DateTime.UnixEpoch, this, some, new[] { 1 },
                     new int[3]);
        Told.Overloaded(some);
        Told.Overloaded("name");
        if (new Point { X = 3 }.Scale(some) != 3 * some) throw new InvalidOperationException("struct");
        new Shop().Price("tea", some);
        if (strings.Keep(some, "kept", 1.5, new List<string> { "a", "b" }) != "kept") throw new InvalidOperationException();
        if (integers.Keep(-some, 7, "other", new List<int>()) != 7) throw new InvalidOperationException("generic");
    }

    void Lengths(int some)
    {
        Span<long> numbers = stackalloc long[some];
        Told.Lengths(some == 3 ? null : new int[some], "letters".AsSpan(0, some % 7), numbers, new byte[some + 1].AsMemory(1),
                     "text".AsMemory(some % 4), some == 4 ? null : new string[some, 2],
                     some == 5 ? null : Enumerable.Repeat("x", some).ToList(),
                     some == 6 ? null : Enumerable.Range(0, some).ToDictionary(i => i, i => "y"));
    }
}
