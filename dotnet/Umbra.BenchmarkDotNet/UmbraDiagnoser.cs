// SPDX-License-Identifier: MIT
// The diagnoser: prepares the process of the extra run, and times its actual workload stage.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using BenchmarkDotNet.Analysers;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Environments;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Validators;
using RunMode = BenchmarkDotNet.Diagnosers.RunMode;

namespace Umbra.BenchmarkDotNet
{
    /// <summary>
    /// Profiles one extra run of each benchmark with umbra. The process of that run starts with the
    /// variables of <c>umbra env</c>; <c>umbra start</c> times it between the signals before and
    /// after the actual workload stage. No other run has anything of umbra in it.
    /// </summary>
    /// <remarks>
    /// Nothing that goes wrong here ends a benchmark: it is said in the log. BenchmarkDotNet calls a
    /// diagnoser from one thread at a time.
    /// </remarks>
    public sealed class UmbraDiagnoser : IDiagnoser
    {
        private readonly UmbraOptions options;
        private readonly UmbraProgram? umbra;
        private readonly string missing;
        private readonly ProfileFiles files = new();
        private UmbraCapture? capture;
        private readonly List<BenchmarkCase> profiled = new();

        /// <summary>Looks for umbra at once; whether there is one, validation says.</summary>
        /// <param name="options">What to profile.</param>
        public UmbraDiagnoser(UmbraOptions options)
        {
            ArgumentNullException.ThrowIfNull(options);
            this.options = options with { Top = Math.Max(1, options.Top), MaxSeconds = Math.Max(1, options.MaxSeconds) };
            umbra = UmbraProgram.Find(options.UmbraPath, out missing);
        }

        /// <inheritdoc/>
        public IEnumerable<string> Ids => new[] { nameof(UmbraDiagnoser) };

        /// <inheritdoc/>
        public IEnumerable<IExporter> Exporters => new[] { new UmbraExporter(options.Top) };

        /// <inheritdoc/>
        public IEnumerable<IAnalyser> Analysers => Array.Empty<IAnalyser>();

        /// <inheritdoc/>
        public RunMode GetRunMode(BenchmarkCase benchmarkCase)
        {
            ArgumentNullException.ThrowIfNull(benchmarkCase);
            return umbra != null && WhyNot(benchmarkCase) == null ? RunMode.ExtraRun : RunMode.None;
        }

        /// <summary>One line for each thing that keeps benchmarks from being profiled; none is critical.</summary>
        /// <param name="validationParameters">The benchmarks.</param>
        /// <returns>What is missing.</returns>
        public IEnumerable<ValidationError> Validate(ValidationParameters validationParameters)
        {
            ArgumentNullException.ThrowIfNull(validationParameters);
            IEnumerable<string> reasons = umbra == null
                ? new[] { missing }
                : validationParameters.Benchmarks.Select(WhyNot).OfType<string>().Distinct();
            return reasons.Select(reason => new ValidationError(
                false, $"{nameof(UmbraDiagnoser)}: {reason}; the benchmarks run without profiles"));
        }

        /// <inheritdoc/>
        public void Handle(HostSignal signal, DiagnoserActionParameters parameters)
        {
            ArgumentNullException.ThrowIfNull(parameters);
            if (umbra == null || WhyNot(parameters.BenchmarkCase) != null)
            {
                return;
            }
            try
            {
                Handle(umbra, signal, parameters);
            }
            catch (Exception error) when (error is IOException or UnauthorizedAccessException or JsonException or
                                              InvalidOperationException or System.ComponentModel.Win32Exception or
                                              KeyNotFoundException)
            {
                capture?.Dispose();
                capture = null;
                foreach (ILogger logger in parameters.Config.GetLoggers())
                {
                    logger.WriteLineError($"// {nameof(UmbraDiagnoser)}: no profile of " +
                                          $"{parameters.BenchmarkCase.DisplayInfo}: {error.Message}");
                }
            }
        }

        private void Handle(UmbraProgram program, HostSignal signal, DiagnoserActionParameters parameters)
        {
            switch (signal)
            {
                case HostSignal.BeforeProcessStart:
                    IDictionary<string, string?> environment = parameters.Process.StartInfo.Environment;
                    foreach ((string name, string value) in program.Variables())
                    {
                        environment[name] = value;
                    }
                    // What is timed is compiled anew and becomes optimised code once it was called
                    // 30 times, not only after the tenth of a second that the runtime waits for.
                    environment.TryAdd("DOTNET_TC_CallCountingDelayMs", "0");
                    break;
                case HostSignal.BeforeActualRun:
                    capture = UmbraCapture.Begin(program, parameters.Process.Id,
                                                 files.PathOf(parameters.BenchmarkCase), options);
                    break;
                case HostSignal.AfterActualRun when capture != null:
                    bool cut = capture.End();
                    capture.Dispose();
                    capture = null;
                    BenchmarkProfile.Read(program, files.PathOf(parameters.BenchmarkCase), cut,
                                          parameters.BenchmarkCase);
                    profiled.Add(parameters.BenchmarkCase);
                    break;
                case HostSignal.AfterProcessExit when capture != null:
                    throw new IOException("its process ended within the workload stage");
            }
        }

        /// <summary>None: the columns read the profiles themselves.</summary>
        /// <param name="results">Of a benchmark.</param>
        /// <returns>Nothing.</returns>
        public IEnumerable<Metric> ProcessResults(DiagnoserResults results) => Array.Empty<Metric>();

        /// <inheritdoc/>
        public void DisplayResults(ILogger logger)
        {
            ArgumentNullException.ThrowIfNull(logger);
            if (profiled.Count > 0)
            {
                logger.WriteLineInfo("Profiles; 'umbra report' reads one, 'umbra diff OLD NEW' compares two versions:");
            }
            foreach (BenchmarkCase benchmark in profiled)
            {
                logger.WriteLineInfo($"  {BenchmarkProfile.Of(benchmark)?.File}");
            }
        }

        /// <summary>Why umbra cannot profile the benchmark; null: it can.</summary>
        private static string? WhyNot(BenchmarkCase benchmark)
        {
            Job job = benchmark.Job;
            if (job.Infrastructure.Toolchain?.IsInProcess == true)
            {
                return $"job {job.ResolvedId} runs in this process, which umbra does not time";
            }
            return job.Environment.Runtime is null or CoreRuntime
                ? null
                : $"job {job.ResolvedId} runs on {job.Environment.Runtime.Name}, and umbra times CoreCLR alone";
        }
    }
}
