// SPDX-License-Identifier: MIT
// Calls by reflection: of methods, constructors, properties, delegates, generic ones made on the way.
using System;
using System.Collections.Generic;
using System.Reflection;

static class Reflect
{
    interface IShape { object Scale(object by); }
    sealed class Square(int side) : IShape
    {
        public int Side { get; set; } = side;
        public object Scale(object by) => Side * (int)by;
    }

    static readonly Type[] Arguments =
        [typeof(int), typeof(string), typeof(Guid), typeof(DateTime), typeof(decimal?), typeof(object[]), typeof(DayOfWeek)];

    static int Add(int a, int b) => a + b;
    static string Join<T>(T a, object b) => $"{a}{b}";
    static T[] Twice<T>(T value) => [value, value];
    static unsafe int Sum(ReadOnlySpan<int> values)
    {
        int sum = 0;
        foreach (int value in values) sum += value;
        return sum;
    }
    delegate int Summing(ReadOnlySpan<int> values);

    public static void Round(int round)
    {
        const BindingFlags All = BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.Instance;
        MethodInfo add = typeof(Reflect).GetMethod(nameof(Add), All)!;
        Check((int)add.Invoke(null, [round, 1])! == round + 1);
        Check(add.CreateDelegate<Func<int, int, int>>()(round, 2) == round + 2);
        Type argument = Arguments[round % Arguments.Length], other = Arguments[round / 7 % Arguments.Length];
        object? value = argument.IsValueType ? Activator.CreateInstance(argument) : argument == typeof(string) ? "s" : new object[1];
        typeof(Reflect).GetMethod(nameof(Join), All)!.MakeGenericMethod(argument).Invoke(null, [value, round]);
        var twice = (Array)typeof(Reflect).GetMethod(nameof(Twice), All)!.MakeGenericMethod(argument).Invoke(null, [value])!;
        Check(twice.Length == 2 && Equals(twice.GetValue(0), value));
        object shape = Activator.CreateInstance(typeof(Square), [round])!;
        Check((int)typeof(IShape).GetMethod("Scale")!.Invoke(shape, [2])! == 2 * round);
        PropertyInfo side = typeof(Square).GetProperty("Side")!;
        side.SetValue(shape, 7);
        Check((int)side.GetValue(shape)! == 7);
        var summing = (Summing)Delegate.CreateDelegate(typeof(Summing), typeof(Reflect).GetMethod(nameof(Sum), All)!);
        Check(summing([1, 2, 3]) == 6);
        Type made = typeof(Dictionary<,>).MakeGenericType(argument, other);
        var table = (System.Collections.IDictionary)Activator.CreateInstance(made)!;
        if (value != null && argument != typeof(decimal?)) table.Add(value, other.IsValueType ? Activator.CreateInstance(other) : null);
        Check(table.Count <= 1);
        foreach (CustomAttributeData attribute in typeof(Reflect).Assembly.GetCustomAttributesData()) attribute.ToString();
    }

    internal static void Check(bool right)
    {
        if (!right) throw new InvalidOperationException("a wrong answer");
    }
}
