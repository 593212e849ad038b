// SPDX-License-Identifier: MIT
// The program umbra: where it is, and its commands as this package needs them.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

namespace Umbra.BenchmarkDotNet
{
    /// <summary>Starts umbra. Safe from any thread.</summary>
    internal sealed class UmbraProgram
    {
        private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(1);

        private readonly string path;

        private UmbraProgram(string path) => this.path = path;

        /// <summary>The program, or in <paramref name="reason"/> why there is none.</summary>
        public static UmbraProgram? Find(string? given, out string reason)
        {
            if (!OperatingSystem.IsLinux() || RuntimeInformation.ProcessArchitecture != Architecture.X64)
            {
                reason = $"umbra is for linux-x64, and this is {RuntimeInformation.RuntimeIdentifier}";
                return null;
            }
            string? variable = Environment.GetEnvironmentVariable("UMBRA_PATH");
            (string place, string source) =
                !string.IsNullOrEmpty(given) ? (given, "UmbraPath of the attribute or the options")
                : !string.IsNullOrEmpty(variable) ? (variable, "the environment variable UMBRA_PATH")
                : ("", "");
            string? found = place.Length > 0 ? InPlace(place) : InPath();
            reason = found != null ? ""
                : place.Length > 0
                    ? $"{source} names '{place}', where no program umbra is"
                    : "there is no umbra in PATH, and neither UmbraPath nor UMBRA_PATH names one";
            return found == null ? null : new UmbraProgram(found);
        }

        /// <summary>Starts umbra with its output going to pipes.</summary>
        public Process Start(IEnumerable<string> arguments)
        {
            var start = new ProcessStartInfo(path)
            {
                UseShellExecute = false,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            foreach (string argument in arguments)
            {
                start.ArgumentList.Add(argument);
            }
            return Process.Start(start) ?? throw new IOException($"{path} does not start");
        }

        /// <summary>Standard output of a command that takes a moment.</summary>
        /// <exception cref="IOException">It failed; the message is what umbra says.</exception>
        public string Run(params string[] arguments)
        {
            using Process process = Start(arguments);
            Task<string> said = process.StandardOutput.ReadToEndAsync();
            Task<string> complained = process.StandardError.ReadToEndAsync();
            if (!process.WaitForExit(Timeout))
            {
                process.Kill();
                throw new IOException($"umbra {arguments[0]} did not end within {Timeout.TotalSeconds:0} s");
            }
            return process.ExitCode == 0
                ? said.Result
                : throw new IOException($"umbra {arguments[0]} failed: {complained.Result.Trim()}");
        }

        /// <summary>The variables of <c>umbra env</c>: they prepare a program for a capture.</summary>
        /// <exception cref="IOException">As <see cref="Run"/>.</exception>
        public IEnumerable<KeyValuePair<string, string>> Variables() =>
            Run("env").Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Select(line => line.Split('=', 2))
                .Where(parts => parts.Length == 2)
                .Select(parts => KeyValuePair.Create(parts[0], parts[1]));

        private static string? InPath() =>
            (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
                .Where(folder => folder.Length > 0)
                .Select(InPlace).FirstOrDefault(program => program != null);

        private static string? InPlace(string place)
        {
            string program = Path.GetFullPath(Directory.Exists(place) ? Path.Combine(place, "umbra") : place);
            const UnixFileMode AnyExecute =
                UnixFileMode.UserExecute | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute;
            return OperatingSystem.IsLinux() && File.Exists(program) &&
                   (File.GetUnixFileMode(program) & AnyExecute) != 0 ? program : null;
        }
    }
}
