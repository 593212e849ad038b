// SPDX-License-Identifier: MIT
// Generic methods that the runtime itself suspends, each called ten times from code that wants a task and five
// times from another such method.
using System.Threading.Tasks;

Calls.All().GetAwaiter().GetResult();
for (int i = 0; i < 10; i++)
{
    Shared<string>.Get("a").Wait();
    Shared<int>.Get(1).Wait();
    new Shared<string>().Of("a").Wait();
    new Shared<string>().Both("a", 1).Wait();
    new Shared<string>().Both("a", "b").Wait();
    Calls.Value("a").AsTask().Wait();
    Calls.Value(1L).AsTask().Wait();
    new Virtual<string>().Of("a").Wait();
}

static class Calls
{
    public static async Task All()
    {
        for (int i = 0; i < 5; i++)
        {
            await Shared<string>.Get("a");
            await Shared<int>.Get(1);
            await new Shared<string>().Of("a");
            await new Shared<string>().Both("a", 1);
            await new Shared<string>().Both("a", "b");
            await Value("a");
            await Value(1L);
            await new Virtual<string>().Of("a");
        }
    }

    public static async ValueTask<T> Value<T>(T value)
    {
        await Task.Yield();
        return value;
    }
}

class Shared<T>
{
    public static async Task<T> Get(T value)
    {
        await Task.Yield();
        return value;
    }

    public async Task<T> Of(T value)
    {
        await Task.Yield();
        return value;
    }

    public async Task<U> Both<U>(T value, U other)
    {
        await Task.Yield();
        return value == null ? default! : other;
    }
}

class Virtual<T>
{
    public virtual async Task<T> Of(T value)
    {
        await Task.Yield();
        return value;
    }
}
