// SPDX-License-Identifier: MIT
// What the shop answers. Those that are slow on average are not those that are slow at worst.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;
using Microsoft.EntityFrameworkCore;

namespace WebShop;

static class Handlers
{
    /// A query.
    public static async Task<string> ProductAsync(int id, ShopData data) => (await Find(id, data)).Name;

    /// A query and a quick answer of the supplier's.
    public static async Task<string> PriceAsync(int id, ShopData data, Supplier supplier)
    {
        Product product = await Find(id, data);
        await supplier.AskAsync(15);
        return product.Pennies.ToString();
    }

    /// Three answers of the supplier's at once, and a list of products.
    public static async Task<string> SearchAsync(int id, ShopData data, Supplier supplier)
    {
        await Task.WhenAll(supplier.AskAsync(30), supplier.AskAsync(45), supplier.AskAsync(20));
        List<Product> found = await data.Products.AsNoTracking().Where(one => one.Department == id % 10).ToListAsync();
        return found.Count.ToString();
    }

    /// Writes an order once it is paid. Of twenty payments one is tried three times.
    public static async Task<string> OrderAsync(int id, ShopData data, Supplier supplier)
    {
        Product product = await Find(id, data);
        if (id % 20 == 0)
        {
            await supplier.FailAsync(60);
        }
        await supplier.AskAsync(60);
        data.Orders.Add(new Order { ProductId = product.Id, Pennies = product.Pennies });
        await data.SaveChangesAsync();
        return "ordered";
    }

    /// An async stream.
    public static async Task<string> StockAsync(int id, Supplier supplier)
    {
        int sum = 0;
        await foreach (int one in LevelsAsync(supplier))
        {
            sum += one;
        }
        return (sum + id).ToString();
    }

    static async IAsyncEnumerable<int> LevelsAsync(Supplier supplier)
    {
        for (int i = 0; i < 5; i++)
        {
            await supplier.AskAsync(26);
            yield return i;
        }
    }

    /// Sums in the database, one answer after the other, and some work on a thread of the pool.
    public static async Task<string> SalesAsync(int id, ShopData data, Supplier supplier)
    {
        long sum = await data.Orders.Where(one => one.ProductId == id).SumAsync(one => (long)one.Pennies);
        await supplier.AskAsync(110);
        await supplier.AskAsync(110);
        await Task.Run(() => Burn(2));
        return sum.ToString();
    }

    /// Nearly always quick; one in twenty waits for what nobody else does.
    public static async Task<string> RareAsync(int id)
    {
        await Task.Delay(id % 20 == 0 ? 600 : 5);
        return "there";
    }

    /// The supplier's side.
    public static async Task<string> Answer(int milliseconds)
    {
        await Task.Delay(milliseconds);
        return "yes";
    }

    public static async Task<IResult> Fail(int milliseconds)
    {
        await Task.Delay(milliseconds);
        return Results.StatusCode(StatusCodes.Status503ServiceUnavailable);
    }

    static Task<Product> Find(int id, ShopData data) =>
        data.Products.AsNoTracking().SingleAsync(one => one.Id == id % ShopData.Many + 1);

    static void Burn(int milliseconds)
    {
        long end = Stopwatch.GetTimestamp() + milliseconds * (Stopwatch.Frequency / 1000);
        while (Stopwatch.GetTimestamp() < end)
        {
        }
    }
}

sealed class SupplierAddress
{
    public string Address { get; set; } = "";
}

/// Who has to be asked over HTTP.
sealed class Supplier(HttpClient http, SupplierAddress supplier)
{
    public async Task AskAsync(int milliseconds)
    {
        using HttpResponseMessage answer = await http.GetAsync($"{supplier.Address}/supplier/{milliseconds}");
        answer.EnsureSuccessStatusCode();
        await answer.Content.ReadAsStringAsync();
    }

    /// However often it is asked.
    public async Task FailAsync(int milliseconds)
    {
        using HttpResponseMessage answer = await http.GetAsync($"{supplier.Address}/broken/{milliseconds}");
        if (answer.IsSuccessStatusCode)
        {
            throw new InvalidOperationException("it has answered");
        }
    }
}
