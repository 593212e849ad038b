// SPDX-License-Identifier: MIT
// Exception filters: they run in the first pass, while the frames that threw still stand.
using System;
using System.Runtime.CompilerServices;

namespace Stacks;

static class Filter
{
    /// What a filter calls stands below the method that threw: its frame is not gone yet.
    public const string Tree = """
        Filter.Run 50
          Filter.Refuses 50
            Filter.Cleans 50
              Filter.Throws 50
                Filter.No 50
                Filter.Yes 50
              Filter.Clean 50
          Filter.Handle 50
        """;

    public static int Run()
    {
        int result = 0;
        try
        {
            Refuses(ref result);
        }
        catch (InvalidOperationException) when (Yes(ref result))
        {
            Handle(ref result);
        }
        return result;
    }

    static void Refuses(ref int result)
    {
        try
        {
            Cleans(ref result);
        }
        catch (InvalidOperationException) when (No(ref result))
        {
            Handle(ref result);
        }
    }

    static void Cleans(ref int result)
    {
        try
        {
            Throws();
        }
        finally
        {
            Clean(ref result);
        }
    }

    static void Throws() => throw new InvalidOperationException("to be filtered");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static bool No(ref int result)
    {
        result = result * 10 + 1;
        return false;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static bool Yes(ref int result)
    {
        result = result * 10 + 2;
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Clean(ref int result) => result = result * 10 + 3;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Handle(ref int result) => result = result * 10 + 4;
}

static class ThrowInFilter
{
    /// An exception in a filter means "no"; the next handler up takes the first exception.
    public const string Tree = """
        ThrowInFilter.Run 50
          ThrowInFilter.Middle 50
            ThrowInFilter.Throws 50
              ThrowInFilter.Fails 50
                ThrowInFilter.FailsDeeper 50
          ThrowInFilter.Handle 50
        """;

    public static string Run()
    {
        try
        {
            Middle();
        }
        catch (InvalidOperationException e)
        {
            return Handle(e);
        }
        return "";
    }

    static void Middle()
    {
        try
        {
            Throws();
        }
        catch (InvalidOperationException e) when (Fails(e))
        {
            Handle(e);
        }
    }

    static void Throws() => throw new InvalidOperationException("first");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static bool Fails(Exception e) => FailsDeeper(e.Message) == 0;

    static int FailsDeeper(string message) => throw new NotSupportedException(message);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static string Handle(Exception e) => e.Message;
}

static class WhenFalse
{
    public const string Tree = """
        WhenFalse.Run 50
          WhenFalse.Middle 50
            WhenFalse.Throws 50
          WhenFalse.Handle 50
        """;

    public static int Run()
    {
        try
        {
            Middle();
        }
        catch (Exception) when (Environment.ProcessId > 0)
        {
            return Handle();
        }
        return 0;
    }

    static void Middle()
    {
        try
        {
            Throws();
        }
        catch (InvalidOperationException) when (Environment.ProcessId < 0)
        {
            Handle();
        }
    }

    static void Throws() => throw new InvalidOperationException("passes two filters");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Handle() => 5;
}

static class CaughtInFilter
{
    /// A filter that throws, catches and cleans up on its own before it says yes.
    public const string Tree = """
        CaughtInFilter.Run 50
          CaughtInFilter.Throws 50
            CaughtInFilter.Asks 50
              CaughtInFilter.Throws 50
              CaughtInFilter.Note 50
          CaughtInFilter.Note 50
        """;

    public static int Run()
    {
        int result = 0;
        try
        {
            Throws();
        }
        catch (InvalidOperationException) when (Asks(ref result))
        {
            Note(ref result);
        }
        return result;
    }

    static void Throws() => throw new InvalidOperationException("twice");

    static bool Asks(ref int result)
    {
        try
        {
            Throws();
        }
        catch (InvalidOperationException)
        {
            Note(ref result);
        }
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Note(ref int result) => result += 1;
}

static class FilterCallsItsMethod
{
    /// What a filter calls stands below the method that threw, and may be the filter's own method.
    public const string Tree = """
        FilterCallsItsMethod.Run 50
          FilterCallsItsMethod.Retries 50
            FilterCallsItsMethod.Works 50
              FilterCallsItsMethod.Works 50
                FilterCallsItsMethod.Retries 50
                  FilterCallsItsMethod.Works 50
                    FilterCallsItsMethod.Works 50
                      FilterCallsItsMethod.Retries 50
                        FilterCallsItsMethod.Works 50
                          FilterCallsItsMethod.Fails 50
                        FilterCallsItsMethod.Handle 50
                  FilterCallsItsMethod.Handle 50
            FilterCallsItsMethod.Handle 50
        """;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Run() => Retries(4);

    static int Retries(int times)
    {
        try
        {
            return Works(times);
        }
        catch (InvalidOperationException) when (times == 0 ? Fails() : Works(times - 1) >= 0)
        {
            return Handle(2);
        }
        catch (InvalidOperationException)
        {
            return Handle(1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Works(int times) =>
        times % 2 == 0 ? throw new InvalidOperationException("later") : Retries(times - 1);

    static bool Fails() => throw new NotSupportedException("in a filter");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Handle(int result) => result;
}

static class FilterCases
{
    public static void RunAll()
    {
        ThrowCases.Repeat(50, Filter.Run, 1234, Filter.Tree);
        ThrowCases.Repeat(50, ThrowInFilter.Run, "first", ThrowInFilter.Tree);
        ThrowCases.Repeat(50, WhenFalse.Run, 5, WhenFalse.Tree);
        ThrowCases.Repeat(50, CaughtInFilter.Run, 2, CaughtInFilter.Tree);
        ThrowCases.Repeat(50, FilterCallsItsMethod.Run, 2, FilterCallsItsMethod.Tree);
    }
}
