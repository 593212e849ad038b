// SPDX-License-Identifier: MIT
// What `umbra` is where umbra cannot run: one line.
using System;
using System.Runtime.InteropServices;

Console.Error.WriteLine("umbra: it profiles programs on Linux x64 with glibc only; this system is " +
                        RuntimeInformation.RuntimeIdentifier);
return 1;
