// SPDX-License-Identifier: MIT
// Load: so many connections, each of which asks anew as soon as it has its answer. Orders, one a
// line, each answered with one line:
//   go        answers "going"                        all connections ask
//   rest      answers "resting OK FAILED SECONDS P99"
//                                                    when no request is under way any more: requests
//                                                    since "go", those that failed, the time, and the
//                                                    milliseconds that 99 of 100 requests took at most
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Server;

static class Load
{
    static readonly string[] paths = ["/work", "/json", "/text", "/work"];

    static volatile bool going;
    static long answered, failed;
    static readonly ConcurrentBag<List<long>> ticks = [];  // of the requests since "go", by connection

    public static async Task Run(int port, int connections)
    {
        Console.WriteLine("ready");
        Task[] running = [];
        var watch = new Stopwatch();
        while (await Console.In.ReadLineAsync() is { } order)
        {
            if (order == "go")
            {
                (answered, failed, going) = (0, 0, true);
                ticks.Clear();
                watch.Restart();
                running = new Task[connections];
                for (int i = 0; i < connections; i++)
                {
                    running[i] = Ask(port, i);
                }
                Console.WriteLine("going");
            }
            else if (order == "rest")
            {
                going = false;
                await Task.WhenAll(running);
                Console.WriteLine(string.Create(
                    CultureInfo.InvariantCulture,
                    $"resting {answered} {failed} {watch.Elapsed.TotalSeconds:F6} {Percentile99():F3}"));
            }
        }
    }

    static double Percentile99()
    {
        long[] all = ticks.SelectMany(taken => taken).Order().ToArray();
        return all.Length == 0 ? 0 : all[(all.Length - 1) * 99L / 100] * 1000.0 / Stopwatch.Frequency;
    }

    static async Task Ask(int port, int number)
    {
        await Task.Yield();
        Connection? connection = null;
        var taken = new List<long>();
        ticks.Add(taken);
        for (int i = number; going; i++)
        {
            try
            {
                connection ??= new Connection(port);
                long begin = Stopwatch.GetTimestamp();
                await connection.Get(paths[i % paths.Length]);
                taken.Add(Stopwatch.GetTimestamp() - begin);
                Interlocked.Increment(ref answered);
            }
            catch (Exception error) when (error is SocketException or FormatException)
            {
                Interlocked.Increment(ref failed);
                connection?.Dispose();
                connection = null;
            }
        }
        connection?.Dispose();
    }
}

/// One connection that is kept open, and no more of HTTP than this server needs.
sealed class Connection : IDisposable
{
    const int BufferBytes = 64 * 1024;
    const int TimeoutMilliseconds = 10_000;
    static readonly byte[] endOfHead = "\r\n\r\n"u8.ToArray();

    readonly Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    readonly byte[] buffer = new byte[BufferBytes];

    public Connection(int port)
    {
        socket.NoDelay = true;
        socket.Connect(IPAddress.Loopback, port);
    }

    /// Anything but a whole answer with status 200 is an exception.
    public async Task Get(string path)
    {
        using var timeout = new CancellationTokenSource(TimeoutMilliseconds);
        byte[] request =
            Encoding.ASCII.GetBytes($"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        await socket.SendAsync(request, SocketFlags.None);
        int have = 0;
        int wanted = 0;
        while (wanted == 0 || have < wanted)
        {
            int got;
            try
            {
                got = await socket.ReceiveAsync(buffer.AsMemory(have), timeout.Token);
            }
            catch (OperationCanceledException)
            {
                throw new FormatException("no answer in time");
            }
            if (got == 0)
            {
                throw new FormatException("the connection was closed");
            }
            have += got;
            wanted = Length(have);
        }
    }

    /// Bytes of the whole answer; 0 as long as its head is not complete.
    int Length(int have)
    {
        ReadOnlySpan<byte> seen = buffer.AsSpan(0, have);
        int end = seen.IndexOf(endOfHead);
        if (end < 0)
        {
            return 0;
        }
        string head = Encoding.ASCII.GetString(seen[..end]);
        const string Field = "\r\nContent-Length: ";
        int field = head.IndexOf(Field, StringComparison.OrdinalIgnoreCase);
        if (!head.StartsWith("HTTP/1.1 200", StringComparison.Ordinal) || field < 0)
        {
            throw new FormatException(head);
        }
        string rest = head[(field + Field.Length)..];
        int line = rest.IndexOf('\r');
        return end + endOfHead.Length + int.Parse(line < 0 ? rest : rest[..line]);
    }

    public void Dispose() => socket.Dispose();
}
