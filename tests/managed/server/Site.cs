// SPDX-License-Identifier: MIT
// The server: /work runs every department, /json and /text are what such servers do else, /counters
// tells how often each method of the departments has been called, /collect collects garbage, /guest
// calls a library in a collectible context of its own, which it then lets go.
using System;
using System.Collections.Generic;
using System.Text;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Server;

static class Site
{
    public static async Task Serve(RequestDelegate answer)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        WebApplication app = builder.Build();
        app.Run(answer);
        await app.StartAsync();
        string address = "";
        foreach (string one in app.Services.GetRequiredService<IServer>().Features
                     .Get<IServerAddressesFeature>()!.Addresses)
        {
            address = one;
        }
        Console.WriteLine($"port {new Uri(address).Port}");
        while (await Console.In.ReadLineAsync() is not null)
        {
        }
        await app.StopAsync();
    }

    public static Task Answer(HttpContext context)
    {
        string path = context.Request.Path.Value ?? "";
        (string type, string body) = path switch
        {
            "/work" => ("text/plain", Departments.Work().ToString()),
            "/json" => ("application/json", Orders.AsJson(5)),
            "/text" => ("text/plain", "hello"),
            "/counters" => ("application/json", Counters()),
            "/collect" => ("text/plain", Collect()),
            "/guest" => ("text/plain", Guests.Visit()),
            _ => ("", ""),
        };
        if (type == "")
        {
            context.Response.StatusCode = StatusCodes.Status404NotFound;
            return Task.CompletedTask;
        }
        byte[] bytes = Encoding.UTF8.GetBytes(body);
        context.Response.ContentType = type;
        context.Response.ContentLength = bytes.Length;
        return context.Response.Body.WriteAsync(bytes, 0, bytes.Length);
    }

    /// What the memory of the process is measured after.
    static string Collect()
    {
        GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        return "collected";
    }

    static string Counters()
    {
        var text = new StringBuilder("{");
        foreach (KeyValuePair<string, long> counter in Departments.Counters())
        {
            text.Append(text.Length == 1 ? "" : ", ").Append('"').Append(counter.Key)
                .Append("\": ").Append(counter.Value);
        }
        return text.Append('}').ToString();
    }
}
