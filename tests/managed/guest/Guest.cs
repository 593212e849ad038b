// SPDX-License-Identifier: MIT
// A library that a running program loads; see ../captures.
using System.Runtime.CompilerServices;

public static class Guest
{
    static int sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Visit(int times)
    {
        for (int i = 0; i < times; ++i) Greet(i);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Greet(int i) => sum += i;

    /// Many calls before a return, with short branches around them, before the one that throws.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Fall(int way)
    {
        if (way == 11) return Twice(way);
        if (way == 12) return Twice(way + 1);
        if (way == 13) return Twice(way + 2);
        if (way == 14) return Twice(way + 3);
        if (way == 15) return Twice(way + 4);
        if (way == 16) return Twice(way + 5);
        int sum = way > 7
            ? 1
            : 2;
        sum += Throw(sum);
        return
            sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Twice(int way) => way * 2 + sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Throw(int way) => way == 1000 ? way : throw new System.InvalidOperationException();
}
