# SPDX-License-Identifier: MIT
"""Random C# expressions and statements that compile.

An expression has the type it is asked for, and uses the variables and methods in scope. Types are
called int, double, string, bool, and list, which is List<int>.
"""
from dataclasses import dataclass, field

from synthetic import FIELDS, VERBS

TYPES = ("int", "double", "string", "bool", "list")

# Where a scope has no variable of a type.
NO_VARIABLE = {"int": "Environment.TickCount", "double": "Math.PI", "string": "string.Empty",
               "bool": "Environment.Is64BitProcess", "list": "new List<int>()"}


@dataclass
class Members:
    """The members of the type under way."""

    names: list = field(default_factory=list)  # of all whose name was drawn
    methods: list = field(default_factory=list)  # int M(int, string)
    async_methods: list = field(default_factory=list)  # Task<int> M(int, CancellationToken)


class Scope:
    """What an expression or a statement may use."""

    def __init__(self, members=None, lambdas=True, **variables):
        """`variables` are lists of names by type; without `lambdas` none is written here."""
        self.members = members or Members()
        self.lambdas = lambdas
        self.variables = {type_: list(variables.get(type_, [])) for type_ in TYPES}

    def inner(self):
        """A scope in this one: variables added to it are not of this one."""
        return Scope(self.members, self.lambdas, **self.variables)

    def add(self, type_, name):
        self.variables[type_].append(name)


def block(head, body):
    """The line `head`, and those of `body` in braces."""
    return [head, "{", *("    " + line for line in body), "}"]


