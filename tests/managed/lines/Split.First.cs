// SPDX-License-Identifier: MIT
// One part of a class; its constructor begins in the other part with the initializers of fields.
using System;

namespace Lines;

partial class Split
{
    public Split()  //@ constructor of a partial class: Lines.Split.Split()
    {
        GC.KeepAlive(numbers);
    }

    public void First()
    {
        GC.KeepAlive(this);  //@{ partial class: Lines.Split.First()
        Later(1);
    }

    partial void Later(int n);
}
