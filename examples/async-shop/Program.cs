// SPDX-License-Identifier: MIT
// A server with three endpoints, each slow for a reason of its own: docs/tutorial.md finds out why. With --fixed
// the reasons are gone. Its customers (Outside.cs) ask it some hundred times; it says how long that took, and ends.
//
//   dotnet async-shop.dll [--fixed] [--urls http://127.0.0.1:5081]
namespace AsyncShop;

static class Program
{
    static void Main(string[] args)
    {
        bool mended = args.Contains("--fixed");
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(args.Where(a => a != "--fixed").ToArray());
        builder.Logging.ClearProviders();
        WebApplication app = builder.Build();
        var baskets = new Baskets(mended);
        var stock = new Stock(mended);
        var invoices = new Invoices(mended);
        app.MapGet("/basket/{customer:int}", (int customer) => baskets.SumOf(customer));
        app.MapGet("/stock/{item:int}", (int item) => stock.Of(item));
        app.MapGet("/invoice/{number:int}", (int number) => invoices.TextOf(number));
        app.Start();
        Outside.Customers.Ask(app.Urls.First());
        app.StopAsync().Wait();
    }
}

/// What a customer's basket costs.
class Baskets(bool mended)
{
    public async Task<string> SumOf(int customer)
    {
        int[] items = Enumerable.Range(customer * 31, 12).ToArray();
        double sum = 0;
        if (mended)
        {
            sum = (await Database.PricesOf(items)).Sum();
        }
        else
        {
            foreach (int item in items)
            {
                sum += (await Database.PricesOf([item]))[0];
            }
        }
        return sum.ToString("F2");
    }
}

static class Database
{
    /// One query, however many items there are.
    public static async Task<double[]> PricesOf(int[] items)
    {
        await Outside.Driver.Query(milliseconds: 3);
        return items.Select(item => 1 + item % 7 * 0.5).ToArray();
    }
}

/// How many of an item there are. The warehouse is asked over one connection, or over some.
class Stock(bool mended)
{
    readonly SemaphoreSlim connections = new(mended ? 8 : 1);

    public async Task<string> Of(int item)
    {
        await connections.WaitAsync();
        try
        {
            return await AskWarehouse(item);
        }
        finally
        {
            connections.Release();
        }
    }

    static async Task<string> AskWarehouse(int item)
    {
        await Outside.Driver.Query(milliseconds: 10);
        return $"{item % 9} left";
    }
}

/// A customer's invoice. It is from a time when methods were not async.
class Invoices(bool mended)
{
    public async Task<string> TextOf(int number)
    {
        Task answer = Outside.Driver.Query(milliseconds: 40);
        if (mended)
        {
            await answer;
        }
        else
        {
            answer.Wait();
        }
        return $"invoice {number}";
    }
}
