// SPDX-License-Identifier: MIT
// Methods in pieces, and other threads: each run of a state machine is a call of its method.
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Exact;

static class Later
{
    static TaskCompletionSource step = new();

    public static void Run(int i)
    {
        Count.Hit(46);
        int sum = 0;
        // The methods themselves are made by the compiler and cannot count.
        Count.Hit(47);
        foreach (int value in CountTo(3)) sum += value;
        Count.Hit(48);
        Task<int> fetched = Fetch(i);
        for (int k = 0; k < 2; k++)
        {
            TaskCompletionSource now = step;
            step = new TaskCompletionSource();
            now.SetResult();  // goes on here, on this thread
        }
        Count.Hit(49);
        Count.Hit(50);
        Count.Hit(51);
        sum += fetched.Result + Quick(i).Result + Value(i).Result;
        foreach (int value in Stream(2)) sum += value;
        if (i % 50 == 0) Threads();
        int seen = 0;
        Closed(() => seen += i);
    }

    // A run for each element, and the last one.
    static IEnumerable<int> CountTo(int n)
    {
        Count.Hit(47);
        for (int i = 0; i < n; i++) { yield return i; Count.Hit(47); }
    }

    static async Task<int> Fetch(int i)
    {
        Count.Hit(48);
        await step.Task;
        Count.Hit(48);
        await step.Task;
        Count.Hit(48);
        return i;
    }

    static async Task<int> Quick(int i) { Count.Hit(49); await Task.CompletedTask; return i; }
    static async ValueTask<int> Value(int i) { Count.Hit(50); await default(ValueTask); return i; }

    static IEnumerable<int> Stream(int n)
    {
        Count.Hit(51);
        yield return n;
        Count.Hit(51);
        yield return n;
        Count.Hit(51);
    }

    static void Threads()
    {
        Count.Hit(53);
        var thread = new Thread(InThread);
        thread.Start(1);
        thread.Join();
    }

    static void InThread(object? of) { Count.Hit(54); }

    static void Closed(System.Action then) { Count.Hit(55); then(); }
}
