// SPDX-License-Identifier: MIT
// What a program knows about its own calls, printed as one line of JSON for the tests to compare.
using System;
using System.Collections.Generic;
using System.Text;

namespace Umbra.Testing;

/// Collected on the main thread; Print() ends the program's own output.
static class Expect
{
    static readonly SortedDictionary<string, long> counts = new(StringComparer.Ordinal);
    static readonly List<string> trees = new();

    /// `method` is "Type.Method" as the report shows it, without namespace and parameters.
    public static void Calls(string method, long calls)
    {
        counts.TryGetValue(method, out long before);
        counts[method] = before + calls;
    }

    /// A call tree: one method a line, two blanks deeper for each level, and its number of calls.
    public static void Tree(string tree) => trees.Add(tree);

    /// Ends the process with status 1 unless the program's own result is right.
    public static void Equal<T>(T actual, T expected, string what)
    {
        if (!EqualityComparer<T>.Default.Equals(actual, expected))
        {
            Console.WriteLine($"WRONG {what}: {actual} instead of {expected}");
            Environment.Exit(1);
        }
    }

    public static void Print()
    {
        var line = new StringBuilder("UMBRA-EXPECT {\"counts\": {");
        string comma = "";
        foreach (var (method, calls) in counts)
        {
            line.Append(comma).Append(Quoted(method)).Append(": ").Append(calls);
            comma = ", ";
        }
        line.Append("}, \"trees\": [");
        comma = "";
        foreach (string tree in trees)
        {
            line.Append(comma).Append(Quoted(tree));
            comma = ", ";
        }
        Console.WriteLine(line.Append("]}").ToString());
    }

    static string Quoted(string text) =>
        "\"" + text.Replace("\\", "\\\\").Replace("\"", "\\\"").Replace("\n", "\\n") + "\"";
}
