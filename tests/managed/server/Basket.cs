// SPDX-License-Identifier: MIT
// A request that many small methods answer: a basket is read from text and priced, line by line, in some
// 2,300 calls of methods that have a loop or take a decision.
using System;
using System.Globalization;
using System.Text;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;

namespace Server;

static class Basket
{
    const int Lines = 287;
    static readonly string text = Written();

    public static Task Answer(HttpContext context)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(Priced(text).ToString(CultureInfo.InvariantCulture));
        context.Response.ContentType = "text/plain";
        context.Response.ContentLength = bytes.Length;
        return context.Response.Body.WriteAsync(bytes, 0, bytes.Length);
    }

    static string Written()
    {
        var lines = new StringBuilder();
        for (int line = 0; line < Lines; line++)
        {
            lines.Append(1000 + line * 7919 % 977).Append(' ').Append(1 + line % 9).Append('\n');
        }
        return lines.ToString();
    }

    static long Priced(string basket)
    {
        long sum = 0;
        for (int at = 0; at < basket.Length;)
        {
            at = Skip(basket, at, ' ');
            int article = Number(basket, ref at);
            at = Skip(basket, at, ' ');
            int count = Number(basket, ref at);
            at = Skip(basket, at, '\n');
            long price = Price(article);
            sum += Taxed(article, price * count - Rebate(price, count));
        }
        return sum;
    }

    static int Skip(string basket, int at, char what)
    {
        while (at < basket.Length && basket[at] == what)
        {
            at++;
        }
        return at;
    }

    static int Number(string basket, ref int at)
    {
        int value = 0;
        for (; at < basket.Length && basket[at] is >= '0' and <= '9'; at++)
        {
            value = value * 10 + (basket[at] - '0');
        }
        return value;
    }

    static long Price(int article)
    {
        long cents = article * 37L % 9901 + 99;
        return article % 10 == 0 ? cents / 2 : article % 3 == 0 ? cents - cents % 5 : cents;
    }

    static long Rebate(long price, int count)
    {
        if (count < 3 || price < 500)
        {
            return 0;
        }
        return count < 6 ? price / 10 : price / 10 + price / 20;
    }

    static long Taxed(int article, long cents)
    {
        int percent = article % 4 == 0 ? 7 : 19;
        long tax = Math.Abs(cents) * percent;
        return cents + (tax % 100 < 50 ? tax / 100 : tax / 100 + 1);
    }
}
