// SPDX-License-Identifier: MIT
// A short method that blocks, called by a compiled expression as web frameworks make one for each
// endpoint. "lost CALLS" calls it; without an argument it does so for each line of its input.
using System;
using System.Linq.Expressions;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace Lost;

class Handler
{
    public string Token() => FetchAsync().GetAwaiter().GetResult();

    static async Task<string> FetchAsync()
    {
        await Task.Delay(2);
        return "token";
    }
}

static class Program
{
    static int Main(string[] arguments)
    {
        ParameterExpression parameter = Expression.Parameter(typeof(Handler));
        Func<Handler, string> compiled = Expression.Lambda<Func<Handler, string>>(
            Expression.Call(parameter, typeof(Handler).GetMethod("Token")!), parameter).Compile();
        var handler = new Handler();
        if (arguments.Length > 0)
        {
            int calls = int.Parse(arguments[0]);
            Serve(compiled, handler, calls);
            Expect.Calls("Handler.Token", calls);
            Expect.Calls("Handler.FetchAsync", 3 * calls);  // itself, and two runs
            Expect.Print();
            return 0;
        }
        long served = 0;
        while (Console.ReadLine() is { } line)
        {
            int calls = int.Parse(line.Substring(6));
            Serve(compiled, handler, calls);
            served += calls;
            Console.WriteLine($"{{\"Handler.Token\": {served}}}");
        }
        return 0;
    }

    static void Serve(Func<Handler, string> compiled, Handler handler, int calls)
    {
        for (int i = 0; i < calls; i++)
        {
            compiled(handler);
        }
    }
}
