// SPDX-License-Identifier: MIT
// [UmbraDiagnoser]: the attribute that puts the diagnoser and its columns into the configuration.
using System;
using BenchmarkDotNet.Configs;

namespace Umbra.BenchmarkDotNet
{
    /// <summary>
    /// Profiles one extra run of each benchmark of the class, or of the assembly, with umbra: only
    /// the actual workload stage is timed, and what BenchmarkDotNet measures stays as it is.
    /// </summary>
    /// <remarks>
    /// Where umbra is not to be had, validation says so in one line and the benchmarks run without
    /// profiles. Properties say the same as those of <see cref="UmbraOptions"/>. The attribute of a
    /// class counts for more than that of the assembly, and than options of a configuration.
    /// </remarks>
    [AttributeUsage(AttributeTargets.Class | AttributeTargets.Assembly)]
    public sealed class UmbraDiagnoserAttribute : Attribute, IConfigSource
    {
        /// <inheritdoc cref="UmbraOptions.UmbraPath"/>
        public string? UmbraPath { get; set; }

        /// <inheritdoc cref="UmbraOptions.Include"/>
        public string[] Include { get; set; } = Array.Empty<string>();

        /// <inheritdoc cref="UmbraOptions.Exclude"/>
        public string[] Exclude { get; set; } = Array.Empty<string>();

        /// <inheritdoc cref="UmbraOptions.Framework"/>
        public bool Framework { get; set; }

        /// <inheritdoc cref="UmbraOptions.Inlining"/>
        public bool Inlining { get; set; }

        /// <inheritdoc cref="UmbraOptions.Trivial"/>
        public bool Trivial { get; set; }

        /// <inheritdoc cref="UmbraOptions.Top"/>
        public int Top { get; set; } = UmbraOptions.DefaultTop;

        /// <inheritdoc cref="UmbraOptions.MaxSeconds"/>
        public int MaxSeconds { get; set; } = UmbraOptions.DefaultMaxSeconds;

        /// <inheritdoc/>
        public IConfig Config => ManualConfig.CreateEmpty().AddUmbra(Options);

        internal UmbraOptions Options => new()
        {
            UmbraPath = UmbraPath,
            Include = Include,
            Exclude = Exclude,
            Framework = Framework,
            Inlining = Inlining,
            Trivial = Trivial,
            Top = Top,
            MaxSeconds = MaxSeconds,
        };
    }
}
