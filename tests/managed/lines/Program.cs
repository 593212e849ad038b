// SPDX-License-Identifier: MIT
// Calls every construct once or more; test_source_lines.py says what the marks mean.
using System;
using Lines;

Console.WriteLine("lines are run");  //@ top-level statements: Program.Main(string[])
Greet("you");
static void Greet(string name) =>
    Console.WriteLine(name);  //@ local function of top-level statements: Program.Main.Greet(string)
Bodies.Run();
Closures.Run();
Awaits.Run();
Members.Run();
Types.Run();
Written.Run();
GC.Collect();
GC.WaitForPendingFinalizers();
