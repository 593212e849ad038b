// SPDX-License-Identifier: MIT
// A startup hook (DOTNET_STARTUP_HOOKS): the program begins when its standard input has said a line.
using System;

static class StartupHook
{
    public static void Initialize()
    {
        Console.WriteLine("gate");
        Console.ReadLine();
    }
}
