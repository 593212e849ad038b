// SPDX-License-Identifier: MIT
// Constructs of C#, each with the name a report shows. A line "//=" names the construct, the lines
// "//:" below it hold the calls and the name of each of its functions (tests/integration/support/
// names_table.py reads them). This file calls everything as often as is said there. On a marked line
// functions begin: line_marks.py beside it says how.
using System;
using Names;

//= top-level statements
//: 1 Program.Main(string[])
//= local function of top-level statements
//: 2 Program.Main.Twice(int)
//= lambda in top-level statements
//: 1 Program.Main.lambda(int)
Func<int, int> negate = n => -n;  //@ top-level statements: Program.Main(string[])
int sum = Twice(1) + Twice(2) + negate(3);
static int Twice(int n) =>
    2 * n;  //@ local function of top-level statements: Program.Main.Twice(int)

Functions.Run();
Awaits.Run();
Members.Run();
Constructors.Run();
Types.Run();
Bodies.Run();
Written.Run();
Signatures.Run();
Made.Run();
Console.WriteLine($"names are called, {sum}");
