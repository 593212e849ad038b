// SPDX-License-Identifier: MIT
// A request as such servers have it: three levels of awaits, some of which have to wait and some not.
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;

namespace Server;

static class Levels
{
    static readonly SemaphoreSlim places = new(4);

    public static async Task Answer(HttpContext context)
    {
        byte[] bytes = Encoding.UTF8.GetBytes((await Handle(5)).ToString());
        context.Response.ContentType = "text/plain";
        context.Response.ContentLength = bytes.Length;
        await context.Response.Body.WriteAsync(bytes);
    }

    static async Task<int> Handle(int number)
    {
        int order = await Read(number);
        int price = await Price(order);
        await Save();
        return order + price;
    }

    static async Task<int> Read(int number)
    {
        await Task.Yield();
        return await Cached(number);
    }

    static async ValueTask<int> Price(int order)
    {
        int sum = 0;
        for (int i = 0; i < 3; i++)
        {
            sum += await Cached(order + i);
        }
        return sum;
    }

    static async ValueTask<int> Cached(int number)
    {
        if (number < 0)
        {
            await Task.Yield();
        }
        return number * 2;
    }

    static async Task Save()
    {
        await places.WaitAsync();
        try
        {
            await Task.Yield();
        }
        finally
        {
            places.Release();
        }
    }
}
