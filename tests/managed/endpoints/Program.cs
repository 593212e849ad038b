// SPDX-License-Identifier: MIT
// Endpoints of every kind that are told by a module's file: mapped, in groups, actions of controllers. It asks
// itself for each of them ROUNDS times.
using System;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

int rounds = int.Parse(args[0]);
WebApplicationBuilder builder = WebApplication.CreateBuilder();
builder.Logging.ClearProviders();
builder.Services.AddControllers();
WebApplication app = builder.Build();
app.Urls.Add("http://127.0.0.1:0");
app.MapControllers();

app.MapGet("/hello", () => Work.Answers("hello"));
RouteGroupBuilder api = app.MapGroup("/api").WithTags("of the interface");
api.MapGet("/slow/{milliseconds:int}", async (int milliseconds) =>
{
    await Task.Delay(milliseconds);
    return "slow";
});
api.MapGet("/handed/{milliseconds:int}", (int milliseconds) => Work.Later(milliseconds));
api.MapPost("/add", Add).WithName("not a route");
app.MapGroup("/v2").MapGet("/items", static () => Work.Answers("items"));
app.MapGroup("/v3").WithTags("handed on").MapParts();
app.MapGroup("/v4").MapParts();
app.MapMethods("/any", new[] { "PUT", "PATCH" }, () => Work.Answers("any"));
app.Map("/every", (RequestDelegate)(context => context.Response.WriteAsync(Work.Answers("every"))));

await app.StartAsync();
using var http = new HttpClient();
foreach (string address in app.Urls)
{
    http.BaseAddress = new Uri(address);
}
for (int i = 0; i < rounds; i++)
{
    foreach (string path in new[] { "/hello", "/api/slow/1", "/api/handed/20", "/v2/items", "/every", "/shop/Orders", "/shop/Orders/7",
                                    "/shop/Orders/Refused", "/latest", "/base/Late/9", "/v3/part/1", "/v4/part/2" })
    {
        await http.GetStringAsync(path);
    }
    foreach ((HttpMethod verb, string path) in new[] { (HttpMethod.Post, "/api/add"), (HttpMethod.Put, "/any"),
                                                       (HttpMethod.Delete, "/shop/Orders/7"),
                                                       (HttpMethod.Delete, "/v3/spare/all") })
    {
        (await http.SendAsync(new HttpRequestMessage(verb, path))).EnsureSuccessStatusCode();
    }
}
await app.StopAsync();

static string Add() => Work.Answers("added");

/// What a group is handed to, by which others are.
static class Parts
{
    public static RouteGroupBuilder MapParts(this RouteGroupBuilder group)
    {
        group.MapGet("/part/{number:int}", Part);
        group.MapGroup("/spare").MapSpares();
        return group;
    }

    private static void MapSpares(this IEndpointRouteBuilder routes) =>
        routes.MapDelete("/all", static () => Work.Answers("no spares"));

    private static string Part(int number) => Work.Answers("part " + number);
}

static class Work
{
    /// Not trivial, so who calls it is timed.
    public static string Answers(string text)
    {
        Thread.Sleep(0);
        return text;
    }

    public static async Task<string> Later(int milliseconds)
    {
        await Task.Delay(milliseconds);
        return "later";
    }
}

[ApiController, Route("shop/[controller]")]
public class OrdersController : ControllerBase
{
    [HttpGet]
    public string List() => Work.Answers("list");

    [HttpGet("{id:int}")]
    public async Task<string> LoadAsync(int id)
    {
        await Task.Delay(1);
        return "order " + id;
    }

    [HttpGet("[action]")]
    public string Refused() => Work.Answers("refused");

    [HttpGet("/latest", Name = "a name")]
    public ActionResult<string> Latest() => Work.Answers("latest");

    [HttpDelete, Route("{id:int}")]
    public string Remove(int id) => Work.Answers("removed " + id);
}

[Route("base/[controller]")]
public abstract class BaseController : ControllerBase
{
}

public class LateController : BaseController
{
    [HttpGet("{id}")]
    public string Show(int id) => Work.Answers("late " + id);
}
