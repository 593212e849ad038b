// SPDX-License-Identifier: MIT
// Lambdas, local functions and iterators, which compilers move into methods and types of their own.
using System;
using System.Collections.Generic;

namespace Lines;

static class Closures
{
    public static void Run()
    {
        Lambdas(2);
        Locals(4);
        foreach (int _ in CountTo(2)) { }
        foreach (int _ in Nested(2)) { }
        new Wide<int>().Wrap(1L);
    }

    static void Lambdas(int n)
    {
        Func<int, int> plain = a => a + 1;  //@ lambda: Lines.Closures.Lambdas.lambda(int)
        Func<int, int> block = a =>
        {
            return a + 2;  //@{ lambda with a block: Lines.Closures.Lambdas.lambda#1(int)
        };
        Func<int, int> captures =
            a => a + n;  //@ lambda that captures a variable: Lines.Closures.Lambdas.lambda#2(int)
        Func<int, Func<int, int>> outer = a =>  // the inner one begins below
            b => a + b;  //@ lambda in a lambda: Lines.Closures.Lambdas.lambda#3(int); Lines.Closures.Lambdas.lambda#5(int)
        Func<int> anonymous = delegate
        {
            return 1;  //@{ anonymous method: Lines.Closures.Lambdas.lambda#4()
        };
        plain(block(captures(outer(1)(2)) + anonymous()));
    }

    static int Locals(int start)
    {
        return Twice(Shift(1));

        static int Twice(int n) => 2 * n;  //@ local function: Lines.Closures.Locals.Twice(int)

        int Shift(int n)
        {
            return n + start;  //@{ local function that captures a variable: Lines.Closures.Locals.Shift(int)
        }
    }

    static IEnumerable<int> CountTo(int last)
    {
        for (int i = 1; i <= last; ++i)  //@{ iterator, and what is made up for it: Lines.Closures.CountTo(int); Lines.Closures.CountTo.new(int)
        {
            yield return i;
        }
    }

    static IEnumerable<int> Nested(int last)
    {
        return Steps(last);
        static IEnumerable<int> Steps(int n)
        {
            yield return n;  //@{ iterator as a local function: Lines.Closures.Nested.Steps(int)
        }
    }
}

class Wide<T>
{
    readonly Func<T, T> same = n => n;  //@ lambda of a field: Lines.Wide<int>.Wide.lambda(int)

    public void Wrap<U>(U one)
    {
        Func<U, string> show = u => $"{u}";  //@ lambda in a generic method: Lines.Wide<int>.Wrap<long>.lambda(long)
        show(one);
        same(default!);
    }
}
