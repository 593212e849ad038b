// SPDX-License-Identifier: MIT
// Exceptions on their way up: finally blocks, deep unwinding, recursion, null references.
using System;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Stacks;

static class Finally
{
    public const string Tree = """
        Finally.Run 100
          Finally.Outer 100
            Finally.Inner 100
              Finally.Throws 100
              Finally.CleanInner 100
                Finally.Detail 100
            Finally.CleanOuter 100
          Finally.Handle 100
          Finally.After 100
        """;

    public static int Run()
    {
        int result = 0;
        try
        {
            Outer(ref result);
        }
        catch (InvalidOperationException)
        {
            Handle(ref result);
        }
        After(ref result);
        return result;
    }

    static void Outer(ref int result)
    {
        try
        {
            Inner(ref result);
        }
        finally
        {
            CleanOuter(ref result);
        }
    }

    static void Inner(ref int result)
    {
        try
        {
            Throws();
        }
        finally
        {
            CleanInner(ref result);
        }
    }

    static void Throws() => throw new InvalidOperationException("thrown through finally blocks");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void CleanInner(ref int result) => Detail(ref result);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Detail(ref int result) => result += 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void CleanOuter(ref int result) => result += 10;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Handle(ref int result) => result += 100;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void After(ref int result) => result += 1000;
}

static class ThrowInFinally
{
    public const string Tree = """
        ThrowInFinally.Run 50
          ThrowInFinally.Middle 50
            ThrowInFinally.First 50
            ThrowInFinally.Second 50
          ThrowInFinally.Handle 50
        """;

    public static string Run()
    {
        try
        {
            Middle();
        }
        catch (Exception e)
        {
            return Handle(e);
        }
        return "";
    }

    static void Middle()
    {
        try
        {
            First();
        }
        finally
        {
            Second();
        }
    }

    static void First() => throw new InvalidOperationException("first");

    static void Second() => throw new NotSupportedException("second");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static string Handle(Exception e) => e.Message;
}

static class CaughtInFinally
{
    public const string Tree = """
        CaughtInFinally.Run 50
          CaughtInFinally.Middle 50
            CaughtInFinally.First 50
            CaughtInFinally.Careful 50
              CaughtInFinally.Second 50
              CaughtInFinally.Note 50
          CaughtInFinally.Note 50
        """;

    public static string Run()
    {
        try
        {
            Middle();
        }
        catch (InvalidOperationException e)
        {
            return Note(e);
        }
        return "";
    }

    static void Middle()
    {
        try
        {
            First();
        }
        finally
        {
            Careful();
        }
    }

    static void First() => throw new InvalidOperationException("first");

    static void Careful()
    {
        try
        {
            Second();
        }
        catch (NotSupportedException e)
        {
            Note(e);
        }
    }

    static void Second() => throw new NotSupportedException("second");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static string Note(Exception e) => e.Message;
}

static class Deep
{
    public const int Frames = 100;

    public static string Tree
    {
        get
        {
            var tree = new System.Text.StringBuilder("Deep.Run 20\n");
            for (int level = 1; level <= Frames; level++)
            {
                tree.Append(' ', 2 * level).Append("Deep.Down 20\n");
            }
            tree.Append(' ', 2 * (Frames + 1)).Append("Deep.Bottom 20\n");
            return tree.Append("  Deep.Handle 20\n").ToString();
        }
    }

    public static int Run()
    {
        try
        {
            return Down(Frames);
        }
        catch (InvalidOperationException)
        {
            return Handle();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Down(int levels) => levels == 1 ? Bottom() + 1 : Down(levels - 1) + 1;

    static int Bottom() => throw new InvalidOperationException("at the bottom");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Handle() => -1;
}

static class Recursion
{
    /// Thrown at the bottom, passed through two finally blocks and caught in the third frame of
    /// the same method, which then calls itself on.
    public const string Tree = """
        Recursion.Run 50
          Recursion.Step 50
            Recursion.Step 50
              Recursion.Step 50
                Recursion.Step 50
                  Recursion.Step 50
                    Recursion.Throws 50
                    Recursion.Clean 50
                  Recursion.Clean 50
                Recursion.Handle 50
                Recursion.Clean 50
              Recursion.Clean 50
            Recursion.Clean 50
        """;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Run()
    {
        int cleaned = 0;
        Step(5, ref cleaned);
        return cleaned;
    }

    static void Step(int left, ref int cleaned)
    {
        try
        {
            if (left == 1)
            {
                Throws();
            }
            Step(left - 1, ref cleaned);
        }
        catch (InvalidOperationException) when (left == 3)
        {
            Handle(ref cleaned);
        }
        finally
        {
            Clean(ref cleaned);
        }
    }

    static void Throws() => throw new InvalidOperationException("at the bottom");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Handle(ref int cleaned) => cleaned += 100;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Clean(ref int cleaned) => cleaned += 1;
}

static class Hardware
{
    public const string Tree = """
        Hardware.Run 50
          Hardware.Dereferences 50
            Hardware.Length 50
            Hardware.Clean 50
          Hardware.Handle 100
          Hardware.Divides 50
        """;

    public static int Run()
    {
        int result = 0;
        try
        {
            Dereferences(null, ref result);
        }
        catch (NullReferenceException)
        {
            Handle(ref result);
        }
        try
        {
            Divides(1, 0);
        }
        catch (DivideByZeroException)
        {
            Handle(ref result);
        }
        return result;
    }

    static void Dereferences(int[]? values, ref int result)
    {
        try
        {
            result += Length(values!);
        }
        finally
        {
            Clean(ref result);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Length(int[] values) => values.Length;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Divides(int a, int b) => a / b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Clean(ref int result) => result += 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Handle(ref int result) => result += 10;
}

static class ThrowCases
{
    public static void RunAll()
    {
        Repeat(100, Finally.Run, 1111, Finally.Tree);
        Repeat(50, ThrowInFinally.Run, "second", ThrowInFinally.Tree);
        Repeat(50, CaughtInFinally.Run, "first", CaughtInFinally.Tree);
        Repeat(20, Deep.Run, -1, Deep.Tree);
        Repeat(50, Recursion.Run, 105, Recursion.Tree);
        Repeat(50, Hardware.Run, 21, Hardware.Tree);
    }

    public static void Repeat<T>(int times, Func<T> run, T expected, string tree)
    {
        for (int i = 0; i < times; i++)
        {
            Expect.Equal(run(), expected, run.Method.DeclaringType!.Name);
        }
        Expect.Tree(tree);
    }
}
