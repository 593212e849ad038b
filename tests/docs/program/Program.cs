// SPDX-License-Identifier: MIT
// The program that the documents speak of: it has the methods that they name, of a shop Acme.
// Without arguments it works for a moment; with the word `serve` until its standard input ends, and
// for each line of that it says how often it has worked so far. ACME_SLOWER in the environment
// makes one of its methods a thousand times slower, for a comparison.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

if (args.Length == 0)
{
    for (int id = 0; id < 200; ++id)
    {
        Acme.Program.Work(id);
    }
    return;
}
bool over = false;
int rounds = 0;
Thread worker = new(() =>
{
    while (!Volatile.Read(ref over))
    {
        Acme.Program.Work(rounds);
        Interlocked.Increment(ref rounds);
        Thread.Sleep(2);
    }
});
worker.Start();
while (Console.ReadLine() is not null)
{
    Console.WriteLine($"rounds {Volatile.Read(ref rounds)}");
}
Volatile.Write(ref over, true);
worker.Join();

namespace Acme
{
    static class Program
    {
        public static void Work(int id)
        {
            Orders.Handle(id);
            Shop.Orders.Send(id);
            Tests.CartTests.Sums();
            Orders.HandleAsync(id).Wait();
        }
    }

    static class Orders
    {
        public static int Handle(int id)
        {
            try
            {
                return Load(id).Sum();
            }
            catch (KeyNotFoundException)
            {
                return 0;
            }
        }

        public static async Task<int> HandleAsync(int id)
        {
            await Task.Yield();
            return Load(id + 1 - id % 50).Sum();
        }

        static Cart Load(int id)
        {
            if (id % 50 == 0)
            {
                throw new KeyNotFoundException($"there is no order {id}");
            }
            Cart cart = new();
            for (int article = 0; article < 1 + id % 5; ++article)
            {
                cart.Add(article);
            }
            return cart;
        }
    }

    class Cart
    {
        static readonly int Times =
            Environment.GetEnvironmentVariable("ACME_SLOWER") == null ? 10 : 10_000;
        readonly List<int> articles = new();

        public void Add(int article)
        {
            for (int i = 0; i < Times; ++i)
            {
                articles.Add(article);
            }
        }

        public int Sum()
        {
            int sum = 0;
            foreach (int article in articles)
            {
                sum += article;
            }
            return sum;
        }
    }
}

namespace Acme.Tests
{
    static class CartTests
    {
        [Xunit.Fact]
        public static void Sums()
        {
            Cart cart = new();
            cart.Add(1);
            if (cart.Sum() == 0)
            {
                throw new InvalidOperationException("the sum is wrong");
            }
        }
    }
}

namespace Shop
{
    static class Orders
    {
        public static int Send(int id)
        {
            int digits = 0;
            for (int rest = id; rest > 0; rest /= 10)
            {
                ++digits;
            }
            return digits;
        }
    }
}

// What umbra knows a test of xUnit by.
namespace Xunit
{
    class FactAttribute : Attribute;
}
