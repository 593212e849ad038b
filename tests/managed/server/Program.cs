// SPDX-License-Identifier: MIT
// A web server and what puts load on it, in one program:
//   server serve                          Kestrel on a free port of the loopback; prints the port
//   server load PORT CONNECTIONS [PATH]   closed loop; takes orders on its standard input
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
                await Site.Serve();
                return 0;
            case ["load", var port, var connections, .. var only]:
                await Load.Run(int.Parse(port), int.Parse(connections), only);
                return 0;
            case ["tail", var requests, var connections, var extra]:
                await Tail.Shop.Run(int.Parse(requests), int.Parse(connections), int.Parse(extra));
                return 0;
            default:
                Console.Error.WriteLine(
                    "server serve | server load PORT CONNECTIONS [PATH] | server tail REQUESTS CONNECTIONS CALLS");
                return 2;
        }
    }
}
