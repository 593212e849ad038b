// SPDX-License-Identifier: MIT
// One small file for the compiler: what a build of a small project asks of it again and again.
using System;

internal static class Small
{
    private static int Twice(int value) => value + value;

    private static void Main()
    {
        var sum = 0;
        for (var i = 0; i < 10; i++)
        {
            sum += Twice(i);
        }
        Console.WriteLine(sum);
    }
}
