// SPDX-License-Identifier: MIT
// Methods that call themselves last. Optimised code, which most of them have from their first call on, would go round
// in a loop: each call counts all the same.
using System.Runtime.CompilerServices;

namespace Exact;

sealed class Link
{
    readonly Link? next;
    public Link(Link? next) => this.next = next;
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int End(int at) { Count.Hit(64); return next is null ? at : next.End(at + 1); }
}

readonly struct Stair
{
    readonly int step;
    public Stair(int step) => this.step = step;
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int Down(int n) { Count.Hit(65); return n <= 0 ? step : Down(n - step); }
}

static class Ring<T>
{
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static T Turn(T a, T b, int n)
    {
        Count.Hit(typeof(T) == typeof(int) ? 66 : 67);
        return n == 0 ? a : Turn(b, a, n - 1);
    }
}

// Last calls that look like the method's own: of an overload, and of another class by way of the method's slot.
static class Deck<T>
{
    static int Method => typeof(T) == typeof(int) ? 70 : 71;
    public static int Draw(int a) { Count.Hit(Method); return Draw(a, 1); }
    static int Draw(int a, int b) { Count.Hit(Method); return a + b; }
}

class Hop
{
    readonly Hop? next;
    public Hop(Hop? next) => this.next = next;
    public virtual int Go(int a) { Count.Hit(72); return next!.Go(a); }
}

sealed class Goal : Hop
{
    public Goal() : base(null) { }
    public override int Go(int a) { Count.Hit(73); return a; }
}

static class Tails
{
    static readonly Hop hops = new(new Goal());

    static readonly Link links = new(new Link(new Link(null)));

    public static int Run(int i)
    {
        Count.Hit(57);
        Wait(i % 7);
        int raised = 0;
        Raise(ref raised, 4);
        return raised + Gcd(i, 34) + (int)Sum(5, 0, 1, 2, 3, 4, 5, 6) + Last(i, 3) + Last("text", 4).Length + links.End(0) +
               new Stair(2).Down(9) + Ring<int>.Turn(1, 2, 5) + Ring<string>.Turn("a", "b", 6).Length +
               Deck<int>.Draw(i) + Deck<string>.Draw(i) + hops.Go(i);
    }

    static int Gcd(int a, int b) { Count.Hit(58); return b == 0 ? a : Gcd(b, a % b); }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    static void Wait(int n)
    {
        Count.Hit(59);
        if (n > 0) Wait(n - 1);
    }

    // More arguments than registers take.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    static long Sum(int n, long a, long b, long c, long d, long e, long f, long g)
    {
        Count.Hit(60);
        return n == 0 ? a + b + c + d + e + f + g : Sum(n - 1, b, c, d, e, f, g, a + n);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    static void Raise(ref int value, int n)
    {
        Count.Hit(61);
        value++;
        if (n == 0) return;
        Raise(ref value, n - 1);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    static T Last<T>(T value, int n)
    {
        Count.Hit(typeof(T) == typeof(int) ? 62 : 63);
        return n == 0 ? value : Last(value, n - 1);
    }
}
