// SPDX-License-Identifier: MIT
// Makes the runtime stop its threads and compile, and says by the runtime's own figures how long.
//
//   pauses [ROUNDS]
//
// Prints "pauses_ns N", "collections N" and "compilation_ns N" for what happened until then.
using System;
using System.Linq;
using System.Linq.Expressions;
using System.Runtime;
using System.Runtime.CompilerServices;
using System.Threading;

internal static class Program
{
    private const int Workers = 2;
    private static volatile bool _done;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object Node(object? next) => new object?[] { next, new byte[64] };

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static object List(int length)
    {
        object list = Node(null);
        for (int i = 1; i < length; i++)
        {
            list = Node(list);
        }
        return list;
    }

    private static void Work()
    {
        while (!_done)
        {
            List(2_000);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int CompileAnew(int number)
    {
        ParameterExpression x = Expression.Parameter(typeof(int));
        Expression body = x;
        for (int i = 0; i < 40; i++)
        {
            body = Expression.Add(Expression.Multiply(body, Expression.Constant(i + number)), x);
        }
        return Expression.Lambda<Func<int, int>>(body, x).Compile()(number);
    }

    private static void Main(string[] args)
    {
        int rounds = args.Length > 0 ? int.Parse(args[0]) : 20;
        Thread[] threads = Enumerable.Range(0, Workers).Select(_ => new Thread(Work)).ToArray();
        Array.ForEach(threads, thread => thread.Start());
        object kept = List(1_000_000);
        int sum = 0;
        for (int round = 0; round < rounds; round++)
        {
            GC.Collect(round % 3, GCCollectionMode.Forced, blocking: true);
            sum += CompileAnew(round);
        }
        _done = true;
        Array.ForEach(threads, thread => thread.Join());
        GC.KeepAlive(kept);
        Console.WriteLine($"pauses_ns {GC.GetTotalPauseDuration().Ticks * 100}");
        Console.WriteLine($"collections {GC.CollectionCount(0)}");
        Console.WriteLine($"compilation_ns {JitInfo.GetCompilationTime().Ticks * 100}");
        Console.WriteLine($"sum {sum}");
    }
}
