// SPDX-License-Identifier: MIT
// Shapes of async code as services have them, each a request that measures itself.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace AsyncShapes;

static class Cpu
{
    /// Milliseconds on this thread.
    public static void Burn(int milliseconds)
    {
        long end = Stopwatch.GetTimestamp() + milliseconds * (Stopwatch.Frequency / 1000);
        while (Stopwatch.GetTimestamp() < end)
        {
        }
    }
}

/// What each request needs from elsewhere.
static class Db
{
    static readonly Meter query = Meter.Of("Db.QueryAsync");

    public static async Task<int> QueryAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), query);
        await Task.Delay(22);
        return number;
    }
}

/// One after the other: a query, a call, and some work of its own.
static class Orders
{
    static readonly Meter place = Meter.Of("Orders.PlaceAsync");
    static readonly Meter ask = Meter.Of("Orders.AskAsync");

    public static async Task<int> PlaceAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), place);
        int order = await Db.QueryAsync(number);
        int rate = await AskAsync();
        Cpu.Burn(3);
        return order + rate;
    }

    static async Task<int> AskAsync()
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), ask);
        await Task.Delay(30);
        return 0;
    }
}

/// Three at once; the second is the last to answer.
static class Quotes
{
    static readonly Meter quote = Meter.Of("Quotes.QuoteAsync");
    static readonly Meter supplier = Meter.Of("Quotes.SupplierAsync");

    public static async Task<int> QuoteAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), quote);
        await Task.WhenAll(SupplierAsync(10), SupplierAsync(40), SupplierAsync(25));
        return number;
    }

    static async Task SupplierAsync(int milliseconds)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), supplier);
        await Task.Delay(milliseconds);
    }
}

/// Value tasks, nine of ten of which are there at once.
static class Prices
{
    static readonly Meter price = Meter.Of("Prices.PriceAsync");
    static readonly Meter cached = Meter.Of("Prices.CachedAsync");

    public static async Task<int> PriceAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), price);
        return await CachedAsync(number);
    }

    static async ValueTask<int> CachedAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), cached);
        if (number % 10 == 9)
        {
            await Task.Delay(24);
        }
        return number;
    }
}

/// An async iterator, each item of which has to be waited for.
static class Exports
{
    public const int Items = 6;

    static readonly Meter export = Meter.Of("Exports.ExportAsync");
    static readonly Meter stream = Meter.Of("Exports.StreamAsync");

    public static async Task<int> ExportAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), export);
        await foreach (int item in StreamAsync())
        {
            Cpu.Burn(1);
        }
        return number;
    }

    /// Each MoveNextAsync is a call: from where the caller asks to the next item, or to the end.
    static async IAsyncEnumerable<int> StreamAsync()
    {
        long begin = Stopwatch.GetTimestamp();
        for (int i = 0; i < Items; i++)
        {
            await Task.Delay(5);
            stream.Add(begin);
            yield return i;
            begin = Stopwatch.GetTimestamp();
        }
        stream.Add(begin);
    }
}

/// Work handed to the thread pool.
static class Reports
{
    static readonly Meter render = Meter.Of("Reports.RenderAsync");

    public static async Task<int> RenderAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), render);
        await Task.Run(Draw);
        return number;
    }

    static void Draw() => Cpu.Burn(15);
}

/// Tried again after two that take too long.
static class Shipping
{
    public const int Tries = 3;

    static readonly Meter ship = Meter.Of("Shipping.ShipAsync");
    static readonly Meter carrier = Meter.Of("Shipping.CarrierAsync");

    public static async Task<int> ShipAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), ship);
        for (int tried = 1; tried < Tries; tried++)
        {
            try
            {
                using var timeout = new CancellationTokenSource(12);
                await CarrierAsync(60_000, timeout.Token);
            }
            catch (OperationCanceledException)
            {
                await Task.Delay(5 * tried);
            }
        }
        await CarrierAsync(9, CancellationToken.None);
        return number;
    }

    static async Task CarrierAsync(int milliseconds, CancellationToken timeout)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), carrier);
        await Task.Delay(milliseconds, timeout);
    }
}

/// Many who want one of two places.
static class Packing
{
    public const int AtOnce = 5;

    static readonly SemaphoreSlim places = new(2);
    static readonly Meter pack = Meter.Of("Packing.PackAsync");

    public static async Task<int> PackAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), pack);
        await places.WaitAsync();
        try
        {
            await Task.Delay(15);
        }
        finally
        {
            places.Release();
        }
        return number;
    }
}

/// No async method: it blocks its thread until the result is there.
static class Legacy
{
    static readonly Meter load = Meter.Of("Legacy.Load");
    static readonly Meter sum = Meter.Of("Legacy.Sum");

    public static int Load(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), load);
        return Db.QueryAsync(number).Result;
    }

    /// What it waits for works all the time, on another thread.
    public static int Sum(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), sum);
        return SumAsync(number).Result;
    }

    static async Task<int> SumAsync(int number)
    {
        await Task.Yield();
        Cpu.Burn(5);
        return number;
    }
}

/// One task that two others wait for.
static class Baskets
{
    static readonly Meter show = Meter.Of("Baskets.ShowAsync");
    static readonly Meter read = Meter.Of("Baskets.ReadAsync");
    static readonly Meter part = Meter.Of("Baskets.PartAsync");

    public static async Task<int> ShowAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), show);
        Task<int> basket = ReadAsync(number);
        int[] parts = await Task.WhenAll(PartAsync(basket), PartAsync(basket));
        return parts[0];
    }

    static async Task<int> ReadAsync(int number)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), read);
        await Task.Delay(18);
        return number;
    }

    static async Task<int> PartAsync(Task<int> basket)
    {
        using var call = new Timed(Stopwatch.GetTimestamp(), part);
        return await basket;
    }
}
