// SPDX-License-Identifier: MIT
// Constructs of C#, each with the name a report shows. A line "//=" names the construct, the lines
// "//:" below it hold the calls and the name of each of its functions (tests/integration/
// names_table.py reads them). This file calls everything as often as is said there.
using System;
using Names;

//= top-level statements
//: 1 Program.Main(string[])
//= local function of top-level statements
//: 2 Program.Main.Twice(int)
//= lambda in top-level statements
//: 1 Program.Main.lambda(int)
Func<int, int> negate = n => -n;
int sum = Twice(1) + Twice(2) + negate(3);
static int Twice(int n) => 2 * n;

Functions.Run();
Awaits.Run();
Members.Run();
Types.Run();
Signatures.Run();
Made.Run();
Console.WriteLine($"names are called, {sum}");
