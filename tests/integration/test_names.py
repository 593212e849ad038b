# SPDX-License-Identifier: MIT
"""Methods are called what their author called them."""
from umbra_runner import run_umbra

NAMES = [
    "static Shapes.Registry.Registry()",
    "Shapes.Point.Point(int, int)",
    "Shapes.Point.operator +(Point, Point)",
    "Shapes.Point.implicit operator int(Point)",
    "Shapes.Point.Manhattan.get",
    "Shapes.Shelf.this[int].set",
    "Shapes.Shelf.INamed.Name()",
    "Shapes.Delegates.Happened.add",
    "Shapes.Delegates.Plain.lambda(int)",
    "Shapes.Delegates.Closing.lambda(int)",
    "Shapes.Delegates.WithLocal.Local(int)",
    "Shapes.Program.Main()",
    "Shapes.IArea.Doubled()",
    "Shapes.Point.Area()",
    "Shapes.Threads.Work(object)",
    "Shapes.Members.Swap(ref int, ref int)",
    "Shapes.Members.TryHalve(int, out int)",
    "Shapes.Members.Many(int[], string, params object[])",
    "Shapes.Iterators.Squared(long)",
    "Shapes.Iterators.Squared(int)",
    "Shapes.Iterators.Even(IEnumerable<int>)",
    "Shapes.Iterators.CountTo(int)",
    "Shapes.Awaits.Leaf(int)",
    "Shapes.Awaits.Stream(int)",
    "Shapes.Box<int>.Put(int)",
    "Shapes.Box<Point>.Take()",
    "Shapes.Box<T>.Take()",
    "Shapes.Box<int>.Lid<double>.Close(int, double)",
    "Shapes.Box<T>.Lid<U>.Close(T, U)",
    "Shapes.Generics.Same<int>(int)",
    "Shapes.Generics.Same<T>(T)",
]


def test_names_are_as_the_user_wrote_them(file, runtime):
    profile = run_umbra(file, runtime.command("shapes")).profile
    names = set(profile.column("functions", "name"))
    missing = [name for name in NAMES if name not in names]
    assert not missing, "\n".join(missing + ["", "instead:"] + sorted(names))
