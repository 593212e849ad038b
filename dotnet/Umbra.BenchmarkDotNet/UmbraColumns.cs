// SPDX-License-Identifier: MIT
// The columns of the summary: the hottest method, and how often an operation calls it.
using System.Globalization;
using System.Linq;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;

namespace Umbra.BenchmarkDotNet
{
    /// <summary>A column that shows something of the benchmark's profile; "-" without one.</summary>
    public abstract class UmbraColumn : IColumn
    {
        private protected UmbraColumn()
        {
        }

        /// <inheritdoc/>
        public string Id => $"Umbra.{ColumnName}";

        /// <inheritdoc/>
        public abstract string ColumnName { get; }

        /// <inheritdoc/>
        public abstract string Legend { get; }

        /// <inheritdoc/>
        public abstract int PriorityInCategory { get; }

        /// <inheritdoc/>
        public abstract bool IsNumeric { get; }

        /// <inheritdoc/>
        public bool AlwaysShow => true;

        /// <inheritdoc/>
        public ColumnCategory Category => ColumnCategory.Metric;

        /// <inheritdoc/>
        public UnitType UnitType => UnitType.Dimensionless;

        /// <inheritdoc/>
        public bool IsAvailable(Summary summary) =>
            summary != null && summary.BenchmarksCases.Any(benchmark => BenchmarkProfile.Of(benchmark) != null);

        /// <inheritdoc/>
        public bool IsDefault(Summary summary, BenchmarkCase benchmarkCase) => false;

        /// <inheritdoc/>
        public string GetValue(Summary summary, BenchmarkCase benchmarkCase)
        {
            BenchmarkProfile? profile = BenchmarkProfile.Of(benchmarkCase);
            return profile?.Hottest == null ? "-" : Show(profile, profile.Hottest, summary?.GetCultureInfo());
        }

        /// <inheritdoc/>
        public string GetValue(Summary summary, BenchmarkCase benchmarkCase, SummaryStyle style) =>
            GetValue(summary, benchmarkCase);

        private protected abstract string Show(BenchmarkProfile profile, ProfiledMethod hottest, CultureInfo? culture);
    }

    /// <summary>The method with the greatest self time.</summary>
    public sealed class HottestMethodColumn : UmbraColumn
    {
        /// <summary>The one.</summary>
        public static readonly HottestMethodColumn Instance = new();

        private const int MostCharacters = 60;  // wider ones make every row of the summary as wide

        private HottestMethodColumn()
        {
        }

        /// <inheritdoc/>
        public override string ColumnName => "hottest method";

        /// <inheritdoc/>
        public override string Legend => "Method with the greatest self time, as umbra timed it in a run of its own";

        /// <inheritdoc/>
        public override int PriorityInCategory => 1;

        /// <inheritdoc/>
        public override bool IsNumeric => false;

        private protected override string Show(BenchmarkProfile profile, ProfiledMethod hottest, CultureInfo? culture) =>
            MethodName.Short(hottest.Name, MostCharacters);
    }

    /// <summary>Calls of that method in one operation, exact unless "~" says that the capture was cut.</summary>
    public sealed class HottestCallsColumn : UmbraColumn
    {
        /// <summary>The one.</summary>
        public static readonly HottestCallsColumn Instance = new();

        private HottestCallsColumn()
        {
        }

        /// <inheritdoc/>
        public override string ColumnName => "calls/op of hottest";

        /// <inheritdoc/>
        public override string Legend =>
            "Calls of the hottest method in one operation; ~: of a capture that did not have the whole stage";

        /// <inheritdoc/>
        public override int PriorityInCategory => 0;

        /// <inheritdoc/>
        public override bool IsNumeric => true;

        private protected override string Show(BenchmarkProfile profile, ProfiledMethod hottest, CultureInfo? culture) =>
            profile.CallsPerOperation(hottest, culture);
    }
}
