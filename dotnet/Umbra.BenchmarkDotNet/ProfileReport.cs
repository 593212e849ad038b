// SPDX-License-Identifier: MIT
// What umbra report says of one profile: methods, who was called first, and paths.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

namespace Umbra.BenchmarkDotNet
{
    /// <summary>
    /// A method of a profile. Times are wall times in nanoseconds, the probes' cost taken out.
    /// </summary>
    internal sealed record ProfiledMethod(string Name, string Module, long Calls, long SelfNs, long TotalNs);

    /// <summary>Asks umbra about one profile. Each question starts <c>umbra report</c> once.</summary>
    internal sealed class ProfileReport
    {
        /// <summary>What the calls of a capture begin in: whatever ran before it.</summary>
        private const string Beginning = "(running before start)";

        private readonly UmbraProgram umbra;
        private readonly string file;

        /// <summary>Asks nothing yet.</summary>
        public ProfileReport(UmbraProgram umbra, string file)
        {
            this.umbra = umbra;
            this.file = file;
        }

        /// <summary>The methods that were called, by self time, the greatest first; and the events lost.</summary>
        /// <exception cref="System.IO.IOException">As <see cref="UmbraProgram.Run"/>.</exception>
        /// <exception cref="JsonException">umbra has written something else than a report.</exception>
        public (IReadOnlyList<ProfiledMethod> Methods, long LostEvents) Methods()
        {
            using JsonDocument report = Ask("--sort", "self");
            return (Rows(report.RootElement, "functions").Where(method => method.Calls > 0).ToList(),
                    report.RootElement.GetProperty("summary").GetProperty("lost_events").GetInt64());
        }

        /// <summary>
        /// The methods that no timed method called, with those calls alone. Recursion is no call from
        /// outside: its caller is the method itself.
        /// </summary>
        /// <exception cref="System.IO.IOException">As <see cref="UmbraProgram.Run"/>.</exception>
        /// <exception cref="JsonException">umbra has written something else than a report.</exception>
        public IReadOnlyList<ProfiledMethod> CalledFirst()
        {
            using JsonDocument report = Ask("--callees", Beginning);
            return report.RootElement.GetProperty("methods").EnumerateArray()
                .SelectMany(asked => Rows(asked, "callees")).ToList();
        }

        /// <summary>
        /// What was called below the methods that <paramref name="root"/> chooses among those that no
        /// timed method called, or that one of <paramref name="between"/> called: those themselves and
        /// whatever they call, one row a method.
        /// </summary>
        /// <exception cref="System.IO.IOException">As <see cref="UmbraProgram.Run"/>.</exception>
        /// <exception cref="JsonException">umbra has written something else than a report.</exception>
        public IReadOnlyList<ProfiledMethod> Below(Func<ProfiledMethod, bool> root, Func<ProfiledMethod, bool> between)
        {
            using JsonDocument report = Ask("--tree", "--min", "0", "--depth", "65536");
            var below = new Dictionary<(string, string), ProfiledMethod>();
            var path = new List<ProfiledMethod>();
            int chosen = 0;  // the depth of the chosen method on the path; 0: there is none
            foreach (JsonElement row in report.RootElement.GetProperty("tree").EnumerateArray())
            {
                int depth = row.GetProperty("depth").GetInt32();
                ProfiledMethod method = Method(row);
                path.RemoveRange(depth, path.Count - depth);
                chosen = chosen < depth ? chosen : 0;
                if (chosen == 0 && depth > 0 && root(method) && path.Skip(1).All(between))
                {
                    chosen = depth;
                }
                if (chosen > 0)
                {
                    bool outermost = !path.Skip(chosen).Any(other => Key(other) == Key(method));
                    Add(below, outermost ? method : method with { TotalNs = 0 });
                }
                path.Add(method);
            }
            return below.Values.ToList();
        }

        /// <summary>What tells one method of a profile from another.</summary>
        public static (string, string) Key(ProfiledMethod method) => (method.Module, method.Name);

        private static void Add(Dictionary<(string, string), ProfiledMethod> sums, ProfiledMethod method)
        {
            sums[Key(method)] = !sums.TryGetValue(Key(method), out ProfiledMethod? sum) ? method : sum with
            {
                Calls = sum.Calls + method.Calls,
                SelfNs = sum.SelfNs + method.SelfNs,
                TotalNs = sum.TotalNs + method.TotalNs,
            };
        }

        private JsonDocument Ask(params string[] options) =>
            JsonDocument.Parse(umbra.Run(new[] { "report", file, "--json" }.Concat(options).ToArray()));

        private static IEnumerable<ProfiledMethod> Rows(JsonElement of, string list) =>
            of.GetProperty(list).EnumerateArray().Select(Method);

        private static ProfiledMethod Method(JsonElement row) =>
            new(row.GetProperty("name").GetString() ?? "", row.GetProperty("module").GetString() ?? "",
                row.GetProperty("calls").GetInt64(), row.GetProperty("wall_self_ns").GetInt64(),
                row.GetProperty("wall_total_ns").GetInt64());
    }
}
