// SPDX-License-Identifier: MIT
// The other part of a class.
using System;
using System.Collections.Generic;

namespace Names;

partial class Split
{
    readonly List<int> numbers = new() { 1, 2 };

    public void Second() => GC.KeepAlive(this);  //@ another part of it: Names.Split.Second()

    partial void Later(int n)
    {
        GC.KeepAlive(n);  //@{ partial method: Names.Split.Later(int)
    }
}
