// SPDX-License-Identifier: MIT
// Records, structs, generic and nested types.
using System;
using System.Collections.Generic;

namespace Names;

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
        Same(1);
        Same("a");
        Same(new List<int>());
        new Local().Hide();
        using (new Scope()) { }
        foreach (int _ in new Range()) { }
        new Fields();
        _ = new Held<int>(3).Value;
        var split = new Split();
        split.First();
        split.Second();
    }

    //= generic method, called with value types
    //: 1 Names.Types.Same<int>(int)
    //= generic method, called with classes, which share its code
    //: 2 Names.Types.Same<T>(T)
    static T Same<T>(T value) => value;
}

//= record
//: 1 Names.Item.Item(string, int)
//: 1 Names.Item.Item(Item)
//: 1 Names.Item.Clone()
//: 1 Names.Item.Count.init
//: 1 Names.Item.operator ==(Item, Item)
//: 1 Names.Item.Equals(Item)
//: 1 Names.Item.Deconstruct(out string, out int)
//: 1 Names.Item.ToString()
//: 1 Names.Item.PrintMembers(StringBuilder)
record Item(string Name, int Count)  //@ record: Names.Item.Item(string, int); Names.Item.ToString(); Names.Item.Equals(Item); Names.Item.Item(Item); Names.Item.PrintMembers(StringBuilder); Names.Item.Deconstruct(out string, out int); Names.Item.operator ==(Item, Item); Names.Item.Clone(); Names.Item.GetHashCode(); Names.Item.Count.init
{
    public string Both => Name + Count;
}

//= record struct
//: 2 Names.Point.Point(int, int)
//: 1 Names.Point.Equals(Point)
readonly record struct Point(
    int X,  //@ record struct: Names.Point.Point(int, int); Names.Point.Equals(Point)
    int Y);

record Bare
{
    public int Size { get; init; }  //@ property of a record: Names.Bare.Size.init
}

class Outer<T>
{
    //= generic class in a generic class
    //: 1 Names.Outer<int>.Inner<long>.Join(int, long)
    //: 1 Names.Outer<T>.Inner<U>.Join(T, U)
    public class Inner<U>
    {
        public void Join(T one, U two)
        {
            GC.KeepAlive(one);  //@{ nested generic types: Names.Outer<int>.Inner<long>.Join(int, long); Names.Outer<T>.Inner<U>.Join(T, U)
        }
    }
}

//= type local to its file
//: 1 Names.Local.Hide()
file class Local
{
    public void Hide() => GC.KeepAlive(this);  //@ type local to its file: Names.Local.Hide()
}

//= using by pattern, of a ref struct
//: 1 Names.Scope.Dispose()
ref struct Scope
{
    public void Dispose()
    {
        GC.KeepAlive(1);  //@{ using by pattern: Names.Scope.Dispose()
    }
}

//= foreach by pattern
//: 1 Names.Range.GetEnumerator()
//: 2 Names.Range.Steps.MoveNext()
//: 1 Names.Range.Steps.Current.get
struct Range
{
    public Steps GetEnumerator() => default;  //@ foreach by pattern: Names.Range.GetEnumerator()

    public struct Steps
    {
        int taken;
        public bool MoveNext() => taken++ == 0;  //@ MoveNext that somebody wrote: Names.Range.Steps.MoveNext()
        public int Current => taken;
    }
}

class Fields
{
    //= lambda in a field initializer
    //: 1 Names.Fields.Fields.lambda(int)
    readonly Func<int, int> twice = n => 2 * n;

    //= lambda in a property
    //: 1 Names.Fields.Total.get.lambda(int)
    public int Total => new List<int> { 1 }.ConvertAll(n => n + 1).Count;

    public Fields() => twice(Total);
}

class Held<T>(T value)  //@ generic primary constructor: Names.Held<int>.Held(int)
{
    public T Value => value;  //@ captured parameter: Names.Held<int>.Value.get
}
