// SPDX-License-Identifier: MIT
// What is outside of the server: its customers, and the machines it asks.
using System.Diagnostics;

namespace Outside;

/// Sends queries. As in other drivers, a thread of its own takes the answers in, and whoever awaits one goes on
/// in the thread pool.
static class Driver
{
    static readonly PriorityQueue<TaskCompletionSource, long> Asked = new();

    static Driver() => new Thread(TakeAnswersIn) { IsBackground = true, Name = "driver" }.Start();

    public static Task Query(int milliseconds)
    {
        var answer = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (Asked)
        {
            // Environment.TickCount64 may move in steps of 4 ms.
            Asked.Enqueue(answer, Stopwatch.GetTimestamp() + milliseconds * Stopwatch.Frequency / 1000);
            Monitor.Pulse(Asked);
        }
        return answer.Task;
    }

    static void TakeAnswersIn()
    {
        lock (Asked)
        {
            while (true)
            {
                long now = Stopwatch.GetTimestamp();
                if (!Asked.TryPeek(out TaskCompletionSource? next, out long due))
                {
                    Monitor.Wait(Asked);
                }
                else if (due > now)
                {
                    Monitor.Wait(Asked, (int)Math.Ceiling(Stopwatch.GetElapsedTime(now, due).TotalMilliseconds));
                }
                else
                {
                    Asked.Dequeue();
                    next.SetResult();
                }
            }
        }
    }
}

/// Each has a thread of its own, so that the server's thread pool is left to the server.
static class Customers
{
    public static void Ask(string url)
    {
        using var client = new HttpClient { BaseAddress = new Uri(url) };
        Kind[] kinds = { new("basket", 3, 15), new("stock", 6, 15), new("invoice", 6, 20) };
        foreach (Kind kind in kinds)
        {
            Ask(client, kind, 0, 1);  // .NET compiles what an answer takes
            kind.Took.Clear();
        }
        Thread[] threads = kinds.SelectMany(kind => Enumerable.Range(1, kind.Customers).Select(
            customer => new Thread(() => Ask(client, kind, customer * 1000, kind.Requests)))).ToArray();
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        foreach (Kind kind in kinds)
        {
            kind.Took.Sort();
            Console.WriteLine($"/{kind.Path,-7} {kind.Took.Count,3} requests; half in " +
                              $"{kind.Took[kind.Took.Count / 2]:F0} ms, all in {kind.Took[^1]:F0} ms");
        }
    }

    static void Ask(HttpClient client, Kind kind, int first, int count)
    {
        for (int number = first; number < first + count; ++number)
        {
            long begin = Stopwatch.GetTimestamp();
            using var request = new HttpRequestMessage(HttpMethod.Get, $"{kind.Path}/{number}");
            using HttpResponseMessage answer = client.Send(request);
            using var text = new StreamReader(answer.EnsureSuccessStatusCode().Content.ReadAsStream());
            text.ReadToEnd();
            lock (kind.Took)
            {
                kind.Took.Add(Stopwatch.GetElapsedTime(begin).TotalMilliseconds);
            }
        }
    }

    /// What some customers ask for, each so many times.
    record Kind(string Path, int Customers, int Requests)
    {
        public readonly List<double> Took = new();
    }
}
