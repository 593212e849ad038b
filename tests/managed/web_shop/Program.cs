// SPDX-License-Identifier: MIT
// A web shop on a free port of the loopback, which measures its own requests:
//   web_shop          prints "port PORT", and ends when its standard input does
// It has its data in memory (EF Core on SQLite) and calls a supplier over HTTP, which is another of its own
// addresses, with a policy that tries again. /figures tells of each handler's requests since /clear.
using System;
using System.Linq;
using System.Net.Http;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Http.Resilience;
using Microsoft.Extensions.Logging;
using Polly;

namespace WebShop;

static class Program
{
    static async Task Main()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        using var kept = new SqliteConnection("Data Source=web_shop;Mode=Memory;Cache=Shared");
        kept.Open();  // the data is there as long as one is
        builder.Services.AddDbContext<ShopData>(options => options.UseSqlite(kept.ConnectionString));
        var supplier = new SupplierAddress();
        builder.Services.AddSingleton(supplier);
        builder.Services.AddHttpClient<Supplier>().AddResilienceHandler("again", AddRetries);
        await using WebApplication app = builder.Build();
        using (IServiceScope scope = app.Services.CreateScope())
        {
            ShopData.Fill(scope.ServiceProvider.GetRequiredService<ShopData>());
        }
        app.Use(Figures.Measure);
        app.MapGet("/product/{id}", Handlers.ProductAsync);
        app.MapGet("/price/{id}", Handlers.PriceAsync);
        app.MapGet("/search/{id}", Handlers.SearchAsync);
        app.MapGet("/order/{id}", Handlers.OrderAsync);
        app.MapGet("/stock/{id}", Handlers.StockAsync);
        app.MapGet("/sales/{id}", Handlers.SalesAsync);
        app.MapGet("/rare/{id}", Handlers.RareAsync);
        app.MapGet("/supplier/{milliseconds}", Handlers.Answer);
        app.MapGet("/broken/{milliseconds}", Handlers.Fail);
        app.MapGet("/figures", () => Results.Text(Figures.Told()));
        app.MapGet("/clear", () => Results.Text(Figures.Clear()));
        await app.StartAsync();
        supplier.Address = app.Urls.Single();
        Console.WriteLine($"port {new Uri(supplier.Address).Port}");
        while (await Console.In.ReadLineAsync() is not null)
        {
        }
        await app.StopAsync();
    }

    /// Twice, after 60 ms each.
    static void AddRetries(ResiliencePipelineBuilder<HttpResponseMessage> pipeline) =>
        pipeline.AddRetry(new HttpRetryStrategyOptions
        {
            MaxRetryAttempts = 2,
            Delay = TimeSpan.FromMilliseconds(60),
            BackoffType = DelayBackoffType.Constant,
            UseJitter = false,
        });
}
