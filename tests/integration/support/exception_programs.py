# SPDX-License-Identifier: MIT
"""Makes up C# methods that throw, filter, catch, clean up and call each other.

tests/managed/exceptions runs programs of them, and knows at every moment which method is where
(Truth.cs). Those of Shown are to be timed, those of Hidden are not."""
import random

POOL = 64
STATIC_CONSTRUCTORS = 1000  # their numbers begin here
EXCEPTIONS = ["Failure2", "Failure1", "Failure0", "Failure", "Exception"]  # the derived ones first


class Method:
    """The source of one method: nested blocks at random."""

    def __init__(self, dice, number, hidden):
        self.dice = dice
        self.number = number
        self.hidden = hidden
        self.names = 0
        self.has_constructor = False

    def text(self):
        begin = "Truth.Pass()" if self.hidden else f"Truth.Enter({self.number})"
        body = self.block(self.dice.choice([1, 2, 2, 3]))
        return f"""
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int M{self.number}(int d)
    {{
        Place me = {begin};
        if (!Truth.MayGoOn(d)) return 1;
        int r = 0;
        {body}
        return r;
    }}{self.type_of_constructor() if self.has_constructor else ""}"""

    def type_of_constructor(self):
        number = STATIC_CONSTRUCTORS + self.number
        begin = "Truth.Pass()" if self.hidden else f"Truth.Enter({number})"
        return f"""
    public static class C{self.number}
    {{
        public static int Zero;
        static C{self.number}()
        {{
            Place me = {begin};
            Truth.At(me, Truth.Methods[{self.dice.randrange(8)}](3));
            if (Truth.Chance(50)) throw Truth.By(me, new Failure1());
        }}
    }}"""

    def name(self):
        self.names += 1
        return f"e{self.names}"

    def block(self, nesting, kind="try"):
        return "\n".join(self.statement(nesting, kind)
                         for _ in range(self.dice.randint(1, 2 if nesting < 3 else 3)))

    def statement(self, nesting, kind):
        dice = self.dice.random()
        if nesting > 0 and dice > 0.4:
            return self.guarded(nesting - 1, kind)
        if dice < 0.18:
            return self.call("me")
        if dice < 0.28:
            return self.throw()
        if dice < 0.31 and kind != "finally":
            return "if (Truth.Chance(10)) return r;"
        if dice < 0.34:
            return f"for (int i = {self.dice.randint(1, 2)}; i >= 0; --i) {{ {self.call('me')} }}"
        if dice < 0.36:
            return self.through_reflection()
        if dice < 0.38 and kind == "try":  # other blocks may not
            return "r += Truth.Fill(stackalloc byte[Truth.Below(500)]);"
        if dice < 0.4:
            return self.static_constructor()
        return self.call("me")

    def call(self, place):
        return f"r += Truth.At({place}, Truth.Methods[{self.dice.randrange(8)}](d - 1));"

    def throw(self):
        percent = self.dice.choice([15, 30, 60])
        what = self.dice.random()
        if what < 0.1:
            return f"if (Truth.Chance({percent})) r += Truth.Risks(me, 1) / (r - r);"
        if what < 0.2:
            return f"if (Truth.Chance({percent})) r += Nothing.Text[Truth.Risks(me, 0)];"
        if what < 0.3:
            return f"if (Truth.Chance({percent})) r += int.Parse(Truth.Risks(me, 0) + \"?\");"
        return f"if (Truth.Chance({percent})) throw Truth.By(me, new Failure{self.dice.randrange(3)}());"

    def through_reflection(self):
        wraps = self.dice.random() < 0.5
        caught = "System.Reflection.TargetInvocationException" if wraps else "Exception"
        return (f"try {{ r += Truth.At(me, Truth.Reflect({self.dice.randrange(8)}, d - 1, "
                f"{str(wraps).lower()})); }} catch ({caught}) {{ Truth.At(me); }}")

    def static_constructor(self):
        """The runtime catches what it throws, and throws another exception."""
        self.has_constructor = True
        return (f"try {{ r += C{self.number}.Zero; Truth.At(me); }} "
                "catch (TypeInitializationException) { Truth.At(me); }")

    def guarded(self, nesting, kind):
        text = f"try {{\n{self.block(nesting, kind)}\n}}"
        dice = self.dice.random()
        if dice < 0.75:
            count = 1 if self.dice.random() < 0.7 else 2
            for type_ in sorted(self.dice.sample(EXCEPTIONS, count), key=EXCEPTIONS.index):
                text += self.catch(type_, nesting, "catch" if kind == "try" else kind)
        if dice >= 0.75 or self.dice.random() < 0.35:
            text += f" finally {{\nTruth.At(me);\n{self.block(nesting, 'finally')}\n}}"
        return text

    def catch(self, type_, nesting, kind):
        name = self.name()
        condition = ""
        if self.dice.random() < 0.45:
            condition = f" when ({self.filter(name)})"
        return (f" catch ({type_} {name}){condition} {{\nTruth.At(me);\n"
                f"{self.block(nesting, kind)}\n{self.again(name)}\n}}")

    def filter(self, name):
        """It may call what throws, and so end by an exception."""
        calls = f"Truth.At(Truth.Filters({name}), Truth.Methods[{self.dice.randrange(8)}](d - 1))"
        return self.dice.choice([f"Truth.Filters({name}) != null && Truth.Chance(50)",
                                 f"{calls} >= 0", f"{calls} >= 0 && Truth.Chance(50)",
                                 f"Truth.Chance(50) && {calls} < 0",
                                 f"{calls} / (Truth.Risks(Truth.Filters({name}), 1) - 1) == 0"])

    def again(self, name):
        """How a catch block ends, sometimes."""
        dice = self.dice.random()
        if dice < 0.2:
            return f"if (Truth.Chance(50)) {{ Truth.By(me, {name}); throw; }}"
        if dice < 0.3:
            return f"if (Truth.Chance(50)) throw Truth.By(me, new Failure{self.dice.randrange(3)}());"
        if dice < 0.38:
            return f"if (Truth.Chance(50)) ExceptionDispatchInfo.Capture(Truth.By(me, {name})).Throw();"
        return f"_ = {name};"


def source(seed):
    """C# of a pool of methods; equal seeds make equal ones."""
    dice = random.Random(seed)
    shown, hidden = [], []
    for number in range(POOL):
        is_hidden = dice.random() < 0.15
        (hidden if is_hidden else shown).append(Method(dice, number, is_hidden).text())
    return "\n".join([
        "using System;", "using System.Runtime.CompilerServices;",
        "using System.Runtime.ExceptionServices;", "using Umbra.Testing;",
        "namespace Shown { public static class S {", *shown, "} }",
        "namespace Hidden { public static class H {", *hidden, "}",
        "public static class Nothing { public static string Text = null!; } }"]).replace(
            "Nothing.Text", "Hidden.Nothing.Text")
