// SPDX-License-Identifier: MIT
// Benchmarks beside those of examples/benchmarks: what the process of each run was started with, and
// a benchmark in a generic, nested class, whose invocations are four operations; one that calls a method
// of its own name, after a set-up of each iteration that does so, too.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using BenchmarkDotNet.Attributes;
using Umbra.BenchmarkDotNet;

// Counts for less than the attributes of classes, which all of them have.
[assembly: UmbraDiagnoser(Exclude = new[] { "Acme.*" })]

namespace Acme
{
    public class More
    {
        [UmbraDiagnoser(Exclude = new[] { "*.LeftOut" }, Top = 1)]
        [GenericTypeArguments(typeof(int))]
        public class Steps<T>
        {
            [GlobalSetup]
            public void Tell() =>
                Console.WriteLine($"profiler: {Environment.GetEnvironmentVariable("CORECLR_PROFILER_PATH")}.");

            [Benchmark(OperationsPerInvoke = 4)]
            public async Task<int> Awaits()
            {
                int sum = 0;
                for (int i = 0; i < 12; ++i)
                {
                    await Task.Yield();
                    sum += Step(i) + LeftOut(i);
                }
                return sum;
            }

            [MethodImpl(MethodImplOptions.NoInlining)]
            private static int Step(int i)
            {
                for (int turn = 0; turn < 20_000; ++turn)
                {
                    i = i * 31 + turn;
                }
                return i;
            }

            [MethodImpl(MethodImplOptions.NoInlining)]
            private static int LeftOut(int i) => i;
        }

        [UmbraDiagnoser]
        public class Trees
        {
            [IterationSetup]
            public void Plant() => Count(8);

            [IterationCleanup]
            public void Fell() => Leaf(new(), (1, ""));

            [Benchmark]
            public int Count() => Count(5);

            private static int Count(int depth) => depth == 0 ? Leaf(null, null) : Count(depth - 1) + Count(depth - 1);

            private static int Leaf(Dictionary<string, List<int>>? weights, ValueTuple<int, string>? place)
            {
                Thread.SpinWait(100);
                return weights == null && place == null ? 1 : 0;
            }
        }

        /// <summary>Longer than what is captured of it.</summary>
        [UmbraDiagnoser(MaxSeconds = 1)]
        public class Naps
        {
            [Benchmark]
            public void Nap() => Thread.Sleep(20);
        }
    }
}
