// SPDX-License-Identifier: MIT
// Generic types and methods: value instantiations have code of their own, references share one.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Shapes;

class Box<T>
{
    T value = default!;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Put(T item) => value = item;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public T Take() => value;

    public class Lid<U>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public U Close(T under, U over) => over;
    }
}

static class Generics
{
    const int Rounds = 10_000;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static T Same<T>(T value) => value;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Compare<T>(T a, T b) where T : IComparable<T> => a.CompareTo(b);

    public static void Run()
    {
        Fill(new Box<int>(), 7);
        Fill(new Box<double>(), 2.5);
        Fill(new Box<Point>(), new Point(1, 1));
        Fill(new Box<string>(), "text");
        Fill(new Box<object>(), new object());
        Expect.Calls("Point.Point", 1);
        Counted("Box<{0}>.Put", Rounds);
        Counted("Box<{0}>.Take", Rounds);

        int order = 0;
        for (int i = 0; i < Rounds; i++)
        {
            order += Same(i) - i;
            order += Same("x").Length - 1;
            order += Compare(i, i + 1) + Compare("b", "a");
        }
        Expect.Equal(order, 0, "generic methods");
        Expect.Calls("Generics.Same<int>", Rounds);
        Expect.Calls("Generics.Same<T>", Rounds);
        Expect.Calls("Generics.Compare<int>", Rounds);
        Expect.Calls("Generics.Compare<T>", Rounds);

        var values = new Box<int>.Lid<double>();
        var references = new Box<string>.Lid<object>();
        for (int i = 0; i < Rounds; i++)
        {
            Expect.Equal(values.Close(i, 0.5), 0.5, "nested generic");
            Expect.Equal(references.Close("under", "over"), "over", "nested generic");
        }
        Expect.Calls("Box<int>.Lid<double>.Close", Rounds);
        Expect.Calls("Box<T>.Lid<U>.Close", Rounds);
    }

    static void Fill<T>(Box<T> box, T value)
    {
        for (int i = 0; i < Rounds; i++)
        {
            box.Put(value);
            Expect.Equal(EqualityComparer<T>.Default.Equals(box.Take(), value), true, "box");
        }
    }

    static void Counted(string pattern, long rounds)
    {
        foreach (string argument in new[] { "int", "double", "Point" })
        {
            Expect.Calls(string.Format(pattern, argument), rounds);
        }
        // Box<string> and Box<object> run the same code.
        Expect.Calls(string.Format(pattern, "T"), 2 * rounds);
    }
}
