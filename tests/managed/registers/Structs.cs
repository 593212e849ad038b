// SPDX-License-Identifier: MIT
// Structs in one register, in two of one kind or of both, on the stack and behind a hidden buffer.
using System;
using System.Runtime.CompilerServices;

namespace Registers;

record struct OneInt(long A);
record struct OneDouble(double A);
record struct TwoFloats(float A, float B);
record struct ThreeFloats(float A, float B, float C);
record struct TwoLongs(long A, long B);
record struct TwoDoubles(double A, double B);
record struct LongDouble(long A, double B);
record struct DoubleLong(double A, long B);
record struct IntFloat(int A, float B);
record struct Text(string A, int B);
record struct Big(long A, double B, long C, string D);

static class Structs
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static OneInt Next(OneInt s) => new(s.A + 1);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static OneDouble Next(OneDouble s) => new(s.A + 1);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static TwoFloats Swap(TwoFloats s) => new(s.B, s.A);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static ThreeFloats Turn(ThreeFloats s) => new(s.B, s.C, s.A);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static TwoLongs Swap(TwoLongs s) => new(s.B, s.A);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static TwoDoubles Swap(TwoDoubles s) => new(s.B, s.A);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static LongDouble Next(LongDouble s) => new(s.A + 1, s.B + 2);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static DoubleLong Next(DoubleLong s) => new(s.A + 1, s.B + 2);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static IntFloat Next(IntFloat s) => new(s.A + 1, s.B + 2);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Text Next(Text s) => new(s.A, s.B + s.A.Length);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Big Next(Big s, int by) => new(s.A + by, s.B + by, s.C + by, s.D);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static (double, double) Pair(double a, double b) => (b, a);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static (long, double) Pair(long a, double b) => (a + 1, b + 1);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static double All(OneInt a, TwoDoubles b, LongDouble c, TwoFloats d, Big e, DoubleLong f,
                      TwoLongs g) =>
        a.A + b.A - b.B + c.A + c.B + d.A - d.B + e.A + e.B + e.C + f.A + f.B + g.A - g.B;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Check(int i)
    {
        long n = i;
        double x = i + 0.5;
        float s = i & 1023;
        Program.Same(Next(new OneInt(n)) == new OneInt(n + 1), "struct of one integer");
        Program.Same(Next(new OneDouble(x)) == new OneDouble(x + 1), "struct of one double");
        Program.Same(Swap(new TwoFloats(s, 1)) == new TwoFloats(1, s), "two floats");
        Program.Same(Turn(new ThreeFloats(s, 1, 2)) == new ThreeFloats(1, 2, s), "three floats");
        Program.Same(Swap(new TwoLongs(n, 1)) == new TwoLongs(1, n), "two longs");
        Program.Same(Swap(new TwoDoubles(x, 1)) == new TwoDoubles(1, x), "two doubles");
        Program.Same(Next(new LongDouble(n, x)) == new LongDouble(n + 1, x + 2), "long, double");
        Program.Same(Next(new DoubleLong(x, n)) == new DoubleLong(x + 1, n + 2), "double, long");
        Program.Same(Next(new IntFloat(i, s)) == new IntFloat(i + 1, s + 2), "int, float");
        Program.Same(Next(new Text("abc", i)) == new Text("abc", i + 3), "reference, int");
        Program.Same(Next(new Big(n, x, n, "d"), 3) == new Big(n + 3, x + 3, n + 3, "d"),
                     "hidden return buffer");
        Program.Same(Pair(x, 2.0) == (2.0, x), "tuple of doubles");
        Program.Same(Pair(n, x) == (n + 1, x + 1), "tuple of long and double");
        Program.Same(All(new(n), new(x, x), new(n, x), new(s, s), new(n, x, n, ""), new(x, n),
                         new(n, n)) == 5 * n + 3 * x, "many structs");
    }
}
