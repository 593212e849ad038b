// SPDX-License-Identifier: MIT
// Eight departments of four methods each, which count their own calls: every capture of a test times
// another one, and the counts must be the same.
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using static System.Runtime.CompilerServices.MethodImplOptions;

namespace Server;

/// How often each method of one department has been called.
sealed class Ledger
{
    long opened, checkedIn, priced, closed;

    public void Opened() => Interlocked.Increment(ref opened);
    public void CheckedIn() => Interlocked.Increment(ref checkedIn);
    public void Priced() => Interlocked.Increment(ref priced);
    public void Closed() => Interlocked.Increment(ref closed);

    public IEnumerable<KeyValuePair<string, long>> Counters(string department)
    {
        yield return new($"{department}.Open", Interlocked.Read(ref opened));
        yield return new($"{department}.Check", Interlocked.Read(ref checkedIn));
        yield return new($"{department}.Price", Interlocked.Read(ref priced));
        yield return new($"{department}.Close", Interlocked.Read(ref closed));
    }
}

static class Departments
{
    public static long Work()
    {
        long sum = 0;
        sum += Books.Open(3);
        sum += Music.Open(3);
        sum += Toys.Open(3);
        sum += Tools.Open(3);
        sum += Garden.Open(3);
        sum += Sports.Open(3);
        sum += Shoes.Open(3);
        sum += Food.Open(3);
        return sum;
    }

    public static IEnumerable<KeyValuePair<string, long>> Counters()
    {
        (string, Ledger)[] all =
        [
            ("Books", Books.Ledger),
            ("Music", Music.Ledger),
            ("Toys", Toys.Ledger),
            ("Tools", Tools.Ledger),
            ("Garden", Garden.Ledger),
            ("Sports", Sports.Ledger),
            ("Shoes", Shoes.Ledger),
            ("Food", Food.Ledger),
        ];
        foreach ((string name, Ledger ledger) in all)
        {
            foreach (KeyValuePair<string, long> counter in ledger.Counters(name))
            {
                yield return counter;
            }
        }
    }
}

static class Books
{
    public static readonly Ledger Ledger = new();

    [MethodImpl(NoInlining)]
    public static long Open(int items)
    {
        Ledger.Opened();
        long sum = 0;
        for (int item = 0; item < items; item++) sum += Check(item) ? Price(item) : 0;
        return Close(sum);
    }

    [MethodImpl(NoInlining)] static bool Check(int item) { Ledger.CheckedIn(); return item != 0; }
    [MethodImpl(NoInlining)] static long Price(int item) { Ledger.Priced(); return item * 3 + 0; }
    [MethodImpl(NoInlining)] static long Close(long sum) { Ledger.Closed(); return sum ^ 0; }
}

static class Music
{
    public static readonly Ledger Ledger = new();

    [MethodImpl(NoInlining)]
    public static long Open(int items)
    {
        Ledger.Opened();
        long sum = 0;
        for (int item = 0; item < items; item++) sum += Check(item) ? Price(item) : 0;
        return Close(sum);
    }

    [MethodImpl(NoInlining)] static bool Check(int item) { Ledger.CheckedIn(); return item != 1; }
    [MethodImpl(NoInlining)] static long Price(int item) { Ledger.Priced(); return item * 4 + 1; }
    [MethodImpl(NoInlining)] static long Close(long sum) { Ledger.Closed(); return sum ^ 1; }
}

static class Toys
{
    public static readonly Ledger Ledger = new();

    [MethodImpl(NoInlining)]
    public static long Open(int items)
    {
        Ledger.Opened();
        long sum = 0;
        for (int item = 0; item < items; item++) sum += Check(item) ? Price(item) : 0;
        return Close(sum);
    }

    [MethodImpl(NoInlining)] static bool Check(int item) { Ledger.CheckedIn(); return item != 2; }
    [MethodImpl(NoInlining)] static long Price(int item) { Ledger.Priced(); return item * 5 + 2; }
    [MethodImpl(NoInlining)] static long Close(long sum) { Ledger.Closed(); return sum ^ 2; }
}

static class Tools
{
    public static readonly Ledger Ledger = new();

    [MethodImpl(NoInlining)]
    public static long Open(int items)
    {
        Ledger.Opened();
        long sum = 0;
        for (int item = 0; item < items; item++) sum += Check(item) ? Price(item) : 0;
        return Close(sum);
    }

    [MethodImpl(NoInlining)] static bool Check(int item) { Ledger.CheckedIn(); return item != 0; }
    [MethodImpl(NoInlining)] static long Price(int item) { Ledger.Priced(); return item * 6 + 3; }
    [MethodImpl(NoInlining)] static long Close(long sum) { Ledger.Closed(); return sum ^ 3; }
}

static class Garden
{
    public static readonly Ledger Ledger = new();

    [MethodImpl(NoInlining)]
    public static long Open(int items)
    {
        Ledger.Opened();
        long sum = 0;
        for (int item = 0; item < items; item++) sum += Check(item) ? Price(item) : 0;
        return Close(sum);
    }

    [MethodImpl(NoInlining)] static bool Check(int item) { Ledger.CheckedIn(); return item != 1; }
    [MethodImpl(NoInlining)] static long Price(int item) { Ledger.Priced(); return item * 7 + 4; }
    [MethodImpl(NoInlining)] static long Close(long sum) { Ledger.Closed(); return sum ^ 4; }
}

static class Sports
{
    public static readonly Ledger Ledger = new();

    [MethodImpl(NoInlining)]
    public static long Open(int items)
    {
        Ledger.Opened();
        long sum = 0;
        for (int item = 0; item < items; item++) sum += Check(item) ? Price(item) : 0;
        return Close(sum);
    }

    [MethodImpl(NoInlining)] static bool Check(int item) { Ledger.CheckedIn(); return item != 2; }
    [MethodImpl(NoInlining)] static long Price(int item) { Ledger.Priced(); return item * 8 + 5; }
    [MethodImpl(NoInlining)] static long Close(long sum) { Ledger.Closed(); return sum ^ 5; }
}

static class Shoes
{
    public static readonly Ledger Ledger = new();

    [MethodImpl(NoInlining)]
    public static long Open(int items)
    {
        Ledger.Opened();
        long sum = 0;
        for (int item = 0; item < items; item++) sum += Check(item) ? Price(item) : 0;
        return Close(sum);
    }

    [MethodImpl(NoInlining)] static bool Check(int item) { Ledger.CheckedIn(); return item != 0; }
    [MethodImpl(NoInlining)] static long Price(int item) { Ledger.Priced(); return item * 9 + 6; }
    [MethodImpl(NoInlining)] static long Close(long sum) { Ledger.Closed(); return sum ^ 6; }
}

static class Food
{
    public static readonly Ledger Ledger = new();

    [MethodImpl(NoInlining)]
    public static long Open(int items)
    {
        Ledger.Opened();
        long sum = 0;
        for (int item = 0; item < items; item++) sum += Check(item) ? Price(item) : 0;
        return Close(sum);
    }

    [MethodImpl(NoInlining)] static bool Check(int item) { Ledger.CheckedIn(); return item != 1; }
    [MethodImpl(NoInlining)] static long Price(int item) { Ledger.Priced(); return item * 10 + 7; }
    [MethodImpl(NoInlining)] static long Close(long sum) { Ledger.Closed(); return sum ^ 7; }
}
