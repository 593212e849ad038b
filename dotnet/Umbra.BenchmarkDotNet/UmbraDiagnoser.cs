// SPDX-License-Identifier: MIT
// The diagnoser: prepares the process of the extra run, and times its actual workload stage.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
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
        // Of all diagnosers: where summaries are joined, one of them shows what all have done.
        private static readonly ConcurrentQueue<BenchmarkCase> Profiled = new();

        private readonly UmbraOptions options;
        private readonly Dictionary<string, (UmbraProgram? Program, string Missing)> programs = new();
        private readonly ProfileFiles files = new();
        private UmbraCapture? capture;

        /// <summary>Whether there is umbra, validation says.</summary>
        /// <param name="options">What to profile; the attribute of a benchmark's class counts for more.</param>
        public UmbraDiagnoser(UmbraOptions options)
        {
            ArgumentNullException.ThrowIfNull(options);
            this.options = options;
        }

        /// <inheritdoc/>
        public IEnumerable<string> Ids => new[] { nameof(UmbraDiagnoser) };

        /// <inheritdoc/>
        public IEnumerable<IExporter> Exporters => new[] { new UmbraExporter(OptionsOf, WhyNot) };

        /// <inheritdoc/>
        public IEnumerable<IAnalyser> Analysers => Array.Empty<IAnalyser>();

        /// <inheritdoc/>
        public RunMode GetRunMode(BenchmarkCase benchmarkCase)
        {
            ArgumentNullException.ThrowIfNull(benchmarkCase);
            return WhyNot(benchmarkCase) == null ? RunMode.ExtraRun : RunMode.None;
        }

        /// <summary>One line for each thing that keeps benchmarks from being profiled; none is critical.</summary>
        /// <param name="validationParameters">The benchmarks.</param>
        /// <returns>What is missing.</returns>
        public IEnumerable<ValidationError> Validate(ValidationParameters validationParameters)
        {
            ArgumentNullException.ThrowIfNull(validationParameters);
            IEnumerable<string> reasons = validationParameters.Benchmarks.Select(WhyNot).OfType<string>().Distinct();
            return reasons.Select(reason => new ValidationError(
                false, $"{nameof(UmbraDiagnoser)}: {reason}; the benchmarks run without profiles"));
        }

        /// <inheritdoc/>
        public void Handle(HostSignal signal, DiagnoserActionParameters parameters)
        {
            ArgumentNullException.ThrowIfNull(parameters);
            if (WhyNot(parameters.BenchmarkCase) != null ||
                ProgramOf(parameters.BenchmarkCase).Program is not { } umbra)
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
                BenchmarkProfile.HasNone(parameters.BenchmarkCase, error.Message);
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
                                                 files.PathOf(parameters.BenchmarkCase),
                                                 OptionsOf(parameters.BenchmarkCase),
                                                 BenchmarkProfile.SetupsOf(parameters.BenchmarkCase).Count > 0);
                    break;
                case HostSignal.AfterActualRun when capture != null:
                    bool cut = capture.End();
                    capture.Dispose();
                    capture = null;
                    BenchmarkProfile.Read(program, files.PathOf(parameters.BenchmarkCase), cut,
                                          parameters.BenchmarkCase);
                    Profiled.Enqueue(parameters.BenchmarkCase);
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
            bool any = false;
            while (Profiled.TryDequeue(out BenchmarkCase? benchmark))
            {
                if (!any)
                {
                    logger.WriteLineInfo("Profiles; 'umbra report' reads one, 'umbra diff OLD NEW' compares two versions:");
                }
                any = true;
                logger.WriteLineInfo($"  {BenchmarkProfile.Of(benchmark)?.File}");
            }
        }

        /// <summary>
        /// What the benchmark is profiled with. Of several diagnosers BenchmarkDotNet keeps one for each
        /// class, that of the configuration or of the assembly.
        /// </summary>
        private UmbraOptions OptionsOf(BenchmarkCase benchmark)
        {
            UmbraOptions? own = benchmark.Descriptor.Type.GetCustomAttribute<UmbraDiagnoserAttribute>()?.Options;
            UmbraOptions used = own == null ? options : own with { UmbraPath = own.UmbraPath ?? options.UmbraPath };
            return used with { Top = Math.Max(1, used.Top), MaxSeconds = Math.Max(1, used.MaxSeconds) };
        }

        private (UmbraProgram? Program, string Missing) ProgramOf(BenchmarkCase benchmark)
        {
            string path = OptionsOf(benchmark).UmbraPath ?? "";
            if (!programs.TryGetValue(path, out (UmbraProgram? Program, string Missing) found))
            {
                found = (UmbraProgram.Find(path, out string missing), missing);
                programs.Add(path, found);
            }
            return found;
        }

        /// <summary>Why umbra cannot profile the benchmark; null: it can.</summary>
        private string? WhyNot(BenchmarkCase benchmark)
        {
            if (ProgramOf(benchmark) is (null, { } missing))
            {
                return missing;
            }
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
