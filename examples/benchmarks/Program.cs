// SPDX-License-Identifier: MIT
// Two ways to price a basket; each benchmark is profiled in a run of its own:
//     dotnet run -c Release -- --filter '*'
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Running;
using Umbra.BenchmarkDotNet;

BenchmarkSwitcher.FromAssembly(typeof(Acme.Baskets).Assembly).Run(args);

namespace Acme
{
    /// <summary>The discount of an article is looked for in a list, or in a dictionary.</summary>
    [UmbraDiagnoser]
    public class Baskets
    {
        private readonly List<KeyValuePair<int, decimal>> list = new();
        private readonly Dictionary<int, decimal> dictionary = new();

        [Params(1000)]
        public int Articles { get; set; }

        [GlobalSetup]
        public void Fill()
        {
            for (int article = 0; article < Articles; ++article)
            {
                list.Add(new KeyValuePair<int, decimal>(article, 0.5m + article));
                dictionary.Add(article, 0.5m + article);
            }
        }

        [Benchmark(Baseline = true)]
        public decimal PriceByList() => Price(FindInList);

        [Benchmark]
        public decimal PriceByDictionary() => Price(article => dictionary[article]);

        private decimal Price(Func<int, decimal> discount)
        {
            decimal sum = 0;
            for (int article = 0; article < Articles; ++article)
            {
                sum += discount(article);
            }
            return sum;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private decimal FindInList(int article)
        {
            foreach (KeyValuePair<int, decimal> discount in list)
            {
                if (discount.Key == article)
                {
                    return discount.Value;
                }
            }
            throw new KeyNotFoundException();
        }
    }
}
