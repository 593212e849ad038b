// SPDX-License-Identifier: MIT
// One part of a class; its constructor begins in the other part with the initializers of fields.
using System;

namespace Names;

partial class Split
{
    public Split()  //@ constructor of a partial class: Names.Split.Split()
    {
        GC.KeepAlive(numbers);
    }

    public void First()
    {
        GC.KeepAlive(this);  //@{ partial class: Names.Split.First()
        Later(1);
    }

    partial void Later(int n);
}
