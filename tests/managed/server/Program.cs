// SPDX-License-Identifier: MIT
// A web server and what puts load on it, in one program:
//   server serve                          Kestrel on a free port of the loopback; prints the port
//   server serve levels                   the same, whose requests all await (Levels.cs)
//   server serve basket                   the same, whose requests make many small calls (Basket.cs)
//   server load PORT CONNECTIONS          closed loop; takes orders on its standard input
// Both end when their standard input does.
//   server tail REQUESTS CONNECTIONS CALLS    a server with some slow requests, and its load (Tail.cs)
using System;
using System.Threading.Tasks;

namespace Server;

static class Program
{
    static async Task<int> Main(string[] args)
    {
        switch (args)
        {
            case ["serve"]:
                await Site.Serve(Site.Answer);
                return 0;
            case ["serve", "levels"]:
                await Site.Serve(Levels.Answer);
                return 0;
            case ["serve", "basket"]:
                await Site.Serve(Basket.Answer);
                return 0;
            case ["load", var port, var connections]:
                await Load.Run(int.Parse(port), int.Parse(connections));
                return 0;
            case ["tail", var requests, var connections, var extra]:
                await Tail.Shop.Run(int.Parse(requests), int.Parse(connections), int.Parse(extra));
                return 0;
            default:
                Console.Error.WriteLine(
                    "server serve [levels|basket] | server load PORT CONNECTIONS | server tail REQUESTS CONNECTIONS CALLS");
                return 2;
        }
    }
}
