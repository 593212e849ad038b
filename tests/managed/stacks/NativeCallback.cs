// SPDX-License-Identifier: MIT
// Calls from native code: a thread the runtime has never seen, and a sort that calls back.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Umbra.Testing;

namespace Stacks;

static unsafe class NativeCallback
{
    const int ThreadCount = 20;

    public const string ThreadTree = """
        NativeCallback.Entry 20
          NativeCallback.Work 2000
            NativeCallback.Leaf 2000
        """;

    public const string BackTree = """
        NativeCallback.Back 30
          NativeCallback.Work 30
            NativeCallback.Leaf 30
        """;

    static int entered;

    [DllImport("libc")]
    static extern int pthread_create(nint* thread, nint attributes,
                                     delegate* unmanaged<nint, nint> start, nint argument);

    [DllImport("libc")]
    static extern int pthread_join(nint thread, nint* result);

    [DllImport("libc")]
    static extern nint bsearch(int* key, int* items, nint count, nint size,
                               delegate* unmanaged<int*, int*, int> compare);

    [UnmanagedCallersOnly]
    static nint Entry(nint argument)
    {
        int sum = 0;
        for (int i = 0; i < 100; i++)
        {
            sum += Work(i);
        }
        System.Threading.Interlocked.Add(ref entered, sum);
        return argument + 1;
    }

    /// Called back on a thread that is inside a managed call already.
    [UnmanagedCallersOnly]
    static int Back(int* key, int* item) => Work(*item) == 1 ? *key - *item : 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Work(int i) => Leaf(i);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Leaf(int i) => i >= 0 ? 1 : 0;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static nint Find(int* key, int* items) => bsearch(key, items, 1, sizeof(int), &Back);

    public static void RunAll()
    {
        for (int i = 0; i < ThreadCount; i++)
        {
            nint thread, result;
            Expect.Equal(pthread_create(&thread, 0, &Entry, i), 0, "pthread_create");
            Expect.Equal(pthread_join(thread, &result), 0, "pthread_join");
            Expect.Equal(result, i + 1, "result of a native thread");
        }
        Expect.Equal(entered, 100 * ThreadCount, "work on native threads");
        Expect.Tree(ThreadTree);
        for (int i = 0; i < 30; i++)
        {
            int key = i, item = i;
            Expect.Equal(Find(&key, &item), (nint)(&item), "bsearch");
        }
        Expect.Tree(BackTree);
    }
}
