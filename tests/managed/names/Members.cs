// SPDX-License-Identifier: MIT
// Constructors, properties, events, operators, interface and extension members.
using System;
using System.Runtime.CompilerServices;

namespace Names;

static class Members
{
    public static void Run()
    {
        var money = new Money(1) { Currency = 2 };
        money.Owner = "me";
        _ = money.Owner;
        _ = money["a", 1];
        money["a", 1] = 2;
        _ = new Named()[1];
        money.Size = money.Size + 1;
        money.Sold += Nothing;
        money.Sold -= Nothing;
        money.Told += Nothing;
        money.Told -= Nothing;
        ((ITrade)money).Traded += Nothing;
        int amount = (int)(money + money);
        Money back = amount;
        _ = back == money;
        checked { back = back + back; }
        if (back) { ++back; }
        _ = back >>> 1;
        back += 3;
        ((ITrade)money).Trade(1);
        ((ITrade<string>)money).Swap("a");
        _ = ((ITrade)money).Price;
        ((ITrade)money).Twice();
        ITrade.Tax(1);
        Zero<Money>();
        _ = 3.Doubled();
        _ = "a".Size + "a".Padded(2).Length + string.Blank;
        Nothing();
        Finalized();
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }

    static void Nothing() { }  //@ empty body: Names.Members.Nothing()

    static T Zero<T>() where T : IZero<T> => T.Zero + T.Zero;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Finalized() => _ = new Shortlived();
}

class Shortlived
{
    //= finalizer
    //: 1 Names.Shortlived.~Shortlived()
    ~Shortlived()
    {
        GC.KeepAlive(1);  //@{ finalizer: Names.Shortlived.~Shortlived()
    }
}

interface ITrade
{
    void Trade(int n);
    int Price { get; }
    event Action Traded;

    //= default interface method
    //: 1 Names.ITrade.Twice()
    void Twice() => Trade(2);  //@ default interface method: Names.ITrade.Twice()

    //= static method of an interface
    //: 1 Names.ITrade.Tax(int)
    static int Tax(int n) => n / 5;
}

interface ITrade<T>
{
    T Swap(T other);
}

interface IZero<T> where T : IZero<T>
{
    static abstract T Zero { get; }
    static abstract T operator +(T a, T b);
}

class Money : ITrade, ITrade<string>, IZero<Money>
{
    static readonly int start;
    int amount;

    //= static constructor
    //: 1 static Names.Money.Money()
    static Money()
    {
        start = 1;  //@{ static constructor, and an accessor that the compiler has made for its type: static Names.Money.Money(); Names.Money.Sold.add
    }

    //= constructor
    //: 5 Names.Money.Money(int)
    public Money(int amount) => this.amount = amount;  //@ constructor with an expression body: Names.Money.Money(int)

    //= property
    //: 1 Names.Money.Owner.get
    //: 1 Names.Money.Owner.set
    public string Owner
    {
        get;  //@ automatic property: Names.Money.Owner.get
        set;  //@ its other accessor: Names.Money.Owner.set
    } = "";

    public int Size
    {
        get
        {
            return amount;  //@{ property: Names.Money.Size.get
        }
        set
        {
            amount = value;  //@{ setter: Names.Money.Size.set
        }
    }

    //= init accessor
    //: 1 Names.Money.Currency.init
    public int Currency { get; init; }  //@ init accessor: Names.Money.Currency.init

    //= indexer
    //: 1 Names.Money.this[string, int].get
    //: 1 Names.Money.this[string, int].set
    public int this[string key, int n]
    {
        get => n;  //@ indexer: Names.Money.this[string, int].get
        set => amount = value;  //@ setter of an indexer: Names.Money.this[string, int].set
    }

    //= event with accessors of the compiler
    //: 1 Names.Money.Sold.add
    //: 1 Names.Money.Sold.remove
    public event Action? Sold;

    public event Action Told
    {
        add => GC.KeepAlive(value);  //@ event: Names.Money.Told.add
        remove
        {
            GC.KeepAlive(value);  //@{ its other accessor: Names.Money.Told.remove
        }
    }

    //= operator
    //: 1 Names.Money.operator +(Money, Money)
    public static Money operator +(Money a, Money b)
    {
        return new(a.amount + b.amount);  //@{ operator: Names.Money.operator +(Money, Money)
    }

    //= checked operator
    //: 1 Names.Money.operator checked +(Money, Money)
    public static Money operator checked +(Money a, Money b) => new(checked(a.amount + b.amount));

    //= equality operator
    //: 1 Names.Money.operator ==(Money, Money)
    public static bool operator ==(Money a, Money b) => a.amount == b.amount;
    public static bool operator !=(Money a, Money b) => !(a == b);
    public override bool Equals(object? other) => other is Money;
    public override int GetHashCode() => amount;

    //= operators true and false
    //: 1 Names.Money.operator true(Money)
    public static bool operator true(Money a) => a.amount != 0;
    public static bool operator false(Money a) => a.amount == 0;

    //= increment operator
    //: 1 Names.Money.operator ++(Money)
    public static Money operator ++(Money a) => new(a.amount + 1);

    //= unsigned shift operator
    //: 1 Names.Money.operator >>>(Money, int)
    public static Money operator >>>(Money a, int n) => a;

    //= compound assignment operator
    //: 1 Names.Money.operator +=(int)
    public void operator +=(int n)
    {
        amount += n;
        Sold?.Invoke();
    }

    //= conversion operators
    //: 1 Names.Money.implicit operator Money(int)
    //: 1 Names.Money.explicit operator int(Money)
    public static implicit operator Money(int n) => new(n);  //@ implicit conversion: Names.Money.implicit operator Money(int)
    public static explicit operator int(Money a) =>
        a.amount;  //@ conversion: Names.Money.explicit operator int(Money)

    //= explicit interface method
    //: 2 Names.Money.ITrade.Trade(int)
    void ITrade.Trade(int n)
    {
        amount += n;  //@{ explicit interface method: Names.Money.ITrade.Trade(int)
    }

    //= explicit interface property
    //: 1 Names.Money.ITrade.Price.get
    int ITrade.Price => amount + start;  //@ explicit interface property: Names.Money.ITrade.Price.get

    //= explicit interface event
    //: 1 Names.Money.ITrade.Traded.add
    event Action ITrade.Traded { add { } remove { } }

    //= explicit method of a generic interface
    //: 1 Names.Money.ITrade<string>.Swap(string)
    string ITrade<string>.Swap(string other) => other;

    //= static abstract members, implemented explicitly
    //: 2 Names.Money.IZero<Money>.Zero.get
    //: 1 Names.Money.IZero<Money>.operator +(Money, Money)
    static Money IZero<Money>.Zero => null!;
    static Money IZero<Money>.operator +(Money a, Money b) => a;
}

class Named
{
    //= indexer with a name of its own
    //: 1 Names.Named.Letters[int].get
    [IndexerName("Letters")]
    public int this[int n] => n;
}

static class Extensions
{
    //= extension method
    //: 1 Names.Extensions.Doubled(int)
    public static int Doubled(this int n) => 2 * n;  //@ extension method: Names.Extensions.Doubled(int)

    extension(string text)
    {
        //= extension property
        //: 1 Names.Extensions.Size.get
        public int Size => text.Length;  //@ extension property: Names.Extensions.Size.get

        //= method of an extension block
        //: 1 Names.Extensions.Padded(string, int)
        public string Padded(int n) => text + n;

        //= static extension property
        //: 1 Names.Extensions.Blank.get
        public static string Blank => "";
    }
}
