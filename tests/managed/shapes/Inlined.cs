// SPDX-License-Identifier: MIT
// Small methods that optimised code inlines, where they are not counted.
using System;
using System.Threading;
using Umbra.Testing;

namespace Shapes;

struct Tiny
{
    int value;

    public readonly int Get() => value;
    public void Set(int next) => value = next;
    public static int Twice(int x) => x + x;
    public static int Deep(int x) => Twice(Twice(x));
}

static class Inlined
{
    const int Rounds = 3_000;
    const int Batches = 20;

    public static void Run()
    {
        long sum = 0;
        for (int batch = 0; batch < Batches; batch++)
        {
            sum += Batch();
            Thread.Sleep(10);  // time for tier-1 to replace the loop's method
        }
        Expect.Equal(sum, (long)Batches * 4 * Rounds * (Rounds - 1) / 2, "inlined");
        Expect.Calls("Tiny.Get", Batches * Rounds);
        Expect.Calls("Tiny.Set", Batches * Rounds);
        Expect.Calls("Tiny.Deep", Batches * Rounds);
        Expect.Calls("Tiny.Twice", 2 * Batches * Rounds);
    }

    static long Batch()
    {
        var tiny = new Tiny();
        long sum = 0;
        for (int i = 0; i < Rounds; i++)
        {
            tiny.Set(i);
            sum += Tiny.Deep(tiny.Get());
        }
        return sum;
    }
}
