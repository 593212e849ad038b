// SPDX-License-Identifier: MIT
// The call tree of a made-up program, as the program itself knows it, and the dice it throws.
using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Umbra.Testing;

/// A method in its calling context.
public sealed class Place
{
    public readonly Dictionary<int, Place> Callees = new();
    public long Calls;
}

/// What the made-up exceptions are; each catch block names one of them, or Exception.
public class Failure : Exception { }
public class Failure0 : Failure { }
public class Failure1 : Failure { }
public class Failure2 : Failure1 { }

/// The program that runs now, on the only thread that calls made-up methods. Whoever goes on after a
/// call, in a filter, or in a catch or finally block says so first: no frame can say that it has gone.
public static class Truth
{
    /// Under this key an exception's data has the place that threw it. Not in a dictionary by identity: an
    /// exception is not found there any more when garbage was collected while it was on its way
    /// (docs/runtime_contract.md).
    static object throwerOf = new();
    static Place here = new();
    static Place thrower = here;
    static uint dice;
    static int budget;

    /// The methods that the program calls by number; some may stand in it more than once.
    public static Func<int, int>[] Methods = Array.Empty<Func<int, int>>();

    public static Place Begin(uint seed, int calls)
    {
        throwerOf = new object();
        dice = seed;
        budget = calls;
        return here = thrower = new Place();
    }

    public static void Again(Place root, int calls)
    {
        throwerOf = new object();
        budget = calls;
        here = thrower = root;
    }

    /// The begin of a method that is timed. Answers its place.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Place Enter(int method)
    {
        if (!here.Callees.TryGetValue(method, out Place? place))
        {
            here.Callees.Add(method, place = new Place());
        }
        ++place.Calls;
        return here = place;
    }

    /// The begin of one that is not: what it calls is its caller's.
    public static Place Pass() => here;

    /// A method may do something until the program has made its calls.
    public static bool MayGoOn(int depth) => --budget > 0 && depth > 0;

    public static bool Chance(int percent) => Below(100) < percent;

    public static int Below(int bound)
    {
        dice = dice * 1664525 + 1013904223;
        return (int)((dice >> 8) % (uint)bound);
    }

    /// A method goes on, after a call or in a block of an exception.
    public static int At(Place place, int result = 0)
    {
        here = place;
        return result;
    }

    /// `place` throws `e`, or throws it anew.
    public static Exception By(Place place, Exception e)
    {
        e.Data[throwerOf] = place;
        return e;
    }

    /// What `place` does next may throw an exception of the runtime's.
    public static int Risks(Place place, int result)
    {
        thrower = place;
        return result;
    }

    /// A filter begins: it runs on top of what has thrown. Answers that place.
    public static Place Filters(Exception e)
    {
        if (e.Data[throwerOf] is not Place place)
        {
            e.Data[throwerOf] = place = thrower;
        }
        return here = place;
    }

    /// Calls a method through reflection: the runtime's own frames catch what it throws, or let it pass.
    public static int Reflect(int method, int depth, bool wraps)
    {
        MethodInfo target = Methods[method].Method;
        return (int)target.Invoke(null, wraps ? BindingFlags.Default : BindingFlags.DoNotWrapExceptions, null,
                                  new object[] { depth }, null)!;
    }

    /// Writes over as much of the stack.
    public static int Fill(Span<byte> bytes)
    {
        bytes.Fill(1);
        return bytes.Length == 0 ? 0 : bytes[bytes.Length / 2];
    }
}
