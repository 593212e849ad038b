// SPDX-License-Identifier: MIT
// What the methods were called with, counted by value; each thread counts for itself.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;

static class Tally
{
    sealed class Counts : Dictionary<(string Method, string Argument, string Value), long> { }

    static readonly ThreadLocal<Counts> counts = new(() => new Counts(), trackAllValues: true);

    public static void Add(string method, params (string Name, object? Value)[] arguments)
    {
        Counts own = counts.Value!;
        foreach (var (name, value) in arguments)
        {
            var key = (method, name, Written(value));
            own[key] = own.GetValueOrDefault(key) + 1;
        }
    }

    /// A string as "u" and the numbers of its code units; the rest as umbra writes it.
    static string Written(object? value) => value switch
    {
        null => "null",
        bool on => on ? "true" : "false",
        char letter => "c " + ((int)letter).ToString(),
        string text => "u " + string.Join(' ', text.Select(unit => ((int)unit).ToString())),
        Enum constant => constant.ToString().Replace(", ", " | "),
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => throw new ArgumentException(value.ToString()),
    };

    /// Calls by method, argument and value.
    public static Dictionary<string, Dictionary<string, Dictionary<string, long>>> All()
    {
        var all = new Dictionary<string, Dictionary<string, Dictionary<string, long>>>();
        foreach (var (key, calls) in counts.Values.SelectMany(one => one))
        {
            if (!all.TryGetValue(key.Method, out var by_argument)) all[key.Method] = by_argument = new();
            if (!by_argument.TryGetValue(key.Argument, out var by_value)) by_argument[key.Argument] = by_value = new();
            by_value[key.Value] = by_value.GetValueOrDefault(key.Value) + calls;
        }
        return all;
    }
}
