// SPDX-License-Identifier: MIT
// The report in the folder of the summary: the top methods of each benchmark.
using System;
using System.Globalization;
using System.Linq;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Umbra.BenchmarkDotNet
{
    /// <summary>Writes Type-report-umbra.md: a table of methods for each benchmark with a profile.</summary>
    public sealed class UmbraExporter : ExporterBase
    {
        private readonly Func<BenchmarkCase, UmbraOptions> optionsOf;
        private readonly Func<BenchmarkCase, string?> whyNot;

        internal UmbraExporter(Func<BenchmarkCase, UmbraOptions> optionsOf, Func<BenchmarkCase, string?> whyNot)
        {
            this.optionsOf = optionsOf;
            this.whyNot = whyNot;
        }

        /// <inheritdoc/>
        protected override string FileExtension => "md";

        /// <inheritdoc/>
        protected override string FileNameSuffix => "-umbra";

        /// <inheritdoc/>
        public override void ExportToLog(Summary summary, ILogger logger)
        {
            ArgumentNullException.ThrowIfNull(summary);
            ArgumentNullException.ThrowIfNull(logger);
            logger.WriteLine($"# {summary.Title}");
            logger.WriteLine();
            logger.WriteLine("Every call of the actual workload stage, timed by umbra in a run of its own. Times are wall");
            logger.WriteLine("time, the cost of the probes taken out. Trivial methods are part of their callers, and in no");
            logger.WriteLine("count (`Trivial = true` times them too).");
            foreach (BenchmarkCase benchmark in summary.BenchmarksCases)
            {
                logger.WriteLine();
                logger.WriteLine($"## {Cell(benchmark.DisplayInfo)}");
                logger.WriteLine();
                if (BenchmarkProfile.Of(benchmark) is { } profile)
                {
                    Export(profile, optionsOf(benchmark).Top, logger);
                }
                else
                {
                    string? reason = whyNot(benchmark) ?? BenchmarkProfile.WhyNone(benchmark) ??
                                     (summary[benchmark]?.Success == true ? null : "the benchmark failed");
                    logger.WriteLine(reason == null ? "No profile." : $"No profile: {Cell(reason)}");
                }
            }
        }

        private static void Export(BenchmarkProfile profile, int top, ILogger logger)
        {
            if (profile.Methods.Count == 0)
            {
                logger.WriteLine("No method that was to be timed was called.");
                logger.WriteLine($"Profile: `{profile.File}`");
                return;
            }
            logger.WriteLine("| self | self/op | total/op | calls | calls/op | method |");
            logger.WriteLine("| ---: | ---: | ---: | ---: | ---: | --- |");
            double all = Math.Max(1, profile.Methods.Sum(method => (double)method.SelfNs));
            foreach (ProfiledMethod method in profile.Methods.Take(top))
            {
                string calls = profile.CallsPerOperation(method, CultureInfo.InvariantCulture);
                logger.WriteLine(string.Create(CultureInfo.InvariantCulture,
                    $"| {method.SelfNs / all:P1} | {PerOperation(profile, method.SelfNs)} | " +
                    $"{PerOperation(profile, method.TotalNs)} | " +
                    $"{method.Calls:N0} | {Cell(calls)} | {Cell(method.Name)} |"));
            }
            logger.WriteLine();
            int more = profile.Methods.Count - top;
            if (more > 0)
            {
                logger.WriteLine($"And {more} {(more == 1 ? "method" : "methods")} more.");
            }
            logger.WriteLine(profile.Operations > 0
                ? string.Create(CultureInfo.InvariantCulture,
                                $"{profile.Operations:N0} {(profile.Operations == 1 ? "operation" : "operations")}.")
                : "How many operations these are is not known: the benchmark's method was not timed.");
            if (profile.Cut)
            {
                logger.WriteLine("The capture ended before the workload stage did (`MaxSeconds`).");
            }
            if (profile.LostEvents > 0)
            {
                logger.WriteLine(string.Create(CultureInfo.InvariantCulture,
                    $"{profile.LostEvents:N0} events were lost: calls are missing. `umbra info` says why."));
            }
            logger.WriteLine($"Profile: `{profile.File}`");
        }

        private static string PerOperation(BenchmarkProfile profile, double ns)
        {
            if (profile.Operations == 0)
            {
                return "?";
            }
            double each = ns / profile.Operations;
            (double scale, string unit) = each < 1e3 ? (1, "ns") : each < 1e6 ? (1e3, "us") : each < 1e9 ? (1e6, "ms") : (1e9, "s");
            return string.Create(CultureInfo.InvariantCulture, $"{each / scale:0.0} {unit}");
        }

        /// <summary>Text that does not end a cell, and no HTML.</summary>
        private static string Cell(string text) =>
            text.Replace("|", "\\|", StringComparison.Ordinal).Replace("<", "&lt;", StringComparison.Ordinal);
    }
}
