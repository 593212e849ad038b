// SPDX-License-Identifier: MIT
// What async calls cost the thread that makes them (benchmarks/async/calls.py).
//
//   suspends never ROUNDS     calls that never suspend
//   suspends always ROUNDS    suspensions of one call; what goes on does so at once, on the same thread
//   suspends live CALLS       so many calls that wait at once; goes on when a line has been read
//
// Prints the nanoseconds of one call, or suspension, in the median of rounds. Between two rounds it rests, so that no
// ring is full.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Suspends;

/// <summary>Suspends whoever awaits it, until somebody lets it go on.</summary>
sealed class Gate : ICriticalNotifyCompletion
{
    Action next = () => { };

    public bool IsCompleted => false;

    public Gate GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => next = continuation;

    public void UnsafeOnCompleted(Action continuation) => next = continuation;

    public void Open() => next();
}

static class Program
{
    const int Calls = 10_000;
    const int WarmRounds = 30;

    static async ValueTask<int> Never(int number)
    {
        await Task.CompletedTask;
        return number;
    }

    static int CallNever()
    {
        int sum = 0;
        for (int i = 0; i < Calls; ++i)
        {
            sum += Never(i).Result;
        }
        return sum;
    }

    static async Task Always(Gate gate)
    {
        for (int i = 0; i < Calls; ++i)
        {
            await gate;
        }
    }

    static int SuspendAlways()
    {
        var gate = new Gate();
        Task all = Always(gate);
        for (int i = 0; i < Calls; ++i)
        {
            gate.Open();
        }
        return all.IsCompletedSuccessfully ? 0 : throw new InvalidOperationException("it still waits");
    }

    static async Task Wait(Task end) => await end;

    static void Live(int calls)
    {
        var end = new TaskCompletionSource();
        var all = new Task[calls];
        for (int i = 0; i < calls; ++i)
        {
            all[i] = Wait(end.Task);
        }
        Console.WriteLine($"live {calls}");
        Console.ReadLine();
        end.SetResult();
        Task.WaitAll(all);
    }

    static double MedianNs(int rounds, Func<int> round)
    {
        var times = new List<double>();
        for (int i = 0; i < WarmRounds + rounds; ++i)
        {
            long begin = Stopwatch.GetTimestamp();
            round();
            times.Add(Stopwatch.GetElapsedTime(begin).TotalNanoseconds / Calls);
            Thread.Sleep(20);
        }
        List<double> measured = times[WarmRounds..];
        measured.Sort();
        return measured[measured.Count / 2];
    }

    static void Main(string[] arguments)
    {
        int number = int.Parse(arguments[1]);
        switch (arguments[0])
        {
            case "never":
                Console.WriteLine($"ns {MedianNs(number, CallNever):F2}");
                break;
            case "always":
                Console.WriteLine($"ns {MedianNs(number, SuspendAlways):F2}");
                break;
            case "live":
                Live(number);
                break;
        }
    }
}
