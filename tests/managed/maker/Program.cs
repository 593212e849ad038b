// SPDX-License-Identifier: MIT
// Has the runtime make code all the time, in every way a program can: reflection, expression trees,
// dynamic methods and types, generics over them, each with the helpers that compiled code calls. Goes on
// until its input ends. Answers "types" with the names of the core library's types, and any other line
// with the rounds that each of its threads has done. With "names" it has the runtime look up names, and
// makes no code.
using System;
using System.Linq;
using System.Threading;

bool names = args is ["names"];
(string Name, Action<int> Round)[] kinds = names ?
[
    ("names", Names.Round), ("names", Names.Round), ("wait", Names.Wait),
] :
[
    ("reflect", Reflect.Round), ("compile", Trees.Round), ("emit", Emit.Round), ("fail", Failures.Round),
    ("pool", Pool.Round),
];
var rounds = new int[kinds.Length];
string? failure = null;
for (int i = 0; i < kinds.Length; ++i)
{
    int kind = i;
    new Thread(() => Work(kind)) { Name = kinds[kind].Name, IsBackground = true }.Start();
}
while (Console.ReadLine() is { } line)
{
    Console.WriteLine(line == "types" ? string.Join(' ', CoreTypes()) : failure ?? string.Join(' ', rounds));
}
return failure == null ? 0 : 1;

void Work(int kind)
{
    try
    {
        for (int round = 0;; ++round)
        {
            kinds[kind].Round(round);
            rounds[kind] = round + 1;
            // Code is compiled anew in the background when nothing new has been called for a while.
            if (!names) Thread.Sleep(round % 32 == 31 ? 120 : 10);
        }
    }
    catch (Exception wrong)
    {
        failure = $"{kinds[kind].Name}: {wrong}".ReplaceLineEndings(" ");
    }
}

static string[] CoreTypes() =>
    typeof(object).Assembly.GetTypes().Where(type => type.FullName is { } name && !name.Contains('<'))
                  .Select(type => $"{(type.IsVisible ? '+' : '-')}{type.FullName}").ToArray();
