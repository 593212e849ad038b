// SPDX-License-Identifier: MIT
// Calls within each other, far deeper than any thread's usual stack allows.
using System.Runtime.CompilerServices;
using System.Threading;
using Umbra.Testing;

namespace Stacks;

static class Descent
{
    // Address space; frames of optimised and plain code take 64 to 200 bytes, hooks included.
    const int BytesForEach = 512;

    public static void RunAll(int depth)
    {
        int bytes = checked(depth * BytesForEach);
        long sum = 0;
        var straight = new Thread(() => sum = Straight(depth), bytes);
        straight.Start();
        straight.Join();
        Expect.Equal(sum, (long)depth * (depth + 1) / 2, "the sum of a straight descent");
        var inTurn = new Thread(() => sum = First(depth), bytes);
        inTurn.Start();
        inTurn.Join();
        Expect.Equal(sum, (long)depth * (depth + 1) / 2, "the sum of a descent in turn");
        Expect.Calls("Descent.Straight", depth);
        Expect.Calls("Descent.First", (depth + 2) / 3);
        Expect.Calls("Descent.Second", (depth + 1) / 3);
        Expect.Calls("Descent.Third", depth / 3);
    }

    // What is added behind each call keeps it from being a tail call.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Straight(int left) => left == 1 ? 1 : Straight(left - 1) + left;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long First(int left) => left == 1 ? 1 : Second(left - 1) + left;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Second(int left) => left == 1 ? 1 : Third(left - 1) + left;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Third(int left) => left == 1 ? 1 : First(left - 1) + left;
}
