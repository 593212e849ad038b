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
}
