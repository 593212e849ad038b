// SPDX-License-Identifier: MIT
// Lambdas, local functions, iterators.
using System;
using System.Collections;
using System.Collections.Generic;

namespace Names;

static class Functions
{
    public static void Run()
    {
        Lambdas();
        Forms(2);
        new Counter(3).Add(2);
        new Wide<int>().Wrap(1L, 1);
        Locals(4);
        foreach (int _ in CountTo(2)) { }
        foreach (int _ in UpTo(2)) { }
        foreach (string _ in new Shelf<string>(["a"])) { }
        foreach (int _ in LocalIterator()) { }
    }

    static void Lambdas()
    {
        //= lambda
        //: 3 Names.Functions.Lambdas.lambda(int)
        Func<int, int> plain = n => n + 1;  //@ lambda: Names.Functions.Lambdas.lambda(int)
        plain(plain(plain(0)));

        //= lambda in a lambda: both are numbered as lambdas of the method
        //: 2 Names.Functions.Lambdas.lambda#1(int)
        //: 4 Names.Functions.Lambdas.lambda#3(int)
        Func<int, Func<int, int>> nested = a =>  // the inner one begins below
            b => a + b;  //@ lambda in a lambda: Names.Functions.Lambdas.lambda#1(int); Names.Functions.Lambdas.lambda#3(int)
        for (int i = 0; i < 2; ++i)
        {
            Func<int, int> inner = nested(i);
            inner(inner(1));
        }

        //= lambda with an optional parameter
        //: 1 Names.Functions.Lambdas.lambda#2(int, int)
        var optional = (int a, int b = 2) => { return a * b; };
        optional(1);
    }

    static void Forms(int n)
    {
        Func<int, int> block = a =>
        {
            return a + 2;  //@{ lambda with a block: Names.Functions.Forms.lambda(int)
        };
        Func<int, int> captures =
            a => a + n;  //@ lambda that captures a variable: Names.Functions.Forms.lambda#1(int)
        Func<int> anonymous = delegate
        {
            return 1;  //@{ anonymous method: Names.Functions.Forms.lambda#2()
        };
        block(captures(anonymous()));
    }

    static void Locals(int start)
    {
        //= local function
        //: 2 Names.Functions.Locals.Twice(int)
        static int Twice(int n) => 2 * n;  //@ local function: Names.Functions.Locals.Twice(int)

        //= local function that captures a parameter
        //: 1 Names.Functions.Locals.Shift(int)
        int Shift(int n)
        {
            return n + start;  //@{ local function that captures a variable: Names.Functions.Locals.Shift(int)
        }

        //= local function in a local function: both are local functions of the method
        //: 1 Names.Functions.Locals.Outer(int)
        //: 1 Names.Functions.Locals.Inner(int)
        static int Outer(int n)
        {
            return Inner(n) + 1;
            static int Inner(int m) => m * m;
        }

        Twice(Twice(Shift(Outer(1))));
    }

    //= iterator
    //: 1 Names.Functions.CountTo(int)
    //= finally block of an iterator
    //: 1 Names.Functions.CountTo.finally()
    static IEnumerable<int> CountTo(int last)
    {
        try
        {
            for (int i = 1; i <= last; ++i)
            {
                yield return i;
            }
        }
        finally
        {
            Finished();
        }
    }

    static void Finished() { }

    static IEnumerable<int> UpTo(int last)
    {
        for (int i = 1; i <= last; ++i)  //@{ iterator, and what is made up for it: Names.Functions.UpTo(int); Names.Functions.UpTo.new(int)
        {
            yield return i;
        }
    }

    //= iterator as a local function
    //: 1 Names.Functions.LocalIterator.Steps(int)
    static IEnumerable<int> LocalIterator()
    {
        return Steps(2);
        static IEnumerable<int> Steps(int n)
        {
            yield return n;  //@{ iterator as a local function: Names.Functions.LocalIterator.Steps(int)
        }
    }
}

class Counter(int start)
{
    readonly int step = 1;

    //= lambda that captures `this` alone
    //: 2 Names.Counter.Add.lambda(int)
    //= local function, and a lambda in it that captures `this` and a variable
    //: 1 Names.Counter.Add.both(Func<int, int>, int)
    //: 1 Names.Counter.Add.lambda#2(int)
    //= the object that holds captured variables: its method is not told
    //: 1 Names.Counter.closure.new()
    public int Add(int times)
    {
        Func<int, int> alone = n => n + step + start;
        return both(alone, times);

        int both(Func<int, int> first, int more)
        {
            Func<int, int> second = n => n + more + step;
            return first(first(second(1)));
        }
    }
}

class Wide<T>
{
    readonly Func<T, T> same = n => n;  //@ lambda of a field: Names.Wide<int>.Wide.lambda(int)

    //= lambda in a generic method of a generic class
    //: 1 Names.Wide<int>.Wrap<long>.lambda(long)
    //= generic local function in a generic method
    //: 1 Names.Wide<int>.Wrap<long>.Pair<long, double>(long, double)
    public void Wrap<U>(U one, T two)
    {
        Func<U, string> show = u => $"{u}";  //@ lambda in a generic method: Names.Wide<int>.Wrap<long>.lambda(long)
        same(two);
        Pair(show(one) is { } ? one : one, 2.0);
        static (A, V) Pair<A, V>(A a, V v) => (a, v);
    }
}

//= iterator that implements an interface explicitly, in a generic class with a primary constructor
//: 1 Names.Shelf<T>.IEnumerable<T>.GetEnumerator()
//: 1 Names.Shelf<T>.Shelf(T[])
class Shelf<T>(T[] items) : IEnumerable<T>
{
    IEnumerator<T> IEnumerable<T>.GetEnumerator()
    {
        foreach (T item in items)
        {
            yield return item;
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => throw new NotSupportedException();
}
