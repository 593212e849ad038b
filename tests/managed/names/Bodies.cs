// SPDX-License-Identifier: MIT
// Plain methods: where their code begins, whatever stands before it.
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.CompilerServices;

namespace Names;

static class Bodies
{
    public static void Run()
    {
        Block(1);
        Expression(1);
        SplitExpression(1, 2);
        Declares(1);
        Attributed(1);
        Generic(1);
        Generic("a");
        Matches(new List<int> { 1 });
        Switches(2);
        Statement(3);
        Uses(1);
        Guards(new object());
        Tries(1);
        Each(new[] { 1, 2 });
        Counts(2);
        Waits(12);
        Repeats(2);
        Checks(1);
        Default();
        Reference(new int[1])++;
        try { Throws(1); } catch (InvalidOperationException) { }
        unsafe { Fixed(new int[2]); }
    }

    static int Block(int n)
    {
        return n + 1;  //@{ block body: Names.Bodies.Block(int)
    }

    static int Expression(int n) => n + 1;  //@ expression body: Names.Bodies.Expression(int)

    static int SplitExpression(int first,
                               int second) =>

        first  //@ expression body on a line of its own: Names.Bodies.SplitExpression(int, int)
        + second;

    static int Declares(int n)
    {
        // A declaration without a value is no code.
        int twice;
        twice = 2 * n;  //@{ declaration before the code: Names.Bodies.Declares(int)
        return twice;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    [SkipLocalsInit]
    static int Attributed(
        int n)
    {

        return n;  //@{ attributes and a signature of several lines: Names.Bodies.Attributed(int)
    }

    static T Generic<T>(T value)
    {
        return value;  //@{ generic method: Names.Bodies.Generic<int>(int); Names.Bodies.Generic<T>(T)
    }

    static int Matches(object value) => value switch  //@ pattern matching: Names.Bodies.Matches(object)
    {
        List<int> { Count: 1 } list => list[0],
        string { Length: > 3 } => 4,
        _ => 0,
    };

    static string Switches(int n)
    {
        switch (n.GetHashCode())  //@{ switch statement: Names.Bodies.Switches(int)
        {
            case 1:
                return "one";
            default:
                return "many";
        }
    }

    static int Statement(int n)
    {
        if (n > 2)  //@{ if: Names.Bodies.Statement(int)
        {
            return 1;
        }
        return 0;
    }

    static void Uses(int n)
    {
        using var stream = new MemoryStream(n);  //@{ using declaration: Names.Bodies.Uses(int)
        stream.WriteByte(1);
    }

    static void Guards(object gate)
    {
        lock (gate)  //@{ lock: Names.Bodies.Guards(object)
        {
            gate.GetHashCode();
        }
    }

    static void Tries(int n)
    {
        try
        {
            GC.KeepAlive(n);  //@{ try: Names.Bodies.Tries(int)
        }
        finally
        {
            GC.KeepAlive(n);
        }
    }

    static int Each(int[] numbers)
    {
        foreach (int n in numbers)  //@{ foreach: Names.Bodies.Each(int[])
        {
            if (n == 2)
            {
                return n;
            }
        }
        return 0;
    }

    static void Counts(int times)
    {
        for (int i = 0; i < times; ++i)  //@{ for: Names.Bodies.Counts(int)
        {
            GC.KeepAlive(i);
        }
    }

    static int Waits(int n)
    {
        while (n > 10)  //@{ while: Names.Bodies.Waits(int)
        {
            --n;
        }
        return n;
    }

    static int Repeats(int n)
    {
        do
        {
            --n;  //@{ do: Names.Bodies.Repeats(int)
        }
        while (n > 0);
        return n;
    }

    static int Checks(int n)
    {
        checked
        {
            return n + 1;  //@{ checked block: Names.Bodies.Checks(int)
        }
    }

    static int Default(int n = 4) => n;  //@ optional parameter: Names.Bodies.Default(int)

    static ref int Reference(int[] numbers) => ref numbers[0];  //@ ref result: Names.Bodies.Reference(int[])

    static void Throws(int n) =>
        throw new InvalidOperationException($"{n}");  //@ throw: Names.Bodies.Throws(int)

    static unsafe void Fixed(int[] numbers)
    {
        fixed (int* first = numbers)  //@{ fixed: Names.Bodies.Fixed(int[])
        {
            *first = 1;
        }
    }
}
