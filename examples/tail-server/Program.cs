// SPDX-License-Identifier: MIT
// A server that is quick, but for some of its requests: docs/tutorial.md finds out why. With --mended
// both reasons are gone.
//
//   dotnet tail-server.dll [--mended] [--urls http://127.0.0.1:5080]
using System.Security.Cryptography;

namespace TailShop;

static class Program
{
    static void Main(string[] args)
    {
        bool mended = args.Contains("--mended");
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args.Where(a => a != "--mended").ToArray());
        builder.Logging.ClearProviders();
        WebApplication app = builder.Build();
        var quotes = new Quotes(new Orders(mended), new Prices(mended));
        app.MapGet("/quote/{customer:int}", (int customer) => quotes.For(customer).ToString("F2"));
        app.Run();
    }
}

/// What a customer's open order costs.
class Quotes(Orders orders, Prices prices)
{
    public double For(int customer)
    {
        double sum = 0;
        foreach (int item in orders.Of(customer))
        {
            sum += prices.Of(item) * (1 - Vouchers.DiscountOf(customer, item));
        }
        return sum;
    }
}

/// Open orders. One customer imported his order again and again.
class Orders(bool mended)
{
    public int[] Of(int customer)
    {
        int lines = customer == 42 && !mended ? 4_000 : 8;
        var items = new int[lines];
        for (int i = 0; i < lines; ++i)
        {
            items[i] = (customer * 31 + i) % 500;
        }
        return items;
    }
}

/// What a customer's voucher takes off the price of an item: it is signed, and each signature is checked.
static class Vouchers
{
    public static double DiscountOf(int customer, int item)
    {
        byte[] signature = SHA256.HashData(BitConverter.GetBytes(((long)customer << 32) + item));
        return signature[0] % 10 / 100.0;
    }
}

/// Prices of items, asked for anew every second.
class Prices
{
    readonly object gate = new();
    readonly bool mended;
    readonly Timer? reloads;
    double[] known;
    long loadedAt;

    public Prices(bool mended)
    {
        this.mended = mended;
        known = Load();
        loadedAt = Environment.TickCount64;
        reloads = mended ? new Timer(_ => known = Load(), null, 1000, 1000) : null;
    }

    public double Of(int item) => mended ? known[item] : Current()[item];

    double[] Current()
    {
        lock (gate)
        {
            if (Environment.TickCount64 - loadedAt > 1000)
            {
                known = Load();
                loadedAt = Environment.TickCount64;
            }
            return known;
        }
    }

    /// Where a database would be asked.
    static double[] Load()
    {
        Thread.Sleep(60);
        return Enumerable.Range(0, 500).Select(item => 1 + item % 7 * 0.5).ToArray();
    }
}
