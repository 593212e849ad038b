// SPDX-License-Identifier: MIT
// The naive Fibonacci numbers: fib [N] [REPEATS]. Run(n) is called 2 F(n+1) - 1 times.
// With REPEATS it prints the best time too.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Fibonacci;

static class Fib
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Run(int n) => n < 2 ? n : Run(n - 1) + Run(n - 2);
}

static class Program
{
    static int Main(string[] args)
    {
        int n = args.Length > 0 ? int.Parse(args[0]) : 27;
        int repeats = args.Length > 1 ? int.Parse(args[1]) : 1;
        (int value, long calls) = Expected(n);
        double best_seconds = double.MaxValue;
        for (int i = 0; i < repeats; i++)
        {
            long begin = Stopwatch.GetTimestamp();
            Expect.Equal(Fib.Run(n), value, $"fib({n})");
            best_seconds = Math.Min(best_seconds, Stopwatch.GetElapsedTime(begin).TotalSeconds);
        }
        Console.WriteLine($"fib({n}) = {value}");
        if (args.Length > 1)
        {
            Console.WriteLine(FormattableString.Invariant($"seconds {best_seconds:F6} calls {calls}"));
        }
        Expect.Calls("Fib.Run", calls * repeats);
        Expect.Print();
        return 0;
    }

    static (int value, long calls) Expected(int n)
    {
        int a = 0, b = 1;
        for (int i = 0; i < n; i++)
        {
            (a, b) = (b, a + b);
        }
        return (a, 2L * b - 1);
    }
}
