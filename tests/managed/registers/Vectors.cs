// SPDX-License-Identifier: MIT
// Vectors of 64 to 512 bits, the numerics types, and vectors mixed with doubles.
using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;

namespace Registers;

static class Vectors
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector64<int> Next(Vector64<int> v) => v + Vector64<int>.One;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector128<int> Next(Vector128<int> v) => v + Vector128<int>.One;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector256<int> Next(Vector256<int> v) => v + Vector256<int>.One;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector512<int> Next(Vector512<int> v) => v + Vector512<int>.One;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector<int> Next(Vector<int> v) => v + Vector<int>.One;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector2 Swap(Vector2 v) => new(v.Y, v.X);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector3 Turn(Vector3 v) => new(v.Y, v.Z, v.X);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector4 Turn(Vector4 v) => new(v.Y, v.Z, v.W, v.X);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector128<int> Eight(Vector128<int> a, Vector128<int> b, Vector128<int> c,
                                Vector128<int> d, Vector128<int> e, Vector128<int> f,
                                Vector128<int> g, Vector128<int> h) =>
        a + b + c + d + e + f + g + h;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector256<double> Mixed(double a, Vector256<double> b, long c, Vector4 d, double e) =>
        b + Vector256.Create(a + c + d.X - d.W + e);

    /// Whole 256-bit values held while probed calls run in between.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static Vector256<int> Held(Vector256<int> a, Vector256<int> b)
    {
        Vector256<int> sum = a + b;
        Vector256<int> difference = a - b;
        Vector128<int> one = Next(sum.GetLower());
        return sum + difference + Vector256.Create(one, one);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Check(int i)
    {
        float s = i & 1023;
        double x = i;
        Program.Same(Next(Vector64.Create(i, 2)) == Vector64.Create(i + 1, 3), "Vector64");
        Program.Same(Next(Vector128.Create(i, 2, 3, i)) == Vector128.Create(i + 1, 3, 4, i + 1),
                     "Vector128");
        Program.Same(Next(Vector256.Create(i, 2, 3, 4, 5, 6, 7, i)) ==
                     Vector256.Create(i + 1, 3, 4, 5, 6, 7, 8, i + 1), "Vector256");
        Program.Same(Next(Vector512.Create(i)) == Vector512.Create(i + 1), "Vector512");
        Program.Same(Next(new Vector<int>(i)) == new Vector<int>(i + 1), "Vector<int>");
        Program.Same(Swap(new Vector2(s, 1)) == new Vector2(1, s), "Vector2");
        Program.Same(Turn(new Vector3(s, 1, 2)) == new Vector3(1, 2, s), "Vector3");
        Program.Same(Turn(new Vector4(s, 1, 2, 3)) == new Vector4(1, 2, 3, s), "Vector4");
        Vector128<int> v = Vector128.Create(i, 1, 2, 3);
        Program.Same(Eight(v, v, v, v, v, v, v, v) == Vector128.Create(8 * i, 8, 16, 24),
                     "eight vectors");
        Program.Same(Mixed(x, Vector256.Create(x, 1, 2, 3), i, new Vector4(s), 1) ==
                     Vector256.Create(3 * x + 1, 2 * x + 2, 2 * x + 3, 2 * x + 4),
                     "vectors and scalars");
        Program.Same(Held(Vector256.Create(i), Vector256.Create(5)) ==
                     Vector256.Create(3 * i + 6), "vectors held across calls");
    }
}
