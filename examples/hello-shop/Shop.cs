// SPDX-License-Identifier: MIT
// A small shop: parses orders, prices them with tax on two threads, and prints the totals.
// One method is slower than it has to be; the profile shows which. SHOP_TAXES=dictionary in the
// environment mends it, for a comparison of two runs.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;

namespace HelloShop;

record Line(string Article, int Quantity, decimal Price);

record Order(int Number, string Country, List<Line> Lines);

/// One order as text: "1017;DE;chair*2@49.90,lamp*1@19.50".
static class OrderParser
{
    public static Order Parse(string text)
    {
        string[] fields = text.Split(';');
        List<Line> lines = new();
        foreach (string item in fields[2].Split(','))
        {
            lines.Add(ParseLine(item));
        }
        return new Order(int.Parse(fields[0], CultureInfo.InvariantCulture), fields[1], lines);
    }

    static Line ParseLine(string item)
    {
        string[] parts = item.Split('*', '@');
        return new Line(parts[0], int.Parse(parts[1], CultureInfo.InvariantCulture),
                        ParsePrice(parts[2]));
    }

    static decimal ParsePrice(string text) => decimal.Parse(text, CultureInfo.InvariantCulture);
}

interface ITaxRule
{
    bool AppliesTo(Order order);
    decimal Rate { get; }
}

class CountryTax(string country, decimal rate) : ITaxRule
{
    public bool AppliesTo(Order order) => order.Country == country;
    public decimal Rate => rate;
}

class TaxTable
{
    readonly List<ITaxRule> rules = new();
    readonly Dictionary<string, decimal>? rateByCountry;

    public TaxTable(IEnumerable<(string Country, decimal Rate)> rates)
    {
        foreach ((string country, decimal rate) in rates)
        {
            rules.Add(new CountryTax(country, rate));
        }
        if (Environment.GetEnvironmentVariable("SHOP_TAXES") == "dictionary")
        {
            rateByCountry = rates.ToDictionary(tax => tax.Country, tax => tax.Rate);
        }
    }

    /// Asks one rule after the other: a dictionary would do. With SHOP_TAXES=dictionary it does.
    public decimal RateOf(Order order)
    {
        if (rateByCountry != null)
        {
            return rateByCountry[order.Country];
        }
        foreach (ITaxRule rule in rules)
        {
            if (rule.AppliesTo(order))
            {
                return rule.Rate;
            }
        }
        throw new KeyNotFoundException($"no tax is known for {order.Country}");
    }
}

class Cashier(TaxTable taxes)
{
    public decimal Net { get; private set; }
    public decimal Tax { get; private set; }
    public int Refused { get; private set; }

    public void Take(Order order)
    {
        try
        {
            decimal net = NetOf(order);
            Tax += Math.Round(net * taxes.RateOf(order), 2);
            Net += net;
        }
        catch (KeyNotFoundException)
        {
            ++Refused;
        }
    }

    static decimal NetOf(Order order) => order.Lines.Sum(line => line.Quantity * line.Price);
}

static class Program
{
    static readonly string[] Countries =
    {
        "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU",
        "IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
    };
    static readonly string[] Articles = { "chair", "desk", "lamp", "shelf", "vase" };

    static string WriteOrder(int number)
    {
        // Every two hundredth customer lives where the shop knows no tax.
        string country = number % 200 == 0 ? "XX" : Countries[number % Countries.Length];
        IEnumerable<string> lines = Enumerable.Range(0, 1 + number % 4).Select(
            i => $"{Articles[(number + i) % Articles.Length]}*{1 + i}@{(number % 90) + 10}.50");
        return $"{number};{country};{string.Join(',', lines)}";
    }

    static Cashier Serve(int first, int count, TaxTable taxes)
    {
        Cashier cashier = new(taxes);
        for (int number = first; number < first + count; ++number)
        {
            cashier.Take(OrderParser.Parse(WriteOrder(number)));
        }
        return cashier;
    }

    static void Main()
    {
        const int Threads = 2;
        const int OrdersEach = 20_000;
        TaxTable taxes = new(Countries.Select((country, i) => (country, 0.17m + 0.005m * i)));
        Cashier[] cashiers = new Cashier[Threads];
        Thread[] threads = new Thread[Threads];
        for (int i = 0; i < Threads; ++i)
        {
            int desk = i;
            threads[i] = new Thread(
                () => cashiers[desk] = Serve(desk * OrdersEach, OrdersEach, taxes));
            threads[i].Name = $"cashier {i + 1}";
            threads[i].Start();
        }
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"{Threads * OrdersEach} orders, {cashiers.Sum(c => c.Refused)} refused, " +
            $"net {cashiers.Sum(c => c.Net):F2}, tax {cashiers.Sum(c => c.Tax):F2}"));
    }
}
