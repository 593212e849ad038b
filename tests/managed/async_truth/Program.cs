// SPDX-License-Identifier: MIT
// Async methods of every kind that know their own logical calls: from whom, how ended, how often suspended,
// how long. "async_truth ROUNDS ALIVE [collect]" prints them at its end. Without arguments it does what the
// lines of its input say, and answers each:
//   warm ROUNDS           calls that nobody asks for; those of Late.Old go on
//   work ROUNDS ALIVE     answers the calls made; first those of Late.Old end
//   queue CALLS           each waits for a thread of the pool for 20 ms
using System;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Program
{
    static int Main(string[] arguments)
    {
        if (arguments.Length > 0)
        {
            using var collects = arguments.Length > 2 ? new Collects() : null;
            string told = Work(int.Parse(arguments[0]), int.Parse(arguments[1]));
            Console.WriteLine("UMBRA-EXPECT " + told);
            return 0;
        }
        while (Console.ReadLine() is { } line)
        {
            string[] words = line.Split(' ');
            int count = int.Parse(words[1]);
            switch (words[0])
            {
                case "warm":
                    Work(count, 100);
#if !RUNTIME_ASYNC  // what the runtime has suspended before a capture goes on in code without probes
                    Late.Begin(3);
#endif
                    Console.WriteLine("{}");
                    break;
                case "work":
                    Console.WriteLine(Work(count, int.Parse(words[2])));
                    break;
                case "queue":
                    CallBook.Open();
                    Queue.Run(count);
                    Console.WriteLine(CallBook.Now.Told());
                    break;
            }
        }
        return 0;
    }

    static string Work(int rounds, int alive)
    {
        CallBook.Open();
        Late.End();
        Rounds.All(By.Nobody, rounds).Wait();
        if (alive > 0)
        {
            Many.All(By.Nobody, alive).Wait();
        }
        return CallBook.Now.Told();
    }
}

/// Collects without end, on a thread of its own.
sealed class Collects : IDisposable
{
    readonly Thread thread;
    volatile bool ends;

    public Collects()
    {
        thread = new Thread(() =>
        {
            while (!ends)
            {
                GC.Collect(0);
                Thread.Sleep(1);
                GC.Collect();
            }
        });
        thread.Start();
    }

    public void Dispose()
    {
        ends = true;
        thread.Join();
    }
}

static class Rounds
{
    public static async Task All(By by, int rounds)
    {
        Call me = by.Calls("Rounds.All");
        for (int i = 0; i < rounds; i++)
        {
            await me.On(One(me), "child Rounds.One");
        }
        me.Ends();
    }

    static async Task One(By by)
    {
        Call me = by.Calls("Rounds.One");
        await me.On(Chains.Run(me), "child Chains.Run");
        await me.On(Inline.Run(me), "child Inline.Run");
        await me.On(Values.Run(me), "child Values.Run");
        await me.On(Iterators.Run(me), "child Iterators.Run");
        await me.On(Faults.Run(me), "child Faults.Run");
        await me.On(Spawns.Run(me), "child Spawns.Run");
        await me.On(Loops.Run(me), "child Loops.Run");
        await me.On(Waits.Run(me), "child Waits.Run");
        await me.On(Contexts.Run(me), "child Contexts.Run");
        await me.On(Generics.Run(me), "child Generics.Run");
        await me.On(Parts.Run(me), "child Parts.Run");
        Roots.Run();
        Late.Never(me);
        me.Ends();
    }
}
