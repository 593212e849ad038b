// SPDX-License-Identifier: MIT
// Async methods that the runtime itself suspends (compiled with /features:runtime-async=on), among
// methods that it does not. Prints a sum, then how often each method began.
using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

const int Rounds = 300;
long sum = 0;
for (int i = 0; i < Rounds; ++i)
{
    sum += Waits.Number(i).GetAwaiter().GetResult() + Plain.Twice(i);
    sum += Waits.Text("ab").GetAwaiter().GetResult().Length;
    try { Waits.Fails(i).GetAwaiter().GetResult(); }
    catch (InvalidOperationException) { ++sum; }
}
Console.WriteLine($"{sum} {Plain.Calls}");

static class Plain
{
    public static int Calls;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Twice(int value)
    {
        ++Calls;
        return 2 * value;
    }
}

static class Waits
{
    public static async Task<int> Number(int i)
    {
        if (i % 10 == 0) await Task.Yield();
        return Plain.Twice(await Inner(i));
    }

    static async ValueTask<int> Inner(int i)
    {
        await Task.CompletedTask;
        return i;
    }

    public static async Task<string> Text(string value)
    {
        await Task.Yield();
        return value + value;
    }

    public static async Task Fails(int i)
    {
        try
        {
            if (i % 3 == 0) await Task.Yield();
            if (i % 2 == 0) throw new InvalidOperationException();
        }
        finally
        {
            Plain.Twice(i);
        }
    }
}
