// SPDX-License-Identifier: MIT
// Constructors, and initializers of fields, which compilers move into them.
using System;

namespace Names;

static class Constructors
{
    public static void Run()
    {
        _ = new Initialized(2).Total;
        _ = Initialized.Started;
        _ = new Child(1).ToString();
        _ = new Delegating();
        _ = new Plain().Size;
        _ = new Defaulted();
        _ = new Started();
    }
}

class Initialized(int start)  //@ primary constructor: Names.Initialized.Initialized(int)
{
    public static readonly int Started = Environment.ProcessorCount;  //@ initializer of a static field: static Names.Initialized.Initialized()

    readonly int[] numbers = new[] { start, 2 };
    public int Total => numbers.Length;  //@ property with an expression body: Names.Initialized.Total.get
}

class Parent
{
    readonly object gate = new();
    readonly int[] table =
    {
        Environment.ProcessorCount,
    };

    protected Parent(int n)  //@ constructor with initializers of fields: Names.Parent.Parent(int)
    {
        lock (gate)
        {
            table[0] = n;
        }
    }
}

class Child : Parent
{
    readonly string text = 3.ToString();

    public Child(int n)
        : base(n)  //@ constructor that calls that of its base: Names.Child.Child(int)
    {
        GC.KeepAlive(text);
    }

    public override string ToString() => text + late;  //@ override: Names.Child.ToString()

    readonly string late = 4.ToString();
}

class Delegating
{
    readonly int n;

    public Delegating()
        : this(1)  //@ constructor that calls another: Names.Delegating.Delegating()
    {
    }

    Delegating(int n)  //@ constructor that is called: Names.Delegating.Delegating(int)
    {
        this.n = n;
    }

    public override int GetHashCode() => n;
}

class Plain
{
    public int Size = Environment.ProcessorCount;  //@ constructor that nobody wrote, with initializers: Names.Plain.Plain()
}

class Defaulted  //@0 constructor that nobody wrote: Names.Defaulted.Defaulted()
{
}

struct Started
{
    readonly int n = Environment.ProcessorCount;  //@ constructor of a struct, with initializers: Names.Started.Started()

    public Started()
    {
        GC.KeepAlive(n);
    }
}
