// SPDX-License-Identifier: MIT
// Records, partial and nested types.
using System;
using System.Collections.Generic;

namespace Lines;

static class Types
{
    public static void Run()
    {
        var item = new Item("a", 1);
        Item other = item with { Count = 2 };
        _ = item == other;
        _ = item.ToString() + item.GetHashCode();
        (string _, int _) = item;
        _ = new Point(1, 2).Equals(new Point(1, 2));
        _ = new Bare { Size = 1 }.ToString();
        new Outer<string>.Inner<string>().Join("a", "b");
        new Outer<int>.Inner<long>().Join(1, 2);
        new Local().Hide();
        var split = new Split();
        split.First();
        split.Second();
        using (new Scope()) { }
        foreach (int _ in new Numbers()) { }
        _ = new { Count = 1 }.Count;
        _ = new Shelf<int>(3).Value;
    }
}

record Item(string Name, int Count)  //@ record: Lines.Item.Item(string, int); Lines.Item.ToString(); Lines.Item.Equals(Item); Lines.Item.Item(Item); Lines.Item.PrintMembers(StringBuilder); Lines.Item.Deconstruct(out string, out int); Lines.Item.operator ==(Item, Item); Lines.Item.Clone(); Lines.Item.GetHashCode(); Lines.Item.Count.init
{
    public string Both => Name + Count;
}

readonly record struct Point(
    int X,  //@ record struct: Lines.Point.Point(int, int); Lines.Point.Equals(Point)
    int Y);

record Bare
{
    public int Size { get; init; }  //@ property of a record: Lines.Bare.Size.init
}

class Outer<T>
{
    public class Inner<U>
    {
        public void Join(T one, U two)
        {
            GC.KeepAlive(one);  //@{ nested generic types: Lines.Outer<int>.Inner<long>.Join(int, long); Lines.Outer<T>.Inner<U>.Join(T, U)
        }
    }
}

file class Local
{
    public void Hide() => GC.KeepAlive(this);  //@ type local to its file: Lines.Local.Hide()
}

ref struct Scope
{
    public void Dispose()
    {
        GC.KeepAlive(1);  //@{ using by pattern: Lines.Scope.Dispose()
    }
}

struct Numbers
{
    public Steps GetEnumerator() => default;  //@ foreach by pattern: Lines.Numbers.GetEnumerator()

    public struct Steps
    {
        int taken;
        public bool MoveNext() => taken++ == 0;  //@ MoveNext that somebody wrote: Lines.Numbers.Steps.MoveNext()
        public int Current => taken;
    }
}

class Shelf<T>(T value)  //@ generic primary constructor: Lines.Shelf<int>.Shelf(int)
{
    public T Value => value;  //@ captured parameter: Lines.Shelf<int>.Value.get
}
