// SPDX-License-Identifier: MIT
// Interface, virtual and base calls, static constructors, operators and properties.
using System;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Shapes;

interface IArea
{
    double Area();

    [MethodImpl(MethodImplOptions.NoInlining)]
    double Doubled() => 2 * Area();
}

abstract class Shape : IArea
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public abstract double Area();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public virtual int Corners() => 0;
}

class Circle : Shape
{
    readonly double radius;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public Circle(double radius) => this.radius = radius;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override double Area() => 3 * radius * radius;
}

sealed class Square : Shape
{
    readonly double side;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public Square(double side) => this.side = side;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override double Area() => side * side;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override int Corners() => base.Corners() + 4;
}

struct Point : IArea
{
    public int X, Y;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public Point(int x, int y) => (X, Y) = (x, y);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public readonly double Area() => 0;

    public readonly int Manhattan
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        get => X + Y;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static Point operator +(Point a, Point b) => new(a.X + b.X, a.Y + b.Y);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static implicit operator int(Point p) => p.X;
}

static class Registry
{
    public static readonly int Value;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Registry() => Value = First();

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int First() => 41;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Next() => Value + 1;
}

static class Dispatch
{
    const int Rounds = 20_000;

    public static void Run()
    {
        IArea[] areas = { new Circle(1), new Square(2), new Point(3, 4) };
        double sum = 0;
        for (int i = 0; i < Rounds; i++)
        {
            sum += areas[i % 3].Area() + areas[(i + 1) % 3].Doubled();
        }
        // Each third round asks each of the three once directly and once through Doubled().
        long circle = (Rounds + 2) / 3 + Rounds / 3, square = (Rounds + 1) / 3 + (Rounds + 2) / 3,
             point = Rounds / 3 + (Rounds + 1) / 3;
        Expect.Equal(sum, Sum(), "areas");
        Expect.Calls("Circle.Area", circle);
        Expect.Calls("Square.Area", square);
        Expect.Calls("Point.Area", point);
        Expect.Calls("IArea.Doubled", Rounds);

        var shapes = new Shape[] { new Circle(1), new Square(1) };
        int corners = 0;
        for (int i = 0; i < Rounds; i++)
        {
            corners += shapes[i % 2].Corners();
        }
        Expect.Equal(corners, 2 * Rounds, "corners");
        Expect.Calls("Shape.Corners", Rounds);
        Expect.Calls("Square.Corners", Rounds / 2);
        Expect.Calls("Circle.Circle", 2);
        Expect.Calls("Square.Square", 2);

        var total = new Point(0, 0);
        int manhattan = 0;
        for (int i = 0; i < Rounds; i++)
        {
            total += new Point(1, 2);
            manhattan += total.Manhattan;
        }
        Expect.Equal((int)total, Rounds, "points");
        Expect.Equal(manhattan, 3 * (Rounds * (Rounds + 1) / 2), "manhattan");
        Expect.Calls("Point.Point", 2 + 2 * Rounds);
        Expect.Calls("Point.operator +", Rounds);
        Expect.Calls("Point.Manhattan.get", Rounds);
        Expect.Calls("Point.implicit operator int", 1);

        int next = 0;
        for (int i = 0; i < Rounds; i++)
        {
            next = Registry.Next();
        }
        Expect.Equal(next, 42, "registry");
        Expect.Calls("Registry.Registry", 1);
        Expect.Calls("Registry.First", 1);
        Expect.Calls("Registry.Next", Rounds);
    }

    static double Sum()
    {
        double[] areas = { 3, 4, 0 };
        double sum = 0;
        for (int i = 0; i < Rounds; i++)
        {
            sum += areas[i % 3] + 2 * areas[(i + 1) % 3];
        }
        return sum;
    }
}
