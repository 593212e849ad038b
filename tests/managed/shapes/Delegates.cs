// SPDX-License-Identifier: MIT
// Delegates, lambdas with and without a closure, local functions, function pointers, events.
using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Shapes;

static class Delegates
{
    const int Rounds = 10_000;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Add(int a, int b) => a + b;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Plain(int value)
    {
        Func<int, int> lambda = [MethodImpl(MethodImplOptions.NoInlining)] (x) => x + 1;
        return lambda(value);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Closing(int value)
    {
        int captured = value;
        Func<int, int> lambda = [MethodImpl(MethodImplOptions.NoInlining)] (x) => x + captured;
        return lambda(1) + lambda(2);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int WithLocal(int value)
    {
        return Local(value) + Local(1);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static int Local(int x) => 2 * x;
    }

    static event Action? Happened;

    static int seen;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void OnHappened() => seen++;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int ByReflection(int value) => value;

    public static unsafe void Run()
    {
        Func<int, int, int> add = Add;
        delegate*<int, int, int> pointer = &Add;
        long sum = 0;
        for (int i = 0; i < Rounds; i++)
        {
            sum += add(i, 1) - pointer(i, 1);
            sum += Plain(i) - i - 1;
            sum += Closing(i) - (2 * i + 3);
            sum += WithLocal(i) - (2 * i + 2);
        }
        Expect.Equal(sum, 0, "delegates");
        Expect.Calls("Delegates.Add", 2 * Rounds);
        Expect.Calls("Delegates.Plain", Rounds);
        Expect.Calls("Delegates.Closing", Rounds);
        Expect.Calls("Delegates.WithLocal", Rounds);
        Expect.Calls("Delegates.Plain.lambda", Rounds);
        Expect.Calls("Delegates.Closing.lambda", 2 * Rounds);
        Expect.Calls("Delegates.WithLocal.Local", 2 * Rounds);

        Happened += OnHappened;
        Happened += OnHappened;
        for (int i = 0; i < Rounds; i++)
        {
            Happened();
        }
        Expect.Equal(seen, 2 * Rounds, "events");
        Expect.Calls("Delegates.OnHappened", 2 * Rounds);

        MethodInfo method = typeof(Delegates).GetMethod(
            nameof(ByReflection), BindingFlags.NonPublic | BindingFlags.Static)!;
        for (int i = 0; i < Rounds; i++)
        {
            sum += (int)method.Invoke(null, new object[] { i })! - i;
        }
        Expect.Equal(sum, 0, "reflection");
        Expect.Calls("Delegates.ByReflection", Rounds);
    }
}
