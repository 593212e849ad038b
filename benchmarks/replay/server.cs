// SPDX-License-Identifier: MIT
// A server and its clients in one process, over loopback: server.dll CLIENTS REQUESTS. Most of its
// threads wait most of the time: for sockets, for each other, for timers.
using System;
using System.Linq;
using System.Net.Http;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

var builder = WebApplication.CreateSlimBuilder();
builder.Logging.ClearProviders();
builder.WebHost.UseUrls("http://127.0.0.1:0");
WebApplication app = builder.Build();
var gate = new SemaphoreSlim(2);
app.MapGet("/words", async context =>
{
    int count = int.Parse(context.Request.Query["count"]!);
    await gate.WaitAsync();
    try
    {
        if (count % 50 == 0)
        {
            await Task.Delay(2);
        }
        string text = string.Join(' ', Enumerable.Range(0, count).Select(i => $"word{i * 7919 % 977}")
            .OrderBy(word => word, StringComparer.Ordinal));
        await context.Response.WriteAsync(text);
    }
    finally
    {
        gate.Release();
    }
});
await app.StartAsync();
string address = app.Urls.First();
int clients = int.Parse(args[0]);
int requests = int.Parse(args[1]);
long bytes = 0;
await Task.WhenAll(Enumerable.Range(0, clients).Select(async client =>
{
    using var http = new HttpClient();
    for (int request = client; request < requests; request += clients)
    {
        string answer = await http.GetStringAsync($"{address}/words?count={request % 200}");
        Interlocked.Add(ref bytes, answer.Length);
    }
}));
await app.StopAsync();
Console.WriteLine($"bytes {bytes}");
