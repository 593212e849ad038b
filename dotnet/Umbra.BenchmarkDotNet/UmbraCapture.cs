// SPDX-License-Identifier: MIT
// One capture: umbra start on the process of a benchmark, from the signal before its actual
// workload stage to the one behind it.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Threading.Tasks;

namespace Umbra.BenchmarkDotNet
{
    /// <summary>
    /// A running <c>umbra start</c>. One thread uses it, while the process of the benchmark waits for
    /// the answer to its signal: nothing of the benchmark runs meanwhile.
    /// </summary>
    internal sealed class UmbraCapture : IDisposable
    {
        private static readonly TimeSpan ToBegin = TimeSpan.FromSeconds(30);
        private static readonly TimeSpan ToWrite = TimeSpan.FromMinutes(5);
        /// <summary>What umbra says once the process is timed.</summary>
        private const string Begun = "umbra: timing process";
        /// <summary>
        /// What runs a benchmark. Of the generated code the delegates stay, which are called once an
        /// invocation: <see cref="BenchmarkProfile.Operations"/> needs them.
        /// </summary>
        private static readonly string[] OwnMethods =
        {
            "BenchmarkDotNet.dll", "BenchmarkDotNet.Annotations.dll", "Perfolizer.dll",
            $"{BenchmarkProfile.Generated}*ActionUnroll", $"{BenchmarkProfile.Generated}*ActionNoUnroll",
            $"{BenchmarkProfile.Generated}*KeepAliveWithoutBoxing*",
        };

        private readonly UmbraProgram umbra;
        private readonly int pid;
        private readonly Process process;
        private readonly ConcurrentQueue<string> said = new();
        private readonly TaskCompletionSource<bool> begun = new(TaskCreationOptions.RunContinuationsAsynchronously);

        private UmbraCapture(UmbraProgram umbra, int pid, Process process)
        {
            this.umbra = umbra;
            this.pid = pid;
            this.process = process;
            process.OutputDataReceived += (_, _) => { };  // the hot list; a full pipe would hold umbra
            process.ErrorDataReceived += (_, line) => Hear(line.Data);
            process.EnableRaisingEvents = true;
            process.Exited += (_, _) => begun.TrySetResult(false);
            process.BeginOutputReadLine();
            process.BeginErrorReadLine();
        }

        /// <summary>
        /// Times process <paramref name="pid"/> from when this returns. <paramref name="everyPath"/>:
        /// rare paths and those of recursion stay apart.
        /// </summary>
        /// <exception cref="IOException">It is not timed; the message is what umbra says.</exception>
        public static UmbraCapture Begin(UmbraProgram umbra, int pid, string file, UmbraOptions options,
                                         bool everyPath)
        {
            var capture = new UmbraCapture(umbra, pid, umbra.Start(Arguments(pid, file, options, everyPath)));
            if (capture.begun.Task.Wait(ToBegin) && capture.begun.Task.Result)
            {
                return capture;
            }
            string why = capture.process.HasExited
                ? capture.Said()
                : $"the process was not timed within {ToBegin.TotalSeconds:0} s. {capture.Said()}";
            capture.Dispose();
            throw new IOException(why);
        }

        /// <summary>
        /// Ends the capture, if it has not ended by itself, and waits for the profile. Answers
        /// whether it had: then it does not have the whole workload stage.
        /// </summary>
        /// <exception cref="IOException">There is no profile; the message is what umbra says.</exception>
        public bool End()
        {
            bool endedBefore = process.HasExited;
            if (!endedBefore)
            {
                try
                {
                    umbra.Run("stop", pid.ToString(CultureInfo.InvariantCulture));
                }
                catch (IOException) when (process.WaitForExit(TimeSpan.FromSeconds(5)))
                {
                    endedBefore = true;  // at this very moment
                }
            }
            if (!process.WaitForExit(ToWrite))
            {
                throw new IOException($"the profile was not written within {ToWrite.TotalMinutes:0} minutes");
            }
            return process.ExitCode == 0 ? endedBefore : throw new IOException(Said());
        }

        public void Dispose()
        {
            if (!process.HasExited)
            {
                process.Kill();  // the agent notices, and the benchmark runs on without probes
            }
            process.Dispose();
        }

        private static IEnumerable<string> Arguments(int pid, string file, UmbraOptions options,
                                                     bool everyPath)
        {
            yield return "start";
            yield return pid.ToString(CultureInfo.InvariantCulture);
            yield return "--force";  // the same benchmark run again
            yield return "--output";
            yield return file;
            yield return "--duration";
            yield return options.MaxSeconds.ToString(CultureInfo.InvariantCulture) + "s";
            foreach (string pattern in options.Include)
            {
                yield return "--include";
                yield return pattern;
            }
            foreach (string pattern in options.Exclude)
            {
                yield return "--exclude";
                yield return pattern;
            }
            foreach (string pattern in OwnMethods)
            {
                yield return "--exclude";
                yield return pattern;
            }
            if (everyPath)
            {
                yield return "--tree";
                yield return "full";
            }
            if (options.Framework)
            {
                yield return "--framework";
            }
            if (options.Inlining)
            {
                yield return "--inlining";
            }
            if (options.Trivial)
            {
                yield return "--trivial";
            }
        }

        private void Hear(string? line)
        {
            if (line == null)
            {
                return;
            }
            said.Enqueue(line);
            if (line.StartsWith(Begun, StringComparison.Ordinal))
            {
                begun.TrySetResult(true);
            }
        }

        private string Said() => said.IsEmpty ? "umbra start ended without a word" : string.Join(' ', said);
    }
}
