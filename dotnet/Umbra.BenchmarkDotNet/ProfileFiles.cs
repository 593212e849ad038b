// SPDX-License-Identifier: MIT
// Names of profiles: the same benchmark has the same name in every run.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using BenchmarkDotNet.Characteristics;
using BenchmarkDotNet.Helpers;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Running;

namespace Umbra.BenchmarkDotNet
{
    /// <summary>Gives each benchmark a file of its own. One thread uses it.</summary>
    internal sealed class ProfileFiles
    {
        private const int MostBytes = 200;  // of a name; file systems take 255

        private readonly Dictionary<string, BenchmarkCase> given = new(StringComparer.Ordinal);

        /// <summary>
        /// FOLDER/Namespace.Type.Method(parameters)-Job.h5; the default job is not named. Makes the
        /// folder.
        /// </summary>
        public string PathOf(BenchmarkCase benchmark)
        {
            string folder = Path.Combine(Path.GetFullPath(benchmark.Config.ArtifactsPath), "umbra");
            Directory.CreateDirectory(folder);
            string name = Limited(NameOf(benchmark));
            for (int number = 1;; ++number)
            {
                string path = Path.Combine(folder, number == 1 ? $"{name}.h5" : $"{name}-{number}.h5");
                if (given.TryAdd(path, benchmark) || ReferenceEquals(given[path], benchmark))
                {
                    return path;
                }
            }
        }

        private static string NameOf(BenchmarkCase benchmark)
        {
            string parameters = string.Join(",", benchmark.Parameters.Items.Select(p => $"{p.Name}={p.ToDisplayText()}"));
            string name = FolderNameHelper.ToFolderName(benchmark.Descriptor.Type) + "." +
                          benchmark.Descriptor.WorkloadMethod.Name +
                          (parameters.Length > 0 ? $"({parameters})" : "");
            string job = JobName(benchmark.Job);
            name += job.Length > 0 ? $"-{job}" : "";
            return string.Concat(name.Select(c => char.IsControl(c) || char.IsWhiteSpace(c) || "/\\\"<>|:*?".Contains(c)
                                                      ? '_' : c));
        }

        /// <summary>
        /// The job's id with its runtime. Ids that nobody has given are other ones in each run: such
        /// a job is named by what it sets.
        /// </summary>
        private static string JobName(Job job)
        {
            if (!job.HasValue(CharacteristicObject.IdCharacteristic))
            {
                string shown = job.DisplayInfo;
                int open = shown.IndexOf('(', StringComparison.Ordinal);
                return open < 0 ? "" : shown[(open + 1)..].TrimEnd(')').Replace(", ", ",", StringComparison.Ordinal);
            }
            string runtime = job.Environment.Runtime?.MsBuildMoniker ?? "";
            return runtime.Length > 0 ? $"{job.Id}-{runtime}" : job.Id;
        }

        private static string Limited(string name)
        {
            byte[] bytes = Encoding.UTF8.GetBytes(name);
            if (bytes.Length <= MostBytes)
            {
                return name;
            }
            string digest = Convert.ToHexString(SHA256.HashData(bytes))[..12];
            int length = name.Length;
            while (Encoding.UTF8.GetByteCount(name.AsSpan(0, length)) > MostBytes - digest.Length - 1)
            {
                --length;
            }
            return $"{name[..length]}-{digest}";
        }
    }
}
