// SPDX-License-Identifier: MIT
// What the framework hands out to wait for: channels, semaphores, sockets, files, timers.
using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Waits
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Waits.Run");
        await me.On(Pipes(me), "child Waits.Pipes");
        await me.On(Locks(me), "child Waits.Locks");
        await me.On(Talks(me), "child Waits.Talks");
        await me.On(Reads(me), "child Waits.Reads");
        await me.On(Ticks(me), "child Waits.Ticks");
        await me.On(Sleeps(me), "child Waits.Sleeps");
        me.Ends();
    }

    /// A consumer's calls are its own, whoever has produced what it consumes.
    static async Task Pipes(By by)
    {
        Call me = by.Calls("Waits.Pipes");
        Channel<int> channel = Channel.CreateBounded<int>(4);
        Task produces = Produces(me, channel.Writer), consumes = Consumes(me, channel.Reader);
        await me.On(Task.WhenAll(produces, consumes), "outside Task.WhenAll");
        me.Ends();
    }

    static async Task Produces(By by, ChannelWriter<int> writer)
    {
        Call me = by.Calls("Waits.Produces");
        for (int i = 0; i < 500; i++)
        {
            await me.On(writer.WriteAsync(i), "outside channel");
        }
        writer.Complete();
        me.Ends();
    }

    static async Task Consumes(By by, ChannelReader<int> reader)
    {
        Call me = by.Calls("Waits.Consumes");
        while (await me.On(reader.WaitToReadAsync(), "outside channel"))
        {
            while (reader.TryRead(out int item))
            {
                if (item % 50 == 0)
                {
                    await me.On(Handles(me), "child Waits.Handles");
                }
            }
        }
        me.Ends();
    }

    static async Task Handles(By by)
    {
        Call me = by.Calls("Waits.Handles");
        await me.Yield();
        me.Ends();
    }

    static async Task Locks(By by)
    {
        Call me = by.Calls("Waits.Locks");
        using (var one = new SemaphoreSlim(1))
        {
            await me.On(Task.WhenAll(Enumerable.Range(0, 30).Select(_ => Locked(me, one))), "outside Task.WhenAll");
        }
        me.Ends();
    }

    static async Task Locked(By by, SemaphoreSlim semaphore)
    {
        Call me = by.Calls("Waits.Locked");
        await me.On(semaphore.WaitAsync(), "outside SemaphoreSlim.WaitAsync");
        await me.Yield();
        semaphore.Release();
        me.Ends();
    }

    static Socket Open() => new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    static async Task Talks(By by)
    {
        Call me = by.Calls("Waits.Talks");
        using (Socket listener = Open(), socket = Open())
        {
            listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            listener.Listen(1);
            Task answers = Answers(me, listener);
            await me.On(socket.ConnectAsync(listener.LocalEndPoint!), "outside *");
            var buffer = new byte[8];
            for (int i = 0; i < 50; i++)
            {
                await me.On(socket.SendAsync(buffer.AsMemory(), SocketFlags.None), "outside socket");
                // As many as were sent, or fewer: whatever comes is an answer.
                await me.On(socket.ReceiveAsync(buffer.AsMemory(), SocketFlags.None), "outside socket");
            }
            socket.Shutdown(SocketShutdown.Send);
            await me.On(answers, "child Waits.Answers");
        }
        me.Ends();
    }

    static async Task Answers(By by, Socket listener)
    {
        Call me = by.Calls("Waits.Answers");
        using (Socket socket = await me.On(listener.AcceptAsync(), "outside *"))
        {
            var buffer = new byte[8];
            int size;
            while ((size = await me.On(socket.ReceiveAsync(buffer.AsMemory(), SocketFlags.None),
                                       "outside socket")) != 0)
            {
                await me.On(socket.SendAsync(buffer.AsMemory(0, size), SocketFlags.None), "outside socket");
            }
        }
        me.Ends();
    }

    static async Task Reads(By by)
    {
        Call me = by.Calls("Waits.Reads");
        string path = Path.GetTempFileName();
        await me.On(File.WriteAllTextAsync(path, new string('x', 100_000)), "outside *");
        await me.On(File.ReadAllTextAsync(path), "outside *");
        using (var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, 4096, true))
        {
            await me.On(file.CopyToAsync(Stream.Null), "outside *");
        }
        File.Delete(path);
        me.Ends();
    }

    static async Task Ticks(By by)
    {
        Call me = by.Calls("Waits.Ticks");
        using (var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1)))
        {
            for (int i = 0; i < 5; i++)
            {
                await me.On(timer.WaitForNextTickAsync(), "outside PeriodicTimer.WaitForNextTickAsync");
            }
        }
        me.Ends();
    }

    static async Task Sleeps(By by)
    {
        Call me = by.Calls("Waits.Sleeps");
        var never = new TaskCompletionSource();
        try
        {
            await me.On(never.Task.WaitAsync(TimeSpan.FromMilliseconds(2)), "outside Task.WaitAsync");
        }
        catch (TimeoutException)
        {
        }
        me.Ends();
    }
}
