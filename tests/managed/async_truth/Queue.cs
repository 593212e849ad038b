// SPDX-License-Identifier: MIT
// Calls that are ready while the pool has no thread for them, for a time that the program knows.
using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Queue
{
    /// All threads of the pool, until Dispose.
    sealed class Busy : IDisposable
    {
        readonly ManualResetEventSlim ends = new();
        readonly CountdownEvent begun, ended;

        public Busy(int threads)
        {
            (begun, ended) = (new CountdownEvent(threads), new CountdownEvent(threads));
            for (int i = 0; i < threads; i++)
            {
                ThreadPool.UnsafeQueueUserWorkItem(_ =>
                {
                    begun.Signal();
                    ends.Wait();
                    ended.Signal();
                }, null);
            }
            begun.Wait();
        }

        public void Dispose()
        {
            ends.Set();
            ended.Wait();
        }
    }

    public static void Run(int calls)
    {
        ThreadPool.GetMinThreads(out int least, out int least_io);
        ThreadPool.GetMaxThreads(out int most, out int most_io);
        int threads = Environment.ProcessorCount;
        ThreadPool.SetMinThreads(threads, least_io);
        if (!ThreadPool.SetMaxThreads(threads, most_io))
        {
            throw new InvalidOperationException("the pool's threads cannot be counted");
        }
        for (int i = 0; i < calls; i++)
        {
            var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Task waits = Waits(By.Nobody, gate.Task);
            Task asks = Asks(By.Nobody, gate.Task);
            using (new Busy(threads))
            {
                Thread.Sleep(5);
                readied_before = Stopwatch.GetTimestamp();
                gate.SetResult();
                readied_after = Stopwatch.GetTimestamp();
                Thread.Sleep(20);
            }
            Task.WaitAll(waits, asks);
        }
        ThreadPool.SetMaxThreads(most, most_io);
        ThreadPool.SetMinThreads(least, least_io);
    }

    static long readied_before, readied_after;

    static async Task Waits(By by, Task gate)
    {
        Call me = by.Calls("Queue.Waits");
        me.Awaits("outside Task");
        await gate;
        me.Queued(readied_before, readied_after);
        me.Runs(100);
        me.Ends();
    }

    /// Ready when its callee is, and no sooner: that it is handed on at once is no queue.
    static async Task Asks(By by, Task gate)
    {
        Call me = by.Calls("Queue.Asks");
        me.Awaits("child Queue.Answers");
        await Answers(me, gate);
        me.Ends();
    }

    static async Task Answers(By by, Task gate)
    {
        Call me = by.Calls("Queue.Answers");
        me.Awaits("outside Task");
        await gate;
        me.Queued(readied_before, readied_after);
        me.Ends();
    }
}
