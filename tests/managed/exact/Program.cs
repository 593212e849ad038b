// SPDX-License-Identifier: MIT
// Counts its own calls, method by method, hot and cold. "exact ROUNDS" prints them at its end; without
// an argument it does what the lines of its input say ("work ROUNDS") and answers the counts so far.
using System;
using System.Text;
using Umbra.Testing;

namespace Exact;

static class Program
{
    static int Main(string[] arguments)
    {
        if (arguments.Length > 0)
        {
            Work.Run(int.Parse(arguments[0]));
            foreach (var (method, calls) in Count.All())
            {
                Expect.Calls(method, calls);
            }
            Expect.Print();
            return 0;
        }
        while (Console.ReadLine() is { } line)
        {
            Work.Run(int.Parse(line.Substring(5)));
            var answer = new StringBuilder("{");
            foreach (var (method, calls) in Count.All())
            {
                answer.Append(answer.Length > 1 ? ", " : "").Append($"\"{method}\": {calls}");
            }
            Console.WriteLine(answer.Append('}').ToString());
        }
        return 0;
    }
}

static class Work
{
    static bool once;

    public static void Run(int rounds)
    {
        Count.Hit(0);
        if (!once && rounds > 0)
        {
            once = true;
            Cold.Once();
            Cold.Twice();
            Cold.Twice();
        }
        for (int i = 0; i < rounds; i++)
        {
            Round(i);
        }
    }

    static void Round(int i)
    {
        Count.Hit(1);
        Calls.Run(i);
        Kinds.Run(i);
        Later.Run(i);
        Tails.Run(i);
        Trivial.Run(i);
    }
}
