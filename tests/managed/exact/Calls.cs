// SPDX-License-Identifier: MIT
// Plain calls: short ones that a compiler would inline, loops, handlers, recursion, generics.
using System;
using System.Threading;

namespace Exact;

static class Cold
{
    public static void Once() => Count.Hit(2);
    public static void Twice() => Count.Hit(3);
}

static class Calls
{
    static readonly object gate = new();

    public static void Run(int i)
    {
        Count.Hit(4);
        int sum = 0;
        for (int k = 0; k < 20; k++)
        {
            sum = Add(sum, k);
            sum = Subtract(sum, i);
            sum = Forward(sum, k);
        }
        sum += Fib(6) + (Even(7) ? 1 : 0) + Sum(new[] { 1, 2, 3 }) + Guarded(i) + Text(i).Length + Down(4);
        sum += Boxed(i).GetHashCode() + Locked(i) + Same(i) + Same("text").Length + Same("more").Length;
        sum += (int)Pair(i, 2L) + Default() + Many(1, 2, 3, 4, 5, 6, 7, 8, 9);
        sum += Pointed(i);
        Dropped(i);
        int other = 1;
        Swap(ref sum, ref other);
        try
        {
            Fails(i % 2 == 0);
        }
        catch (InvalidOperationException)
        {
        }
    }

    static int Add(int a, int b) { Count.Hit(5); return a + b; }
    static int Subtract(int a, int b) { Count.Hit(6); return a - b; }
    // Two calls and no more: what it forwards to counts it as well.
    static int Forward(int a, int b) { Count.Hit(7); return Add(a, b); }

    // Add by way of a pointer; and with a result that nobody takes.
    static unsafe int Pointed(int a) { Count.Hit(68); return adds(a, a); }
    static unsafe readonly delegate*<int, int, int> adds = &Add;
    static void Dropped(int a) { Count.Hit(69); Add(a, a); }

    static int Fib(int n)
    {
        Count.Hit(8);
        return n < 2 ? n : Fib(n - 1) + Fib(n - 2);
    }

    static bool Even(int n) { Count.Hit(9); return n == 0 || Odd(n - 1); }
    static bool Odd(int n) { Count.Hit(10); return n != 0 && Even(n - 1); }

    static int Sum(int[] values)
    {
        Count.Hit(11);
        int sum = 0;
        foreach (int value in values) sum += value;
        return sum;
    }

    static int Guarded(int i)
    {
        try { Count.Hit(12); return 10 / (i + 1); }
        finally { GC.KeepAlive(gate); }
    }

    static void Fails(bool really)
    {
        Count.Hit(13);
        if (really) throw new InvalidOperationException();
    }

    static string Text(int i) { Count.Hit(14); return i.ToString(); }
    static object Boxed(int i) { Count.Hit(15); return i; }
    static int Locked(int i) { lock (gate) { Count.Hit(16); return i; } }

    static int Down(int n)
    {
        Count.Hit(17);
        return n == 0 ? 0 : 1 + Down(n - 1);
    }

    static T Same<T>(T value)
    {
        Count.Hit(typeof(T) == typeof(int) ? 18 : 19);
        return value;
    }

    static U Pair<T, U>(T first, U second) { Count.Hit(20); return second; }
    static void Swap(ref int a, ref int b) { Count.Hit(21); (a, b) = (b, a); }
    static int Default(int a = 3) { Count.Hit(22); return Volatile.Read(ref a); }
    static int Many(int a, int b, int c, int d, int e, int f, int g, int h, int i)
    {
        Count.Hit(23);
        return a + b + c + d + e + f + g + h + i;
    }
}
