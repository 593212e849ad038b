// SPDX-License-Identifier: MIT
// Catch blocks that throw, rethrow, nest, and call on at length.
using System;
using System.Linq.Expressions;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace Stacks;

static class Nested
{
    public const string Tree = """
        Nested.Run 50
          Nested.Throws 100
          Nested.Handle 100
            Nested.Throws 100
            Nested.Note 100
        """;

    /// Catch blocks whose callees throw and catch on their own; one catch inside another.
    public static int Run()
    {
        int result = 0;
        try
        {
            Throws(1);
        }
        catch (ArgumentException)
        {
            Handle(ref result);
            try
            {
                Throws(2);
            }
            catch (ArgumentException)
            {
                Handle(ref result);
            }
        }
        return result;
    }

    static void Throws(int n) => throw new ArgumentException($"{n}");

    static void Handle(ref int result)
    {
        try
        {
            Throws(3);
        }
        catch (ArgumentException e)
        {
            Note(e, ref result);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Note(Exception e, ref int result) => result += e.Message.Length;
}

static class Rethrow
{
    public const string Tree = """
        Rethrow.Run 50
          Rethrow.Top 50
            Rethrow.Again 50
              Rethrow.Throws 50
              Rethrow.Note 50
            Rethrow.Note 50
          Rethrow.Handle 50
        """;

    public static int Run()
    {
        int result = 0;
        try
        {
            Top(ref result);
        }
        catch (InvalidOperationException)
        {
            Handle(ref result);
        }
        return result;
    }

    static void Top(ref int result)
    {
        try
        {
            Again(ref result);
        }
        catch (InvalidOperationException e)
        {
            Note(ref result);
            ExceptionDispatchInfo.Throw(e);
        }
    }

    static void Again(ref int result)
    {
        try
        {
            Throws();
        }
        catch (InvalidOperationException)
        {
            Note(ref result);
            throw;
        }
    }

    static void Throws() => throw new InvalidOperationException("thrown three times");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Note(ref int result) => result += 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Handle(ref int result) => result += 10;
}

static class ThrowInCatch
{
    public const string Tree = """
        ThrowInCatch.Run 50
          ThrowInCatch.Middle 50
            ThrowInCatch.First 50
            ThrowInCatch.Second 50
            ThrowInCatch.Clean 50
          ThrowInCatch.Handle 50
        """;

    public static int Run()
    {
        int result = 0;
        try
        {
            Middle(ref result);
        }
        catch (NotSupportedException)
        {
            Handle(ref result);
        }
        return result;
    }

    static void Middle(ref int result)
    {
        try
        {
            First();
        }
        catch (InvalidOperationException)
        {
            Second();
        }
        finally
        {
            Clean(ref result);
        }
    }

    static void First() => throw new InvalidOperationException("first");

    static void Second() => throw new NotSupportedException("second");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Clean(ref int result) => result += 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Handle(ref int result) => result += 10;
}

static class CatchInLoop
{
    public const string Tree = """
        CatchInLoop.Run 1
          CatchInLoop.Maybe 3000
          CatchInLoop.Handle 1500
          CatchInLoop.Next 3000
        """;

    public static int Run()
    {
        int result = 0;
        for (int i = 0; i < 3000; i++)
        {
            try
            {
                Maybe(i);
            }
            catch (InvalidOperationException)
            {
                Handle(ref result);
            }
            Next(ref result);
        }
        return result;
    }

    static void Maybe(int i)
    {
        if (i % 2 == 0)
        {
            throw new InvalidOperationException("even");
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Handle(ref int result) => result += 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Next(ref int result) => result += 10;
}

static class ThrowInFinallyOfRecursion
{
    public const string Tree = """
        ThrowInFinallyOfRecursion.Run 50
          ThrowInFinallyOfRecursion.Step 50
            ThrowInFinallyOfRecursion.Step 50
              ThrowInFinallyOfRecursion.Step 50
                ThrowInFinallyOfRecursion.Throws 100
          ThrowInFinallyOfRecursion.Handle 50
          ThrowInFinallyOfRecursion.Next 50
        """;

    /// What the innermost call throws out of its finally block goes through its callers, calls of the
    /// same method.
    public static int Run()
    {
        int result = 0;
        try
        {
            Step(2);
        }
        catch (InvalidOperationException)
        {
            Handle(ref result);
        }
        Next(ref result);
        return result;
    }

    static void Step(int below)
    {
        try
        {
            if (below == 0)
            {
                Throws();
            }
            Step(below - 1);
        }
        finally
        {
            if (below == 0)
            {
                Throws();
            }
        }
    }

    static void Throws() => throw new InvalidOperationException("at the bottom");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Handle(ref int result) => result += 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Next(ref int result) => result += 10;
}

static class FinallyCallsItself
{
    public const string Tree = """
        FinallyCallsItself.Run 50
          FinallyCallsItself.Close 50
            FinallyCallsItself.Flush 50
            FinallyCallsItself.Close 50
              FinallyCallsItself.Flush 50
              FinallyCallsItself.Close 50
                FinallyCallsItself.Flush 50
          FinallyCallsItself.Report 50
          FinallyCallsItself.Next 50
        """;

    /// Each call closes the one within in its finally block; the innermost fails there. No exception is
    /// under way when these blocks begin.
    public static int Run()
    {
        int result = 0;
        try
        {
            Close(2, ref result);
        }
        catch (InvalidOperationException)
        {
            Report(ref result);
        }
        Next(ref result);
        return result;
    }

    static void Close(int within, ref int result)
    {
        try
        {
            Flush(ref result);
        }
        finally
        {
            if (within == 0)
            {
                throw new InvalidOperationException("the innermost");
            }
            Close(within - 1, ref result);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Flush(ref int result) => result += 100;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Report(ref int result) => result += 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Next(ref int result) => result += 10;
}

static class CompiledBlocks
{
    public const string Tree = """
        CompiledBlocks.Run 50
          CompiledBlocks.Throws 50
            CompiledBlocks.Throws 50
          CompiledBlocks.Clean 50
          CompiledBlocks.Handle 50
          CompiledBlocks.Next 50
        """;

    static Func<int, int>? guarded;

    /// The blocks are a dynamic method's: the runtime says of none that it begins.
    public static void Compile()
    {
        ParameterExpression depth = Expression.Parameter(typeof(int));
        guarded = Expression.Lambda<Func<int, int>>(
            Expression.TryCatch(
                Expression.TryFinally(Call(nameof(Throws), depth), Call(nameof(Clean), depth)),
                Expression.Catch(typeof(InvalidOperationException), Call(nameof(Handle), depth))),
            depth).Compile();
    }

    static MethodCallExpression Call(string method, Expression argument) =>
        Expression.Call(typeof(CompiledBlocks).GetMethod(method)!, argument);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Run() => Next(guarded!(1));

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Throws(int depth) =>
        depth == 0 ? throw new InvalidOperationException("caught untold") : Throws(depth - 1);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Clean(int depth) => depth;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Handle(int depth) => depth + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Next(int result) => result + 10;
}

static class RethrowInRecursion
{
    public const string Tree = """
        RethrowInRecursion.Run 50
          RethrowInRecursion.Step 50
            RethrowInRecursion.Step 50
              RethrowInRecursion.Step 50
                RethrowInRecursion.Throws 50
          RethrowInRecursion.Handle 50
          RethrowInRecursion.Next 50
        """;

    /// Each call catches what its callee, a call of the same method, throws again.
    public static int Run()
    {
        int result = 0;
        try
        {
            Step(2, ref result);
        }
        catch (InvalidOperationException)
        {
            Handle(ref result);
        }
        Next(ref result);
        return result;
    }

    static void Step(int below, ref int result)
    {
        try
        {
            if (below == 0)
            {
                Throws();
            }
            Step(below - 1, ref result);
        }
        catch (InvalidOperationException)
        {
            result += 100;
            throw;
        }
    }

    static void Throws() => throw new InvalidOperationException("at the bottom");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Handle(ref int result) => result += 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Next(ref int result) => result += 10;
}

static class CatchCases
{
    public static void RunAll()
    {
        ThrowCases.Repeat(50, Nested.Run, 2, Nested.Tree);
        ThrowCases.Repeat(50, Rethrow.Run, 12, Rethrow.Tree);
        ThrowCases.Repeat(50, RethrowInRecursion.Run, 311, RethrowInRecursion.Tree);
        ThrowCases.Repeat(50, ThrowInFinallyOfRecursion.Run, 11, ThrowInFinallyOfRecursion.Tree);
        ThrowCases.Repeat(50, FinallyCallsItself.Run, 311, FinallyCallsItself.Tree);
        CompiledBlocks.Compile();
        ThrowCases.Repeat(50, CompiledBlocks.Run, 12, CompiledBlocks.Tree);
        ThrowCases.Repeat(50, ThrowInCatch.Run, 11, ThrowInCatch.Tree);
        ThrowCases.Repeat(1, CatchInLoop.Run, 31500, CatchInLoop.Tree);
    }
}