class CodeWriter:
    """Writes expressions, as text, and statements, as lists of lines, for one file. A change of the
    order in which they draw changes the library of every seed."""

    def __init__(self, random_, earlier):
        """`earlier` are the modules (csharp_library.Module) that the code may use."""
        self.random = random_
        self.earlier = earlier
        self.names = 0  # given out

    def name(self, stem=None):
        """A new name of a variable, from `stem` or a word drawn for it."""
        self.names += 1
        return f"{stem or self.random.choice(FIELDS)}{self.names}"

    def member_name(self, members):
        """A new name of a member of a type."""
        while True:
            name = self.random.choice(VERBS) + self.random.choice(FIELDS).capitalize()
            if name not in members.names:
                members.names.append(name)
                return name

    def chance(self, share):
        return self.random.random() < share

    # Expressions. What stands on the left of an operator is never constant: the compiler would
    # work it out, and complain where it overflows.

    def variable(self, type_, scope):
        names = scope.variables[type_]
        return self.random.choice(names) if names else NO_VARIABLE[type_]

    def expression(self, type_, scope, depth=None):
        """An expression of `type_`; `depth` limits how deep operators nest, 0 is a variable."""
        depth = self.random.choice([1, 2, 2]) if depth is None else depth
        if depth <= 0:
            return self.variable(type_, scope)
        return getattr(self, f"{type_}_expression")(scope, depth - 1)

    def int_expression(self, scope, depth):
        def operand(type_):
            return self.expression(type_, scope, depth)

        form = self.random.randrange(14)
        if form < 4:
            operator = self.random.choice(["+", "-", "*", "&", "|", "^", "+", "-"])
            right = self.random.randrange(2, 99) if self.chance(0.4) else operand("int")
            return f"({operand('int')} {operator} {right})"
        if form == 4:
            return (f"({operand('int')} {self.random.choice(['%', '/', '>>'])} "
                    f"{self.random.randrange(2, 17)})")
        if form == 5:
            return f"({operand('bool')} ? {operand('int')} : {operand('int')})"
        if form == 6:
            return f"Math.{self.random.choice(['Max', 'Min'])}({operand('int')}, {operand('int')})"
        if form == 7:
            return f"{self.variable('string', scope)}.Length"
        if form == 8 and scope.members.methods:
            return (f"{self.random.choice(scope.members.methods)}({operand('int')}, "
                    f"{operand('string')})")
        if form == 9 and self.earlier:
            other = self.random.choice(self.earlier[-60:])
            return (f"{other.helpers}.{self.random.choice(other.int_helpers)}("
                    f"{operand('int')}, {operand('int')})")
        if form == 10:
            return f"{self.variable('list', scope)}.Count"
        if form == 11 and scope.lambdas and self.chance(0.25):
            return self.linq_number(scope)
        if form == 12:
            return f"((int)Math.Round({operand('double')}))"
        if form == 13 and self.chance(0.5):
            return self.switch_expression(scope, depth)
        return self.variable("int", scope)

    def switch_expression(self, scope, depth):
        value = self.name("seen")
        inner = scope.inner()
        inner.add("int", value)
        arms = ""
        for pattern in self.patterns(value):
            named = inner if value in pattern else scope
            arms += f"{pattern} => {self.expression('int', named, depth - 1)}, "
        return (f"({self.variable('int', scope)} switch {{ {arms}"
                f"_ => {self.random.randrange(9)} }})")

    def patterns(self, value):
        """Patterns of an int, of which some give it the name `value`."""
        low = self.random.randrange(1, 50)
        return self.random.sample(
            [f"< {-low}", f"> {100 + low} and < {300 + low}", f"{low} or {low + 1}",
             f"int {value} when {value} % {low + 1} == 1"], self.random.randrange(2, 4))

    def lambda_(self, type_, scope, depth=1):
        """A lambda from int to `type_`."""
        parameter = self.name(self.random.choice(["x", "item", "each", "one"]))
        inner = scope.inner()
        inner.variables["int"] = [parameter, parameter] + scope.variables["int"][-2:]
        inner.lambdas = False
        return f"{parameter} => {self.expression(type_, inner, depth)}"

    def linq_number(self, scope):
        """A LINQ chain that ends in an int."""
        form = self.random.randrange(4)
        source = self.linq(scope)
        if form == 0:
            return f"{source}.Sum({self.lambda_('int', scope)})"
        if form == 1:
            return f"{source}.Count({self.lambda_('bool', scope)})"
        if form == 2:
            total, each = self.name("total"), self.name("each")
            return (f"{source}.Aggregate({self.random.randrange(9)}, "
                    f"({total}, {each}) => {total} + {each})")
        return f"{source}.DefaultIfEmpty().Max()"

    def linq(self, scope):
        """A LINQ chain that is an IEnumerable<int>."""
        text = self.variable("list", scope)
        for _ in range(self.random.randrange(1, 3)):
            form = self.random.randrange(6)
            if form == 0:
                text += f".Where({self.lambda_('bool', scope)})"
            elif form == 1:
                text += f".Select({self.lambda_('int', scope)})"
            elif form == 2:
                text += f".OrderBy({self.lambda_('int', scope)})"
            elif form == 3:
                text += self.random.choice([".Distinct()", ".Reverse()", ".Skip(1)", ".Take(10)"])
                # List<int> has a Reverse() of its own, which answers nothing.
                text = text.replace(".Reverse()", ".AsEnumerable().Reverse()")
            elif form == 4:
                group = self.name("group")
                text += f".GroupBy({self.lambda_('int', scope)}).Select({group} => {group}.Sum())"
            else:
                value = self.name("many")
                text += (f".SelectMany({value} => new[] {{ {value}, "
                         f"{value} + {self.random.randrange(9)} }})")
        return text

    def double_expression(self, scope, depth):
        def operand(type_):
            return self.expression(type_, scope, depth)

        form = self.random.randrange(6)
        if form < 2:
            return f"({operand('double')} {self.random.choice('+-*')} {operand('double')})"
        if form == 2:
            return f"Math.{self.random.choice(['Sqrt', 'Abs', 'Floor'])}({operand('double')})"
        if form == 3:
            return f"({operand('int')} * {self.random.randrange(1, 99) / 8})"
        if form == 4 and scope.lambdas and self.chance(0.25):
            return (f"{self.variable('list', scope)}.Select({self.lambda_('double', scope)})"
                    ".DefaultIfEmpty().Average()")
        return self.variable("double", scope)

    def bool_expression(self, scope, depth):
        def operand(type_):
            return self.expression(type_, scope, depth)

        form = self.random.randrange(8)
        if form < 3:
            return (f"{operand('int')} {self.random.choice(['<', '>', '<=', '!=', '=='])} "
                    f"{self.random.randrange(100) if self.chance(0.5) else operand('int')}")
        if form == 3:
            return f"({operand('bool')} {self.random.choice(['&&', '||'])} {operand('bool')})"
        if form == 4:
            return f"!({operand('bool')})"
        if form == 5:
            return (f"{operand('string')}.StartsWith(\"{self.random.choice(FIELDS)}\", "
                    "StringComparison.Ordinal)")
        if form == 6:
            return (f"{self.variable('string', scope)} is "
                    f"{{ Length: > {self.random.randrange(1, 20)} }}")
        return self.variable("bool", scope)

    def string_expression(self, scope, depth):
        def operand(type_):
            return self.expression(type_, scope, depth)

        form = self.random.randrange(9)
        if form == 0:
            return f"\"{self.random.choice(FIELDS)} {self.random.choice(FIELDS)}\""
        if form == 1:
            return (f"$\"{self.random.choice(FIELDS)} {{{self.variable('int', scope)}}}"
                    f" of {{{self.variable('string', scope)}}}\"")
        if form == 2:
            return f"{operand('int')}.ToString(CultureInfo.InvariantCulture)"
        if form == 3:
            return f"({operand('string')} + {operand('string')})"
        if form == 4:
            return (f"{self.variable('string', scope)}."
                    f"{self.random.choice(['Trim', 'ToUpperInvariant', 'ToLowerInvariant'])}()")
        if form == 5 and self.earlier:
            other = self.random.choice(self.earlier[-60:])
            return (f"{other.helpers}.{self.random.choice(other.text_helpers)}("
                    f"{operand('string')}, {operand('int')})")
        if form == 6 and scope.lambdas and self.chance(0.25):
            return f"string.Join(\", \", {self.linq(scope)})"
        return self.variable("string", scope)

    def list_expression(self, scope, depth):
        form = self.random.randrange(6)
        if form == 0:
            return (f"new List<int> {{ {self.expression('int', scope, depth)}, "
                    f"{self.expression('int', scope, depth)} }}")
        if form == 1 and scope.lambdas and self.chance(0.5):
            return self.query(scope)
        if form == 2 and scope.lambdas:
            return f"{self.linq(scope)}.ToList()"
        return self.variable("list", scope)

    def query(self, scope):
        """A LINQ query in its own syntax, as a list."""
        value, key = self.name("from"), self.name("key")
        inner = Scope(scope.members, lambdas=False, int=[value, key],
                      string=scope.variables["string"][-2:], list=scope.variables["list"][-2:])
        return (f"(from {value} in {self.variable('list', scope)} "
                f"let {key} = {value} % {self.random.randrange(2, 9)} "
                f"where {self.expression('bool', inner, 2)} orderby {key}, {value} descending "
                f"select {self.expression('int', inner, 2)}).ToList()")

    # Statements: lists of lines

    def body(self, type_, scope, statements=None, asynchronous=False):
        """The body of a method that returns `type_`, of so many statements, else 1 to 3."""
        count = statements or self.random.randrange(1, 4)
        depth = 2 if self.chance(0.1) else 1
        return [*self.statements(scope, count, depth, asynchronous),
                f"return {self.expression(type_, scope)};"]

    def statements(self, scope, count, depth, asynchronous):
        lines = []
        for _ in range(count):
            lines += self.statement(scope, depth, asynchronous)
        return lines

    def statement(self, scope, depth, asynchronous):
        """One statement. `depth` limits how deep blocks nest, 0 is none; variables it declares are
        added to `scope`; it may await if `asynchronous`."""
        def nested(inner):
            return self.statements(inner, self.random.randrange(1, 3), depth - 1, asynchronous)

        form = self.random.randrange(18)
        if not scope.lambdas and form in (11, 14, 15):
            form = 0
        if form < 5 or depth <= 0:
            type_ = self.random.choice(["int", "int", "double", "string", "bool", "list"])
            return self.declaration(type_, scope)
        if form < 7:
            return self.assignment(scope)
        if form < 10:
            lines = block(f"if ({self.expression('bool', scope)})", nested(scope.inner()))
            return lines + (block("else", nested(scope.inner())) if self.chance(0.2) else [])
        if form == 10:
            name = self.name("i")
            head = f"for (int {name} = 0; {name} < {self.expression('int', scope, 1)}; {name}++)"
            inner = scope.inner()
            inner.add("int", f"({name} + 1)")
            return block(head, nested(inner))
        if form == 11:
            name = self.name("each")
            head = f"foreach (int {name} in {self.linq(scope)})"
            inner = scope.inner()
            inner.add("int", f"({name} - 1)")
            return block(head, nested(inner))
        if form == 12:
            head = f"switch ({self.expression('int', scope, 2)})"
            cases = []
            for label in self.random.sample(range(40), self.random.randrange(2, 4)):
                cases += block(f"case {label}:", nested(scope.inner()) + ["break;"])
            return block(head, cases + ["default:", "    break;"])
        if form == 13:
            lines = block("try", nested(scope.inner()))
            name = self.name("error")
            inner = scope.inner()
            inner.add("string", f"{name}.Message")
            return lines + block(
                f"catch (Exception {name}) when ({name} is FormatException or ArgumentException)",
                self.statements(inner, 1, 0, asynchronous))
        if form == 14:
            return self.local_function(scope, depth)
        if form == 15:
            name = self.name("function")
            lambda_ = self.lambda_("int", scope, 3)
            return [f"Func<int, int> {name} = {lambda_};", *self.call_result(name, scope, 2)]
        if form == 16 and asynchronous and scope.members.async_methods:
            return self.await_statement(scope)
        if form == 17 and self.earlier:
            return self.new_record(scope)
        return []

    def declaration(self, type_, scope):
        name = self.name()
        line = f"var {name} = {self.expression(type_, scope)};"
        scope.add(type_, name)
        return [line]

    def assignment(self, scope):
        """Nothing if what was drawn cannot be assigned to."""
        target = self.variable("int", scope)
        if not target.isidentifier():
            return []
        operator = self.random.choice(["+=", "-=", "=", "^="])
        return [f"{target} {operator} {self.expression('int', scope)};"]

    def local_function(self, scope, depth):
        name = self.name("local")
        parameter = self.name("of")
        inner = scope.inner()
        inner.add("int", parameter)
        lines = self.statements(inner, self.random.randrange(1, 3), depth - 1, asynchronous=False)
        lines += [f"return {self.expression('int', inner)};"]
        return block(f"int {name}(int {parameter})", lines) + self.call_result(name, scope, 1)

    def call_result(self, function, scope, depth):
        """A variable with the result of `function`, which takes an int."""
        name = self.name()
        line = f"var {name} = {function}({self.expression('int', scope, depth)});"
        scope.add("int", name)
        return [line]

    def await_statement(self, scope):
        name = self.name("awaited")
        line = (f"var {name} = await {self.random.choice(scope.members.async_methods)}"
                f"({self.expression('int', scope, 2)}, cancel).ConfigureAwait(false);")
        scope.add("int", name)
        return [line]

    def new_record(self, scope):
        """A variable with a record of an earlier module."""
        other = self.random.choice(self.earlier[-30:])
        name = self.name("entry")
        line = (f"var {name} = new {other.record}({self.expression('string', scope, 2)}, "
                f"{self.expression('int', scope, 2)}, {self.expression('double', scope, 2)}) "
                f"{{ Rank = {self.expression('int', scope, 1)} }};")
        scope.add("int", f"{name}.Weight()")
        scope.add("string", f"{name}.Name")
        scope.add("double", f"{name}.Value")
        return [line]
