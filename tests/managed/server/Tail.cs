// SPDX-License-Identifier: MIT
// Requests of which one in 5,000 is slow, for one of three reasons in turn: a lock that another
// thread holds, a garbage collection, calls that others do not make. The load runs in the same
// process: tail REQUESTS CONNECTIONS EXTRA-CALLS.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net.Http;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Tail;

static class Reasons
{
    public const int Every = 5_000;
    public const int Lock = 0, Collection = 1, Calls = 2, Kinds = 3;

    /// -1: the request is as all others.
    public static int Of(int request) => request % Every == Every - 1 ? request / Every % Kinds : -1;
}

static class Orders
{
    public static async Task Answer(HttpContext context)
    {
        int request = int.Parse(context.Request.Query["id"]!);
        await Task.Yield();
        await context.Response.WriteAsync(Handle(request).ToString());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Handle(int request)
    {
        long sum = Stock.Reserve(request);
        sum += Invoices.Print(request);
        return sum + Prices.Total(request);
    }
}

static class Stock
{
    static readonly object Shelf = new();
    static readonly SemaphoreSlim Wanted = new(0), Held = new(0);
    static long reserved;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Reserve(int request)
    {
        lock (Shelf)
        {
            return reserved += request & 7;
        }
    }

    /// Returns when the shelf is held by another thread, which will let it go by itself.
    public static void HaveItHeld()
    {
        Wanted.Release();
        Held.Wait();
    }

    public static void Hold(object? milliseconds)
    {
        for (;;)
        {
            Wanted.Wait();
            lock (Shelf)
            {
                Held.Release();
                Thread.Sleep((int)milliseconds!);
            }
        }
    }
}

static class Invoices
{
    static readonly List<byte[]> Archive = new();

    public static void Fill()
    {
        for (int i = 0; i < 400_000; ++i)
        {
            Archive.Add(new byte[100]);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Print(int request)
    {
        if (Reasons.Of(request) == Reasons.Collection)
        {
            Recycle();
        }
        return Archive.Count;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Recycle()
    {
        for (int i = 0; i < 3; ++i)
        {
            GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: true);
        }
    }
}

static class Prices
{
    public static int Extra;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Total(int request)
    {
        int items = Reasons.Of(request) == Reasons.Calls ? Extra : 3;
        long sum = 0;
        for (int item = 0; item < items; ++item)
        {
            sum += Of(item);
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Of(int item) => item * 7 % 13;
}

static class Shop
{
    public static async Task Run(int requests, int connections, int extra)
    {
        Prices.Extra = extra;
        Invoices.Fill();
        new Thread(Stock.Hold) { IsBackground = true, Name = "shelf" }.Start(250);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        WebApplication app = builder.Build();
        app.Run(Orders.Answer);
        await app.StartAsync();
        string address = "";
        foreach (string one in app.Services.GetRequiredService<IServer>().Features
                     .Get<IServerAddressesFeature>()!.Addresses)
        {
            address = one;
        }
        await Ask(address, 3 * connections, connections);  // what starts up is no request's time
        var watch = Stopwatch.StartNew();
        await Ask(address, requests, connections);
        Console.WriteLine($"{requests} requests in {watch.Elapsed.TotalSeconds:F3} s");
        await app.StopAsync();
    }

    static async Task Ask(string address, int requests, int connections)
    {
        using var client = new HttpClient();
        int next = -1;
        var workers = new List<Task>();
        for (int connection = 0; connection < connections; ++connection)
        {
            workers.Add(Task.Run(async () =>
            {
                for (int request; (request = Interlocked.Increment(ref next)) < requests;)
                {
                    if (Reasons.Of(request) == Reasons.Lock)
                    {
                        Stock.HaveItHeld();
                    }
                    await client.GetStringAsync($"{address}/?id={request}");
                }
            }));
        }
        await Task.WhenAll(workers);
    }
}
