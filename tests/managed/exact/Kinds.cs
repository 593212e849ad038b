// SPDX-License-Identifier: MIT
// Every kind of method: virtual, of interfaces, structures and generic types, operators, accessors that
// do something, local functions, lambdas, methods as delegates.
using System;

namespace Exact;

abstract class Shape
{
    public abstract int Area();
    public virtual string Name() { Count.Hit(27); return "shape"; }
}

sealed class Circle : Shape
{
    public override int Area() { Count.Hit(25); return 3; }
}

class Square : Shape
{
    public override int Area() { Count.Hit(26); return 4; }
    public override string Name() { Count.Hit(28); return "square"; }
}

interface IWork
{
    int Do(int i);
    int Twice(int i) { Count.Hit(29); return 2 * i; }
}

interface IOther
{
    int Do(int i);
}

class Worker : IWork, IOther
{
    public int Do(int i) { Count.Hit(30); return i; }
    int IOther.Do(int i) { Count.Hit(31); return -i; }
}

readonly struct Point
{
    readonly int x;
    readonly int y;

    public Point(int x, int y) => (this.x, this.y) = (x, y);
    public int Length() { Count.Hit(32); return x + y; }
    public static Point operator +(Point a, Point b) { Count.Hit(33); return new Point(a.x + b.x, a.y + b.y); }
    public int Norm { get { Count.Hit(34); int all = 0; for (int i = 0; i < 2; i++) all += x * y; return all; } }
}

class Shelf
{
    readonly int[] items;
    public Shelf(int size) { Count.Hit(37); items = new int[size]; }
    public int this[int i] { get { Count.Hit(35); int all = 0; for (int k = 0; k <= i; k++) all += items[k]; return all; } }
    public int Size { set { Count.Hit(36); for (int k = 0; k < items.Length; k++) items[k] = value; } }
}

class Box<T>
{
    T? kept;
    public T Keep(T value) { Count.Hit(typeof(T) == typeof(int) ? 38 : 39); kept = value; return value; }

    public class Lid<U>
    {
        public int Close(U with) { Count.Hit(40); return with is null ? 0 : 1; }
    }
}

static class Kinds
{
    static readonly Shape[] shapes = { new Circle(), new Square() };
    static readonly IWork work = new Worker();
    static readonly Box<int> numbers = new();
    static readonly Box<string> texts = new();
    static readonly Box<string>.Lid<string> lid = new();
    static readonly Func<int, int> method = Method;
    static int grown;

    public static int Run(int i)
    {
        Count.Hit(24);
        int sum = 0;
        for (int k = 0; k < 10; k++)
        {
            Shape shape = shapes[k % 2];
            sum += shape.Area() + shape.Name().Length + work.Do(k) + work.Twice(k) + ((IOther)work).Do(k);
        }
        var point = new Point(i, 1) + new Point(1, i);
        var shelf = new Shelf(3) { Size = i };
        sum += point.Length() + point.Norm + shelf[2] + numbers.Keep(i) + texts.Keep("a").Length + lid.Close("b");
        sum += Local(i) + Lambdas(i) + method(i) + method(i + 1);
        Grow();
        return sum;
    }

    static int Local(int i)
    {
        Count.Hit(52);
        return Inner(1) + Inner(2);
        int Inner(int by) { Count.Hit(41); return i * by; }
    }

    static int Lambdas(int i)
    {
        Count.Hit(42);
        Func<int, int> plain = x => { Count.Hit(43); return x + 1; };
        Func<int, int> closing = x => { Count.Hit(56); return x + i; };
        return plain(closing(plain(i)));
    }

    static int Method(int i) { Count.Hit(44); return i; }
    static void Grow() { Count.Hit(45); grown++; }
}
