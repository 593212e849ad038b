// SPDX-License-Identifier: MIT
// What the program knows about its calls.
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Exact;

static class Count
{
    static readonly string[] names =
    {
        "Work.Run", "Work.Round", "Cold.Once", "Cold.Twice", "Calls.Run", "Calls.Add", "Calls.Subtract", "Calls.Forward",
        "Calls.Fib", "Calls.Even", "Calls.Odd", "Calls.Sum", "Calls.Guarded", "Calls.Fails", "Calls.Text", "Calls.Boxed",
        "Calls.Locked", "Calls.Down", "Calls.Same<int>", "Calls.Same<T>", "Calls.Pair<int, long>", "Calls.Swap",
        "Calls.Default", "Calls.Many", "Kinds.Run", "Circle.Area", "Square.Area", "Shape.Name", "Square.Name", "IWork.Twice",
        "Worker.Do", "Worker.IOther.Do", "Point.Length", "Point.operator +", "Point.Norm.get", "Shelf.this[int].get",
        "Shelf.Size.set", "Shelf.Shelf", "Box<int>.Keep", "Box<T>.Keep", "Box<T>.Lid<U>.Close", "Kinds.Local.Inner",
        "Kinds.Lambdas", "Kinds.Lambdas.lambda", "Kinds.Method", "Kinds.Grow", "Later.Run", "Later.CountTo", "Later.Fetch",
        "Later.Quick", "Later.Value", "Later.Stream", "Kinds.Local", "Later.Threads", "Later.InThread", "Later.Closed",
        "Kinds.Lambdas.lambda#1", "Tails.Run", "Tails.Gcd", "Tails.Wait", "Tails.Sum", "Tails.Raise", "Tails.Last<int>",
        "Tails.Last<T>", "Link.End", "Stair.Down", "Ring<int>.Turn", "Ring<T>.Turn",
        "Calls.Pointed", "Calls.Dropped", "Deck<int>.Draw", "Deck<T>.Draw", "Hop.Go", "Goal.Go",
    };
    static readonly long[] hits = new long[names.Length];
    static long own;

    /// Whoever calls this is no trivial method.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Hit(int method)
    {
        hits[method]++;
        own++;
    }

    public static SortedDictionary<string, long> All()
    {
        var all = new SortedDictionary<string, long>(System.StringComparer.Ordinal) { ["Count.Hit"] = own };
        for (int i = 0; i < names.Length; i++)
        {
            all[names[i]] = hits[i];
        }
        Trivial.AddTo(all);
        return all;
    }
}
