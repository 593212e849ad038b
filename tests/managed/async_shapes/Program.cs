// SPDX-License-Identifier: MIT
// Ten shapes of async code: what each call takes by the program's own stopwatch, to be compared with umbra.
//   async_shapes ROUNDS     so many requests of each shape; prints what they took when Main has ended
//   async_shapes            takes orders on its standard input, until that ends; each is answered by a line:
//     work ROUNDS           what these took
//     inside ROUNDS         the same of exports alone; the program goes on inside the last step of the last one
//     blocks ROUNDS         the same of a method that blocks for what works on another thread
using System;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncShapes;

static class Program
{
    static readonly Meter main = Meter.Of("Program.Main");

    static async Task<int> Main(string[] args)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), main);
        if (args is [string rounds])
        {
            AppDomain.CurrentDomain.ProcessExit += (_, _) => Console.WriteLine("UMBRA-EXPECT " + Meter.Told());
            await Work(int.Parse(rounds));
            return 0;
        }
        while (Console.ReadLine() is string line)
        {
            Meter.Clear();
            string[] words = line.Split(' ');
            int count = int.Parse(words[1]);
            switch (words[0])
            {
                case "work":
                    await Work(count);
                    await Task.Yield();  // on a stack of its own
                    break;
                case "inside":
                    await InTurn(count, Exports.ExportAsync);
                    break;
                case "blocks":
                    await InTurn(count, number => Task.Run(() => Legacy.Sum(number)));
                    break;
            }
            Console.WriteLine(Meter.Told());
        }
        return 0;
    }

    /// All shapes at once, the requests of each in turn.
    static Task Work(int rounds) => Task.WhenAll(
        InTurn(rounds, Orders.PlaceAsync), InTurn(rounds, Quotes.QuoteAsync), InTurn(rounds, Prices.PriceAsync),
        InTurn(rounds, Exports.ExportAsync), InTurn(rounds, Reports.RenderAsync), InTurn(rounds, Shipping.ShipAsync),
        InTurn(rounds / Packing.AtOnce, ManyPack), InTurn(rounds, Blocks), InTurn(rounds, Baskets.ShowAsync));

    static async Task InTurn(int rounds, Func<int, Task<int>> request)
    {
        for (int i = 0; i < rounds; i++)
        {
            Expect.Equal(await request(i), i, request.Method.Name);
        }
    }

    static async Task<int> ManyPack(int number)
    {
        await Task.WhenAll(Enumerable.Range(0, Packing.AtOnce).Select(Packing.PackAsync));
        return number;
    }

    static Task<int> Blocks(int number) => Task.Run(() => Legacy.Load(number));
}
