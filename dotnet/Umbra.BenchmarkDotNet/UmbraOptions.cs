// SPDX-License-Identifier: MIT
// What is profiled, and how it gets into a configuration.
using System;
using System.Collections.Generic;
using BenchmarkDotNet.Configs;

namespace Umbra.BenchmarkDotNet
{
    /// <summary>What the extra run of each benchmark is profiled with.</summary>
    public sealed record UmbraOptions
    {
        internal const int DefaultTop = 20;
        internal const int DefaultMaxSeconds = 30;

        /// <summary>
        /// The program umbra, or the folder it lies in. Null: the environment variable UMBRA_PATH
        /// says, which may be either as well; without it, umbra is looked for in PATH.
        /// </summary>
        public string? UmbraPath { get; init; }

        /// <summary>
        /// Patterns of the methods to time, as <c>umbra start --include</c> takes them. Empty:
        /// everything outside the shared frameworks.
        /// </summary>
        public IReadOnlyList<string> Include { get; init; } = Array.Empty<string>();

        /// <summary>
        /// Patterns of methods that are not timed. BenchmarkDotNet's own never are.
        /// </summary>
        public IReadOnlyList<string> Exclude { get; init; } = Array.Empty<string>();

        /// <summary>Times the methods of the shared frameworks as well.</summary>
        public bool Framework { get; init; }

        /// <summary>
        /// Lets the JIT inline timed methods into one another, as in the runs that are measured:
        /// such calls are part of their callers. Otherwise every call is counted.
        /// </summary>
        public bool Inlining { get; init; }

        /// <summary>Times trivial methods too, which are else part of their callers.</summary>
        public bool Trivial { get; init; }

        /// <summary>Methods that the report lists of each benchmark, from 1 upwards.</summary>
        public int Top { get; init; } = DefaultTop;

        /// <summary>
        /// The capture ends after so many seconds, from 1 upwards, if the workload stage still
        /// runs then, as that of a benchmark of nanoseconds would for minutes with probes in it.
        /// The rest of the extra run goes on without them.
        /// </summary>
        public int MaxSeconds { get; init; } = DefaultMaxSeconds;
    }

    /// <summary>umbra in a configuration written by hand.</summary>
    public static class UmbraConfigExtensions
    {
        /// <summary>Adds the diagnoser and its columns.</summary>
        /// <param name="config">The configuration to add to.</param>
        /// <param name="options">What to profile; null: the defaults.</param>
        /// <returns><paramref name="config"/>.</returns>
        public static ManualConfig AddUmbra(this ManualConfig config, UmbraOptions? options = null)
        {
            ArgumentNullException.ThrowIfNull(config);
            return config.AddDiagnoser(new UmbraDiagnoser(options ?? new UmbraOptions()))
                .AddColumn(HottestMethodColumn.Instance, HottestCallsColumn.Instance);
        }
    }
}
