// SPDX-License-Identifier: MIT
// Integers and floating point, in registers and on the stack, alone and mixed.
using System;
using System.Runtime.CompilerServices;

namespace Registers;

static class Scalars
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Integers(long a, long b, long c, long d, long e, long f, long g, long h) =>
        a ^ (b << 1) ^ (c << 2) ^ (d << 3) ^ (e << 4) ^ (f << 5) ^ (g << 6) ^ (h << 7);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Small(byte a, sbyte b, short c, ushort d, char e, bool f, int g, uint h) =>
        a + b + c + d + e + (f ? 1 : 0) + g + (int)h;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static float Singles(float a, float b, float c, float d, float e, float f, float g, float h,
                         float i, float j) =>
        a - b + c - d + e - f + g - h + i - j;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static double Doubles(double a, double b, double c, double d, double e, double f, double g,
                          double h, double i, double j) =>
        a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static double Mixed(int a, double b, long c, float d, short e, double f, ulong g, float h,
                        long i, double j, int k) =>
        a + b + c + d + e + f + g + h + i + j + k;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Int128 Wide(Int128 a, UInt128 b) => a - (Int128)b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static decimal Money(decimal a, decimal b, int c) => a * c - b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static nint Native(nint a, nuint b) => a + (nint)b;

    /// Values held across a call: in callee-saved registers where the compiler can.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Held(long a, long b, long c, long d, long e, double x, double y)
    {
        long first = Integers(a, b, c, d, e, 1, 2, 3);
        double second = Doubles(x, y, x, y, x, y, x, y, x, y);
        return first + (long)second + a + 2 * b + 3 * c + 4 * d + 5 * e + (long)(x - y);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Check(int i)
    {
        long n = i;
        double x = i * 0.5;
        float s = i & 1023;
        Program.Same(Integers(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7) ==
                     (n ^ ((n + 1) << 1) ^ ((n + 2) << 2) ^ ((n + 3) << 3) ^ ((n + 4) << 4) ^
                      ((n + 5) << 5) ^ ((n + 6) << 6) ^ ((n + 7) << 7)), "eight integers");
        Program.Same(Small((byte)i, (sbyte)i, (short)i, (ushort)i, (char)i, (i & 1) == 1, i, 7) ==
                     (byte)i + (sbyte)i + (short)i + (ushort)i + (char)i + (i & 1) + i + 7,
                     "small integers");
        Program.Same(Singles(s, 1, s, 2, s, 3, s, 4, s, 5) == 5 * s - 15, "floats");
        Program.Same(Doubles(x, x, x, x, x, x, x, x, x, x) == 55 * x, "doubles");
        Program.Same(Mixed(i, x, n, s, 3, x, 5, s, n, x, 9) == 2 * n + i + 3 * x + 2 * s + 17,
                     "mixed scalars");
        Program.Same(Wide((Int128)i << 70, (UInt128)i) == ((Int128)i << 70) - i, "Int128");
        Program.Same(Money(i + 0.25m, 0.5m, 2) == 2m * i, "decimal");
        Program.Same(Native(i, 4) == i + 4, "native integers");
        Program.Same(Held(n, 1, 2, 3, 4, x, 0.5) ==
                     (n ^ 2 ^ 8 ^ 24 ^ 64 ^ 32 ^ 128 ^ 384) + (long)(25 * x + 15) + n + 2 + 6 +
                         12 + 20 + (long)(x - 0.5), "values held across calls");
    }
}
