// SPDX-License-Identifier: MIT
// Methods whose arguments are told: each tallies itself what it was called with.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

enum Colour : byte { None, Red, Green, Last = 255 }

[Flags]
enum Access : long { None = 0, Read = 1, Write = 2, Top = long.MinValue }

enum Wide : uint { Zero, High = 0x8000_0001 }

enum Negative : sbyte { Minus = -1, Zero, Plus }

static class Told
{
    public enum Nested : ushort { A = 1, B = 0xfffe }

    public static long Integers(sbyte a, byte b, short c, ushort d, int e, uint f, long g, ulong h,
                                nint i, nuint j)
    {
        Tally.Add("Told.Integers", ("a", a), ("b", b), ("c", c), ("d", d), ("e", e), ("f", f), ("g", g),
                  ("h", h), ("i", i), ("j", j), ("return", g ^ e));
        return g ^ e;
    }

    public static double Reals(float x, double y)
    {
        double result = x + y;
        Tally.Add("Told.Reals", ("x", x), ("y", y), ("return", result));
        return result;
    }

    public static float Single(float x)
    {
        Tally.Add("Told.Single", ("x", x), ("return", -x));
        return -x;
    }

    public static bool Letters(bool on, char letter)
    {
        Tally.Add("Told.Letters", ("on", on), ("letter", letter), ("return", !on));
        return !on;
    }

    public static Colour Enums(Colour colour, Access access, DayOfWeek day, Wide wide, Negative negative,
                               Nested nested)
    {
        Tally.Add("Told.Enums", ("colour", colour), ("access", access), ("day", day), ("wide", wide),
                  ("negative", negative), ("nested", nested), ("return", colour));
        return colour;
    }

    public static string? Text(string? text, object? other)
    {
        string? result = other as string;
        Tally.Add("Told.Text", ("text", text), ("text.Length", text?.Length), ("return", result));
        return result;
    }

    public static void Lengths(int[]? items, ReadOnlySpan<char> letters, Span<long> numbers,
                               Memory<byte> memory, ReadOnlyMemory<char> text, string[,]? grid,
                               List<string>? list, Dictionary<int, string>? map)
    {
        Tally.Add("Told.Lengths", ("items.Length", items?.Length), ("letters.Length", letters.Length),
                  ("numbers.Length", numbers.Length), ("memory.Length", memory.Length),
                  ("text.Length", text.Length), ("grid.Length", grid?.Length), ("list.Count", list?.Count),
                  ("map.Count", map?.Count));
    }

    public static byte[] Buffer(int size)
    {
        Tally.Add("Told.Buffer", ("size", size), ("return.Length", size));
        return new byte[size];
    }

    /// The call's own value is told, not what the method makes of it.
    public static int Overwrites(int id)
    {
        Tally.Add("Told.Overwrites", ("id", id), ("return", id));
        int before = id;
        id = -1;
        return id + before + 1;
    }

    public static int Recurses(int depth)
    {
        Tally.Add("Told.Recurses", ("depth", depth));
        return depth == 0 ? 0 : Recurses(depth - 1) + 1;
    }

    /// Half of the calls end by an exception, and give nothing back.
    public static int Throws(int id)
    {
        Tally.Add("Told.Throws", ("id", id));
        if (id % 2 == 1) throw new InvalidOperationException();
        Tally.Add("Told.Throws", ("return", id));
        return id;
    }

    public static async Task<int> Awaits(int id)
    {
        Tally.Add("Told.Awaits", ("id", id));
        await Task.Yield();
        return id;
    }

    public static IEnumerable<int> Iterates(int count)
    {
        Tally.Add("Told.Iterates", ("count", count));
        return Numbers(count);
    }

    static IEnumerable<int> Numbers(int count)
    {
        for (int i = 0; i < count; ++i) yield return i;
    }

    public static int Refused(ref int by_reference, in DateTime when, out int result, DateTime date,
                              object thing, int? maybe, ICollection<int> some, int[] items)
    {
        result = by_reference + some.Count + items.Length + (maybe ?? 0);
        return date == when ? result : thing.GetHashCode();
    }

    // Overloads: those that have the parameter tell it.
    public static void Overloaded(int id) => Tally.Add("Told.Overloaded", ("id", id));
    public static void Overloaded(string name) => Tally.Add("Told.Overloaded", ("name", name));
}

struct Point
{
    public int X;

    public long Scale(int factor)
    {
        Tally.Add("Point.Scale", ("factor", factor), ("return", (long)X * factor));
        return (long)X * factor;
    }
}

class Shop
{
    public virtual int Price(string name, int count)
    {
        Tally.Add("Shop.Price", ("name", name), ("count", count));
        return count;
    }
}

class Kept<T>
{
    readonly List<T> items_ = new();

    public T Keep<U>(int id, T value, U other, List<T> all)
    {
        Tally.Add("Kept.Keep", ("id", id), ("all.Count", all.Count));
        items_.Add(value);
        return value;
    }
}
