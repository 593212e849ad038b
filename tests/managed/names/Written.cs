// SPDX-License-Identifier: MIT
// Code that a program wrote: with #line it names its template, from a source generator its own file.
using System;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.RegularExpressions;

namespace Names;

static partial class Written
{
    public static void Run()
    {
        Template(1);
        After(1);
        Hidden(1);
        _ = Word().IsMatch("a");
        _ = JsonSerializer.Serialize(new Order(), OrderJson.Default.Order);
    }

#line 100 "Page.cshtml"
    static void Template(int n) => GC.KeepAlive(n);  //@=Page.cshtml:100 #line: Names.Written.Template(int)
#line default

    static void After(int n) => GC.KeepAlive(n);  //@ code behind #line default: Names.Written.After(int)

    static void Hidden(int n)
    {
#line hidden
        GC.KeepAlive(1);
#line default
        GC.KeepAlive(n);  //@R code behind #line hidden: Names.Written.Hidden(int)
    }

    [GeneratedRegex("[a-z]+")]
    private static partial Regex Word();
}

class Order
{
    public int Number { get; set; }
}

[JsonSerializable(typeof(Order))]
partial class OrderJson : JsonSerializerContext
{
}
