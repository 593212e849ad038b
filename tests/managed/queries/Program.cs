// SPDX-License-Identifier: MIT
// Requests that await two queries each, one of which may take longer: queries [MILLISECONDS] [REQUESTS].
using System;
using System.Linq;
using System.Threading.Tasks;

namespace Queries;

static class Program
{
    const int Clients = 8;
    const int Usual = 20;

    static async Task<int> Steady(int id)
    {
        await Task.Delay(Usual);
        return id;
    }

    static async Task<int> Changed(int id, int milliseconds)
    {
        await Task.Delay(milliseconds);
        return id;
    }

    static async Task<int> Handle(int id, int milliseconds) =>
        await Steady(id) + await Changed(id, milliseconds);

    static async Task Client(int requests, int milliseconds)
    {
        for (int i = 0; i < requests; i++)
        {
            await Handle(i, milliseconds);
        }
    }

    static async Task<int> Main(string[] args)
    {
        int milliseconds = args.Length > 0 ? int.Parse(args[0]) : Usual;
        int requests = args.Length > 1 ? int.Parse(args[1]) : 10;
        await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => Client(requests, milliseconds)));
        Console.WriteLine($"requests {Clients * requests}");
        return 0;
    }
}
