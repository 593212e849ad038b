// SPDX-License-Identifier: MIT
// Iterators: a call that makes the state machine, and one MoveNext a step and one for the end.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Shapes;

static class Iterators
{
    const int Steps = 5_000;

    static IEnumerable<int> CountTo(int limit)
    {
        for (int i = 1; i <= limit; i++)
        {
            yield return Squared(i);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Squared(long value) => value * value;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Squared(int value) => value % 1000 * (value % 1000);

    static IEnumerable<int> Even(IEnumerable<int> values)
    {
        foreach (int value in values)
        {
            if (value % 2 == 0)
            {
                yield return value;
            }
        }
    }

    public static void Run()
    {
        int found = 0;
        foreach (int _ in Even(CountTo(Steps)))
        {
            found++;
        }
        Expect.Equal(found, Steps / 2, "iterators");
        Expect.Equal(Squared(3L), 9L, "overloads");
        // The method itself, and its state machine's MoveNext under the same name.
        Expect.Calls("Iterators.CountTo", 1 + Steps + 1);
        Expect.Calls("Iterators.Even", 1 + Steps / 2 + 1);
        Expect.Calls("Iterators.Squared", Steps + 1);
    }
}
