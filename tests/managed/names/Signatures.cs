// SPDX-License-Identifier: MIT
// Parameters of every kind.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Names;

static unsafe class Signatures
{
    public static void Run()
    {
        int one = 1;
        ByRef(ref one);
        ByOut(out one);
        ByIn(in one);
        ByRefReadOnly(in one);
        Params(1, "a", 2);
        ParamsSpan(1, 2);
        Pointers(&one, null);
        Call(&Increment, 1);
        Native((delegate* unmanaged[Cdecl]<int, void>)null);
        Arrays([[1]], new int[1, 1][]);
        Tuples((1, "a"), ((1, 2), 3));
        Long((1, 2, 3, 4, 5, 6, 7, 8));
        Nullables(1, null);
        Generic(new Dictionary<string, List<int[]>>(), _ => null);
        Nested(new Outer<int>.Inner<string>());
        Dynamic(1, 2);
        Spans("a", [1]);
        _ = ByRefResult(ref one);
    }

    //= ref parameter
    //: 1 Names.Signatures.ByRef(ref int)
    static void ByRef(ref int n) => n = 2;

    //= out parameter
    //: 1 Names.Signatures.ByOut(out int)
    static void ByOut(out int n) => n = 2;

    //= in parameter
    //: 1 Names.Signatures.ByIn(in int)
    static void ByIn(in int n) { }

    //= ref readonly parameter
    //: 1 Names.Signatures.ByRefReadOnly(ref readonly int)
    static void ByRefReadOnly(ref readonly int n) { }

    //= params array
    //: 1 Names.Signatures.Params(int, params object[])
    static void Params(int n, params object[] more) { }

    //= params collection
    //: 1 Names.Signatures.ParamsSpan(params ReadOnlySpan<int>)
    static void ParamsSpan(params ReadOnlySpan<int> more) { }

    //= pointers
    //: 1 Names.Signatures.Pointers(int*, void**)
    static void Pointers(int* one, void** two) { }

    //= function pointer
    //: 1 Names.Signatures.Call(delegate*<int, int>, int)
    //: 1 Names.Signatures.Increment(int)
    static int Call(delegate*<int, int> what, int n) => what(n);
    static int Increment(int n) => n + 1;

    //= function pointer of native code
    //: 1 Names.Signatures.Native(delegate* unmanaged<int, void>)
    static void Native(delegate* unmanaged[Cdecl]<int, void> what) { }

    //= arrays of arrays
    //: 1 Names.Signatures.Arrays(int[][], int[,][])
    static void Arrays(int[][] one, int[,][] two) { }

    //= tuples
    //: 1 Names.Signatures.Tuples((int, string), ((int, int), int))
    static void Tuples((int Number, string Name) one, ((int, int), int) two) { }

    //= tuple of more than seven
    //: 1 Names.Signatures.Long((int, int, int, int, int, int, int, int))
    static void Long((int, int, int, int, int, int, int, int) many) { }

    //= nullable value, nullable reference (the same type at run time)
    //: 1 Names.Signatures.Nullables(int?, string)
    static void Nullables(int? one, string? two) { }

    //= generic types of generic types
    //: 1 Names.Signatures.Generic(Dictionary<string, List<int[]>>, Func<int, Task<int>>)
    static void Generic(Dictionary<string, List<int[]>> one, Func<int, Task<int>?> two) => two(1);

    //= nested generic type as a parameter
    //: 1 Names.Signatures.Nested(Outer<int>.Inner<string>)
    static void Nested(Outer<int>.Inner<string> inner) { }

    //= dynamic and native integers
    //: 1 Names.Signatures.Dynamic(object, nint)
    static void Dynamic(dynamic one, nint two) { }

    //= spans
    //: 1 Names.Signatures.Spans(ReadOnlySpan<char>, Span<int>)
    static void Spans(ReadOnlySpan<char> text, Span<int> numbers) { }

    //= ref result
    //: 1 Names.Signatures.ByRefResult(ref int)
    static ref int ByRefResult(ref int n) => ref n;
}
