// SPDX-License-Identifier: MIT
// Constructors, properties, events, operators, interface and extension members.
using System;
using System.Runtime.CompilerServices;

namespace Lines;

static class Members
{
    public static void Run()
    {
        var money = new Money(1) { Currency = 2 };
        money.Owner = money.Owner + "me";
        money.Size = money.Size + 1;
        money[1] = money[2];
        money.Sold += Nothing;
        money.Sold -= Nothing;
        money.Field += Nothing;
        _ = money + money;
        _ = (int)money;
        Money back = 3;
        ((ITrade)money).Trade(1);
        _ = ((ITrade)money).Price;
        ((ITrade)money).Twice();
        _ = 3.Doubled() + "a".Letters;
        _ = new Initialized(2).Total;
        _ = new Derived(1).ToString();
        _ = new Plain().Size;
        _ = new Defaulted();
        _ = new Started();
        _ = Initialized.Started;
        _ = new Delegating();
        Finalized();
        Nothing();
    }

    static void Nothing() { }  //@ empty body: Lines.Members.Nothing()

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Finalized() => _ = new Shortlived();
}

class Shortlived
{
    ~Shortlived()
    {
        GC.KeepAlive(1);  //@{ finalizer: Lines.Shortlived.~Shortlived()
    }
}

interface ITrade
{
    void Trade(int n);
    int Price { get; }
    void Twice() => Trade(2);  //@ default interface method: Lines.ITrade.Twice()
}

class Money : ITrade
{
    static readonly int start;
    int amount;

    static Money()
    {
        start = 1;  //@{ static constructor, and an accessor that the compiler has made for its type: static Lines.Money.Money(); Lines.Money.Field.add
    }

    public Money(int amount) => this.amount = amount;  //@ constructor with an expression body: Lines.Money.Money(int)

    public string Owner
    {
        get;  //@ automatic property: Lines.Money.Owner.get
        set;  //@ its other accessor: Lines.Money.Owner.set
    } = "";

    public int Size
    {
        get
        {
            return amount;  //@{ property: Lines.Money.Size.get
        }
        set
        {
            amount = value;  //@{ setter: Lines.Money.Size.set
        }
    }

    public int Currency { get; init; }  //@ init accessor: Lines.Money.Currency.init

    public int this[int n]
    {
        get => n;  //@ indexer: Lines.Money.this[int].get
        set => amount = value;  //@ setter of an indexer: Lines.Money.this[int].set
    }

    public event Action Sold
    {
        add => GC.KeepAlive(value);  //@ event: Lines.Money.Sold.add
        remove
        {
            GC.KeepAlive(value);  //@{ its other accessor: Lines.Money.Sold.remove
        }
    }

    public event Action? Field;

    public static Money operator +(Money a, Money b)
    {
        return a.Field == null ? b : a;  //@{ operator: Lines.Money.operator +(Money, Money)
    }

    public static explicit operator int(Money a) =>
        a.amount;  //@ conversion: Lines.Money.explicit operator int(Money)

    public static implicit operator Money(int n) => new(n);  //@ implicit conversion: Lines.Money.implicit operator Money(int)

    void ITrade.Trade(int n)
    {
        amount += n;  //@{ explicit interface method: Lines.Money.ITrade.Trade(int)
    }

    int ITrade.Price => amount + start;  //@ explicit interface property: Lines.Money.ITrade.Price.get
}

static class Extensions
{
    public static int Doubled(this int n) => 2 * n;  //@ extension method: Lines.Extensions.Doubled(int)

    extension(string text)
    {
        public int Letters => text.Length;  //@ extension property: Lines.Extensions.Letters.get
    }
}

class Initialized(int start)  //@ primary constructor: Lines.Initialized.Initialized(int)
{
    public static readonly int Started = Environment.ProcessorCount;  //@ initializer of a static field: static Lines.Initialized.Initialized()

    readonly int[] numbers = new[] { start, 2 };
    public int Total => numbers.Length;  //@ property with an expression body: Lines.Initialized.Total.get
}

class Parent
{
    readonly object gate = new();
    readonly int[] table =
    {
        Environment.ProcessorCount,
    };

    protected Parent(int n)  //@ constructor with initializers of fields: Lines.Parent.Parent(int)
    {
        lock (gate)
        {
            table[0] = n;
        }
    }
}

class Derived : Parent
{
    readonly string text = 3.ToString();

    public Derived(int n)
        : base(n)  //@ constructor that calls that of its base: Lines.Derived.Derived(int)
    {
        GC.KeepAlive(text);
    }

    public override string ToString() => text + late;  //@ override: Lines.Derived.ToString()

    readonly string late = 4.ToString();
}

class Delegating
{
    readonly int n;

    public Delegating()
        : this(1)  //@ constructor that calls another: Lines.Delegating.Delegating()
    {
    }

    Delegating(int n)  //@ constructor that is called: Lines.Delegating.Delegating(int)
    {
        this.n = n;
    }

    public override int GetHashCode() => n;
}

class Plain
{
    public int Size = Environment.ProcessorCount;  //@ constructor that nobody wrote, with initializers: Lines.Plain.Plain()
}

class Defaulted  //@0 constructor that nobody wrote: Lines.Defaulted.Defaulted()
{
}

struct Started
{
    readonly int n = Environment.ProcessorCount;  //@ constructor of a struct, with initializers: Lines.Started.Started()

    public Started()
    {
        GC.KeepAlive(n);
    }
}
