#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C# library of any size, the same for the same seed: work for compilers and formatters.

Its code does nothing sensible, but it is built as such libraries are: records and visitors, generic
collections, services with dependencies and asynchronous calls, LINQ, lambdas, iterators, operators,
state machines, nested types, switch expressions. Names are resolved across files, and types are
inferred, so that a compiler has the work that it has with real code.

  benchmarks/programs/csharp_library.py FOLDER [--files 210] [--seed 1]
"""
import argparse
import contextlib
import random
from pathlib import Path

SUBJECTS = ("Account Address Batch Booking Budget Cargo Catalog Channel Claim Contract Course Customer "
            "Delivery Device Document Event Export Forecast Gateway Graph Import Index Invoice Item "
            "Job Journal Ledger License Limit Link Market Match Message Metric Model Network Node "
            "Notice Offer Order Package Parcel Party Patient Payment Period Plan Policy Portfolio "
            "Price Product Profile Project Quota Quote Rate Record Region Report Request Risk Route "
            "Rule Sample Schedule Section Segment Sensor Series Session Shift Shipment Signal Site "
            "Source Stock Supplier Survey Task Tenant Ticket Token Tour Trade Transfer Unit User "
            "Vehicle Vendor Version Visit Voucher Wallet Warehouse Window Zone").split()
VERBS = ("Adjust Align Apply Assess Assign Balance Bind Check Choose Collect Combine Compare Count "
         "Derive Divide Estimate Expand Explain Filter Find Fold Gather Grade Group Limit Match "
         "Measure Merge Move Order Pick Plan Prepare Project Rank Reduce Refine Resolve Round Scale "
         "Score Select Settle Share Sort Split Spread Sum Trim Update Validate Weigh").split()
FIELDS = ("amount area bound budget capacity code cost count delta depth distance factor first grade "
          "height index interest last length level limit load margin mass minimum number offset "
          "order part peak period phase price quantity range rank rate ratio result score share "
          "size span start step sum total value version volume weight width").split()
AREAS = "Billing Catalogs Contacts Logistics Markets Planning Reporting Sensors Storage Trading".split()

USINGS = """using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
"""


class Module:
    """What a file offers to those after it."""

    def __init__(self, number, random_):
        self.number = number
        self.subject = SUBJECTS[number % len(SUBJECTS)] + (
            str(number // len(SUBJECTS) + 1) if number >= len(SUBJECTS) else "")
        self.area = random_.choice(AREAS)
        self.helpers = f"{self.subject}Math"
        self.int_helpers = []  # names of static int M(int, int)
        self.text_helpers = []  # of static string M(string, int)
        self.record = f"{self.subject}Entry"
        self.contract = f"I{self.subject}Rules"


class Scope:
    """Names of variables, by type, that an expression may use."""

    def __init__(self, **names):
        self.names = {kind: list(names.get(kind, [])) for kind in
                      ("int", "double", "string", "bool", "list", "map")}

    def inner(self):
        return Scope(**self.names)

    def add(self, kind, name):
        self.names[kind].append(name)


class FileWriter:
    """One file of the library."""

    def __init__(self, random_, module, earlier):
        self.random = random_
        self.module = module
        self.earlier = earlier
        self.lines = []
        self.depth = 0
        self.fresh = 0
        self.int_methods = []  # of the class under way: name, takes (int, string)
        self.awaitable = []
        self.in_lambda = 0

    # Text

    def line(self, text=""):
        self.lines.append("    " * self.depth + text if text else "")

    @contextlib.contextmanager
    def block(self, head="", end="}"):
        if head:
            self.line(head)
        self.line("{")
        self.depth += 1
        yield
        self.depth -= 1
        self.line(end)

    def name(self, stem=None):
        self.fresh += 1
        return f"{stem or self.random.choice(FIELDS)}{self.fresh}"

    def chance(self, share):
        return self.random.random() < share

    # Expressions. What stands on the left of an operator is never constant: the compiler would
    # work it out, and complain where it overflows.

    def leaf(self, scope, kind):
        names = scope.names[kind]
        if names:
            return self.random.choice(names)
        return {"int": "Environment.TickCount", "double": "Math.PI", "string": "string.Empty",
                "bool": "Environment.Is64BitProcess", "list": "new List<int>()",
                "map": "new Dictionary<string, int>()"}[kind]

    def expression(self, kind, scope, depth=None):
        depth = self.random.choice([1, 2, 2]) if depth is None else depth
        if depth <= 0:
            return self.leaf(scope, kind)
        return getattr(self, f"{kind}_expression")(scope, depth - 1)

    def int_expression(self, scope, depth):
        form = self.random.randrange(14)
        if form < 4:
            operator = self.random.choice(["+", "-", "*", "&", "|", "^", "+", "-"])
            right = (self.random.randrange(2, 99) if self.chance(0.4)
                     else self.expression("int", scope, depth))
            return f"({self.expression('int', scope, depth)} {operator} {right})"
        if form == 4:
            return (f"({self.expression('int', scope, depth)} {self.random.choice(['%', '/', '>>'])} "
                    f"{self.random.randrange(2, 17)})")
        if form == 5:
            return (f"({self.expression('bool', scope, depth)} ? "
                    f"{self.expression('int', scope, depth)} : {self.expression('int', scope, depth)})")
        if form == 6:
            return (f"Math.{self.random.choice(['Max', 'Min'])}({self.expression('int', scope, depth)}, "
                    f"{self.expression('int', scope, depth)})")
        if form == 7:
            return f"{self.leaf(scope, 'string')}.Length"
        if form == 8 and self.int_methods:
            return (f"{self.random.choice(self.int_methods)}({self.expression('int', scope, depth)}, "
                    f"{self.expression('string', scope, depth)})")
        if form == 9 and self.earlier:
            other = self.random.choice(self.earlier[-60:])
            return (f"{other.helpers}.{self.random.choice(other.int_helpers)}("
                    f"{self.expression('int', scope, depth)}, {self.expression('int', scope, depth)})")
        if form == 10:
            return f"{self.leaf(scope, 'list')}.Count"
        if form == 11 and not self.in_lambda and self.chance(0.25):
            return self.linq_number(scope)
        if form == 12:
            return f"((int)Math.Round({self.expression('double', scope, depth)}))"
        if form == 13 and self.chance(0.5):
            value = self.name("seen")
            inner = scope.inner()
            inner.add("int", value)
            arms = ", ".join(
                f"{pattern} => {self.expression('int', inner if value in pattern else scope, depth - 1)}"
                for pattern in self.patterns(value))
            return f"({self.leaf(scope, 'int')} switch {{ {arms}, _ => {self.random.randrange(9)} }})"
        return self.leaf(scope, "int")

    def patterns(self, value):
        low = self.random.randrange(1, 50)
        return self.random.sample(
            [f"< {-low}", f"> {100 + low} and < {300 + low}", f"{low} or {low + 1}",
             f"int {value} when {value} % {low + 1} == 1"], self.random.randrange(2, 4))

    def lambda_(self, kind, scope, depth=1):
        """A lambda from int to `kind`."""
        parameter = self.name(self.random.choice(["x", "item", "each", "one"]))
        inner = scope.inner()
        inner.names["int"] = [parameter, parameter] + scope.names["int"][-2:]
        self.in_lambda += 1
        body = self.expression(kind, inner, depth)
        self.in_lambda -= 1
        return f"{parameter} => {body}"

    def linq_number(self, scope):
        form = self.random.randrange(4)
        source = self.linq(scope)
        if form == 0:
            return f"{source}.Sum({self.lambda_('int', scope)})"
        if form == 1:
            return f"{source}.Count({self.lambda_('bool', scope)})"
        if form == 2:
            total, each = self.name("total"), self.name("each")
            return f"{source}.Aggregate({self.random.randrange(9)}, ({total}, {each}) => {total} + {each})"
        return f"{source}.DefaultIfEmpty().Max()"

    def linq(self, scope):
        """A chain that is an IEnumerable<int>."""
        text = self.leaf(scope, "list")
        for _ in range(self.random.randrange(1, 3)):
            form = self.random.randrange(6)
            if form == 0:
                text += f".Where({self.lambda_('bool', scope)})"
            elif form == 1:
                text += f".Select({self.lambda_('int', scope)})"
            elif form == 2:
                text += f".OrderBy({self.lambda_('int', scope, 1)})"
            elif form == 3:
                text += self.random.choice([".Distinct()", ".Reverse()", ".Skip(1)", ".Take(10)"])
                text = text.replace(".Reverse()", ".AsEnumerable().Reverse()")
            elif form == 4:
                group = self.name("group")
                text += f".GroupBy({self.lambda_('int', scope, 1)}).Select({group} => {group}.Sum())"
            else:
                inner = self.name("many")
                text += f".SelectMany({inner} => new[] {{ {inner}, {inner} + {self.random.randrange(9)} }})"
        return text

    def double_expression(self, scope, depth):
        form = self.random.randrange(6)
        if form < 2:
            return (f"({self.expression('double', scope, depth)} {self.random.choice('+-*')} "
                    f"{self.expression('double', scope, depth)})")
        if form == 2:
            return f"Math.{self.random.choice(['Sqrt', 'Abs', 'Floor'])}({self.expression('double', scope, depth)})"
        if form == 3:
            return f"({self.expression('int', scope, depth)} * {self.random.randrange(1, 99) / 8})"
        if form == 4 and not self.in_lambda and self.chance(0.25):
            return f"{self.leaf(scope, 'list')}.Select({self.lambda_('double', scope, 1)}).DefaultIfEmpty().Average()"
        return self.leaf(scope, "double")

    def bool_expression(self, scope, depth):
        form = self.random.randrange(8)
        if form < 3:
            return (f"{self.expression('int', scope, depth)} {self.random.choice(['<', '>', '<=', '!=', '=='])} "
                    f"{self.random.randrange(100) if self.chance(0.5) else self.expression('int', scope, depth)}")
        if form == 3:
            return (f"({self.expression('bool', scope, depth)} {self.random.choice(['&&', '||'])} "
                    f"{self.expression('bool', scope, depth)})")
        if form == 4:
            return f"!({self.expression('bool', scope, depth)})"
        if form == 5:
            return f"{self.expression('string', scope, depth)}.StartsWith(\"{self.random.choice(FIELDS)}\", StringComparison.Ordinal)"
        if form == 6:
            return f"{self.leaf(scope, 'string')} is {{ Length: > {self.random.randrange(1, 20)} }}"
        return self.leaf(scope, "bool")

    def string_expression(self, scope, depth):
        form = self.random.randrange(9)
        if form == 0:
            return f"\"{self.random.choice(FIELDS)} {self.random.choice(FIELDS)}\""
        if form == 1:
            return (f"$\"{self.random.choice(FIELDS)} {{{self.leaf(scope, 'int')}}}"
                    f" of {{{self.leaf(scope, 'string')}}}\"")
        if form == 2:
            return f"{self.expression('int', scope, depth)}.ToString(CultureInfo.InvariantCulture)"
        if form == 3:
            return f"({self.expression('string', scope, depth)} + {self.expression('string', scope, depth)})"
        if form == 4:
            return f"{self.leaf(scope, 'string')}.{self.random.choice(['Trim', 'ToUpperInvariant', 'ToLowerInvariant'])}()"
        if form == 5 and self.earlier:
            other = self.random.choice(self.earlier[-60:])
            return (f"{other.helpers}.{self.random.choice(other.text_helpers)}("
                    f"{self.expression('string', scope, depth)}, {self.expression('int', scope, depth)})")
        if form == 6 and not self.in_lambda and self.chance(0.25):
            return f"string.Join(\", \", {self.linq(scope)})"
        return self.leaf(scope, "string")

    def list_expression(self, scope, depth):
        form = self.random.randrange(6)
        if form == 0:
            return f"new List<int> {{ {self.expression('int', scope, depth)}, {self.expression('int', scope, depth)} }}"
        if form == 1 and not self.in_lambda and self.chance(0.5):
            value, key = self.name("from"), self.name("key")
            inner = Scope(int=[value, key], string=scope.names["string"][-2:], list=scope.names["list"][-2:])
            self.in_lambda += 1
            query = (f"(from {value} in {self.leaf(scope, 'list')} let {key} = {value} % {self.random.randrange(2, 9)} "
                     f"where {self.expression('bool', inner, 2)} orderby {key}, {value} descending "
                     f"select {self.expression('int', inner, 2)}).ToList()")
            self.in_lambda -= 1
            return query
        if form == 2:
            return f"{self.linq(scope)}.ToList()" if not self.in_lambda else self.leaf(scope, "list")
        return self.leaf(scope, "list")

    # Statements

    def statements(self, scope, count, depth, asynchronous=False):
        for _ in range(count):
            self.statement(scope, depth, asynchronous)

    def statement(self, scope, depth, asynchronous):
        form = self.random.randrange(18)
        if self.in_lambda and form in (11, 14, 15):  # of a struct, whose lambdas may not use it
            form = 0
        if form < 5 or depth <= 0:
            kind = self.random.choice(["int", "int", "double", "string", "bool", "list"])
            name = self.name()
            self.line(f"var {name} = {self.expression(kind, scope)};")
            scope.add(kind, name)
        elif form < 7:
            target = self.leaf(scope, "int")
            if target.isidentifier():
                self.line(f"{target} {self.random.choice(['+=', '-=', '=', '^='])} {self.expression('int', scope)};")
        elif form < 10:
            with self.block(f"if ({self.expression('bool', scope)})"):
                self.statements(scope.inner(), self.random.randrange(1, 3), depth - 1, asynchronous)
            if self.chance(0.2):
                with self.block("else"):
                    self.statements(scope.inner(), self.random.randrange(1, 3), depth - 1, asynchronous)
        elif form == 10:
            name = self.name("i")
            with self.block(f"for (int {name} = 0; {name} < {self.expression('int', scope, 1)}; {name}++)"):
                inner = scope.inner()
                inner.names["int"] = inner.names["int"] + [f"({name} + 1)"]
                self.statements(inner, self.random.randrange(1, 3), depth - 1, asynchronous)
        elif form == 11:
            name = self.name("each")
            with self.block(f"foreach (int {name} in {self.linq(scope)})"):
                inner = scope.inner()
                inner.names["int"] = inner.names["int"] + [f"({name} - 1)"]
                self.statements(inner, self.random.randrange(1, 3), depth - 1, asynchronous)
        elif form == 12:
            with self.block(f"switch ({self.expression('int', scope, 2)})"):
                for label in self.random.sample(range(40), self.random.randrange(2, 4)):
                    self.line(f"case {label}:")
                    with self.block():
                        self.statements(scope.inner(), self.random.randrange(1, 3), depth - 1, asynchronous)
                        self.line("break;")
                self.line("default:")
                self.line("    break;")
        elif form == 13:
            with self.block("try"):
                self.statements(scope.inner(), self.random.randrange(1, 3), depth - 1, asynchronous)
            name = self.name("error")
            with self.block(f"catch (Exception {name}) when ({name} is FormatException or ArgumentException)"):
                inner = scope.inner()
                inner.names["string"] = inner.names["string"] + [f"{name}.Message"]
                self.statements(inner, 1, 0, asynchronous)
        elif form == 14:
            name = self.name("local")
            parameter = self.name("of")
            inner = scope.inner()
            inner.add("int", parameter)
            with self.block(f"int {name}(int {parameter})"):
                self.statements(inner, self.random.randrange(1, 3), depth - 1)
                self.line(f"return {self.expression('int', inner)};")
            result = self.name()
            self.line(f"var {result} = {name}({self.expression('int', scope, 1)});")
            scope.add("int", result)
        elif form == 15:
            name = self.name("function")
            self.line(f"Func<int, int> {name} = {self.lambda_('int', scope, 3)};")
            result = self.name()
            self.line(f"var {result} = {name}({self.expression('int', scope, 2)});")
            scope.add("int", result)
        elif form == 16 and asynchronous and self.awaitable:
            name = self.name("awaited")
            self.line(f"var {name} = await {self.random.choice(self.awaitable)}"
                      f"({self.expression('int', scope, 2)}, cancel).ConfigureAwait(false);")
            scope.add("int", name)
        elif form == 17 and self.earlier:
            other = self.random.choice(self.earlier[-30:])
            name = self.name("entry")
            self.line(f"var {name} = new {other.record}({self.expression('string', scope, 2)}, "
                      f"{self.expression('int', scope, 2)}, {self.expression('double', scope, 2)}) "
                      f"{{ Rank = {self.expression('int', scope, 1)} }};")
            scope.names["int"].append(f"{name}.Weight()")
            scope.add("string", f"{name}.Name")
            scope.add("double", f"{name}.Value")

    def body(self, scope, result, statements=None, asynchronous=False):
        self.statements(scope, statements or self.random.randrange(1, 4), 2 if self.chance(0.1) else 1, asynchronous)
        self.line(f"return {self.expression(result, scope)};")

    # Members

    def verb(self):
        return f"{self.random.choice(VERBS)}{self.random.choice(FIELDS).capitalize()}"

    def unique(self, taken):
        while (name := self.verb()) in taken:
            pass
        taken.append(name)
        return name

    def summary(self, *parameters):
        """The comment above a member."""
        words = [self.random.choice(FIELDS) for _ in range(self.random.randrange(4, 9))]
        self.line("/// <summary>")
        self.line(f"/// The {words[0]} of a {self.module.subject} by {' and '.join(words[1:3])}; see")
        self.line(f"/// also its {', '.join(words[3:])}.")
        self.line("/// </summary>")
        for parameter in parameters:
            self.line(f"/// <param name=\"{parameter}\">The {self.random.choice(FIELDS)}.</param>")

    def int_methods_of(self, scope, count, modifiers="public"):
        for _ in range(count):
            name = self.unique(self.taken)
            self.summary("number", "text")
            with self.block(f"{modifiers} int {name}(int number, string text)"):
                inner = scope.inner()
                inner.add("int", "number")
                inner.add("string", "text")
                self.body(inner, "int")
            self.int_methods.append(name)
            self.line()

    @contextlib.contextmanager
    def type(self, head):
        """A type; what is known of the members of the one around it comes back."""
        before = self.int_methods, self.awaitable, getattr(self, "taken", [])
        self.int_methods, self.awaitable, self.taken = [], [], []
        with self.block(head):
            yield
        self.line()
        self.int_methods, self.awaitable, self.taken = before

    # Types

    def record(self):
        name = self.module.record
        with self.type(f"public record {name}(string Name, int Number, double Value) : IComparable<{name}>"):
            self.line("public int Rank { get; init; }")
            self.line()
            scope = Scope(int=["Number", "Rank"], string=["Name"], double=["Value"])
            self.line(f"public int Weight() => {self.expression('int', scope, 3)};")
            self.line()
            self.line(f"public bool Fits(int limit) => {self.expression('bool', scope, 3)} && Number < limit;")
            self.line()
            self.line(f"public int CompareTo({name}? other) => other is null ? 1 : Weight().CompareTo(other.Weight());")
            self.line()
            with self.block(f"public static {name} operator +({name} left, {name} right)"):
                self.line("return left with { Number = left.Number + right.Number, Value = left.Value + right.Value };")

    def model(self):
        """Data and nothing else, as much of every program is."""
        kinds = {"int": "0", "string": "string.Empty", "double": "0.0", "bool": "false",
                 "DateTime": "DateTime.MinValue", "List<string>": "new()", "decimal": "0m"}
        name = f"{self.module.subject}Model"
        fields = [field.capitalize() for field in self.random.sample(FIELDS, self.random.randrange(3, 6))]
        with self.type(f"public class {name} : ICloneable"):
            for field in fields:
                kind = self.random.choice(list(kinds))
                self.summary()
                self.line(f"public {kind} {field} {{ get; set; }} = {kinds[kind]};")
                self.line()
            with self.block("public override string ToString()"):
                self.line("var text = new StringBuilder();")
                for field in fields:
                    self.line(f"text.Append(\"{field} \").Append({field});")
                self.line("return text.ToString();")
            self.line()
            with self.block("public object Clone()"):
                with self.block(f"return new {name}", "};"):
                    for field in fields:
                        self.line(f"{field} = {field},")

    def helpers(self):
        with self.type(f"public static class {self.module.helpers}"):
            for _ in range(self.random.randrange(1, 3)):
                name = self.unique(self.taken)
                with self.block(f"public static int {name}(int left, int right)"):
                    self.body(Scope(int=["left", "right"]), "int", 2)
                self.line()
                self.module.int_helpers.append(name)
            for _ in range(1):
                name = self.unique(self.taken)
                with self.block(f"public static string {name}(this string text, int count)"):
                    self.body(Scope(int=["count"], string=["text"]), "string", 2)
                self.line()
                self.module.text_helpers.append(name)

    def contract(self):
        with self.type(f"public interface {self.module.contract}"):
            self.line("string Title { get; }")
            self.line()
            self.line("int Judge(int number, string text);")
            self.line()
            with self.block("int JudgeAll(IEnumerable<int> numbers)"):
                self.line("return numbers.Sum(number => Judge(number, Title));")
        for kind in self.random.sample(["Strict", "Plain", "Quick", "Careful"], 1):
            with self.type(f"public sealed class {kind}{self.module.subject}Rules : {self.module.contract}"):
                self.line("private readonly List<int> seen = new();")
                self.line(f"private int turns = {self.random.randrange(9)};")
                self.line()
                self.line(f"public string Title => \"{kind.lower()}\" + turns;")
                self.line()
                scope = Scope(int=["turns"], list=["seen"], string=["Title"])
                self.int_methods_of(scope, 1, "private")
                with self.block("public int Judge(int number, string text)"):
                    self.line("turns++;")
                    inner = scope.inner()
                    inner.add("int", "number")
                    inner.add("string", "text")
                    self.body(inner, "int")

    def expressions(self):
        """A small language: nodes, a visitor, an evaluator by patterns."""
        subject = self.module.subject
        node = f"{subject}Node"
        kinds = [f"{subject}{kind}" for kind in ("Literal", "Sum", "Choice", "Call")]
        self.line(f"public abstract record {node};")
        self.line(f"public sealed record {kinds[0]}(int Value) : {node};")
        self.line(f"public sealed record {kinds[1]}({node} Left, {node} Right) : {node};")
        self.line(f"public sealed record {kinds[2]}({node} When, {node} Then, {node}? Else) : {node};")
        self.line(f"public sealed record {kinds[3]}(string Name, IReadOnlyList<{node}> Arguments) : {node};")
        self.line()
        with self.type(f"public abstract class {subject}Visitor<TResult>"):
            for kind in kinds:
                self.line(f"protected abstract TResult Visit({kind} node);")
            self.line()
            with self.block(f"public TResult Visit({node} node) => node switch", "};"):
                for kind in kinds:
                    self.line(f"{kind} one => Visit(one),")
                self.line("_ => throw new InvalidOperationException(node.ToString()),")
        with self.type(f"public sealed class {subject}Evaluator : {subject}Visitor<int>"):
            self.line("private readonly Dictionary<string, Func<int[], int>> functions = new()")
            with self.block(end="};"):
                for verb in self.random.sample(VERBS, 4):
                    scope = Scope(int=["values.Length", "values[0]"])
                    self.line(f"[\"{verb.lower()}\"] = values => {self.expression('int', scope, 3)},")
            self.line()
            self.int_methods_of(Scope(), 1, "private")
            scope = Scope(int=["node.Value"])
            self.line(f"protected override int Visit({kinds[0]} node) => {self.expression('int', scope, 3)};")
            self.line()
            scope = Scope(int=["Visit(node.Left)", "Visit(node.Right)"])
            self.line(f"protected override int Visit({kinds[1]} node) => {self.expression('int', scope, 3)};")
            self.line()
            self.line(f"protected override int Visit({kinds[2]} node) =>")
            self.line("    Visit(node.When) != 0 ? Visit(node.Then) : node.Else is { } other ? Visit(other) : 0;")
            self.line()
            with self.block(f"protected override int Visit({kinds[3]} node)"):
                self.line("int[] values = node.Arguments.Select(Visit).ToArray();")
                self.line("return functions.TryGetValue(node.Name, out var function) ? function(values) : 0;")
        with self.type(f"public static class {subject}Folding"):
            with self.block(f"public static {node} Simplify(this {node} node) => node switch", "};"):
                low = self.random.randrange(50)
                self.line(f"{kinds[1]} {{ Left: {kinds[0]} left, Right: {kinds[0]} right }} =>")
                self.line(f"    new {kinds[0]}(left.Value + right.Value),")
                self.line(f"{kinds[1]} {{ Left: {kinds[0]} {{ Value: 0 }}, Right: var right }} => right.Simplify(),")
                self.line(f"{kinds[2]} {{ When: {kinds[0]} {{ Value: > {low} and < {low + 60} }}, Then: var then }} => then.Simplify(),")
                self.line(f"{kinds[2]} {{ Else: null, When: {kinds[0]} {{ Value: 0 }} }} => new {kinds[0]}(0),")
                self.line(f"{kinds[3]} {{ Arguments: [var only] }} => only.Simplify(),")
                self.line(f"{kinds[3]} call => call with {{ Arguments: call.Arguments.Select(Simplify).ToList() }},"
                          .replace("Arguments:", "Arguments ="))
                self.line("_ => node,")

    def repository(self):
        subject = self.module.subject
        item = self.random.choice(self.earlier[-30:] or [self.module]).record
        with self.type(f"public class {subject}Repository<TKey, TItem> where TKey : notnull, IComparable<TKey> where TItem : class"):
            self.line("private readonly Dictionary<TKey, List<TItem>> rows = new();")
            self.line("private readonly Func<TItem, TKey> key;")
            self.line("private readonly object gate = new();")
            self.line("private int version;")
            self.line()
            self.line(f"public {subject}Repository(Func<TItem, TKey> key) => this.key = key;")
            self.line()
            self.line("public event EventHandler<Change>? Changed;")
            self.line()
            self.line("public int Version => version;")
            self.line()
            with self.block("public void Add(TItem item)"):
                with self.block("lock (gate)"):
                    with self.block("if (!rows.TryGetValue(key(item), out var list))"):
                        self.line("rows[key(item)] = list = new List<TItem>();")
                    self.line("list.Add(item);")
                    self.line("version++;")
                self.line("Changed?.Invoke(this, new Change(version, item));")
            self.line()
            with self.block("public IEnumerable<TItem> Between(TKey low, TKey high)"):
                with self.block("foreach (var (found, list) in rows.OrderBy(pair => pair.Key))"):
                    with self.block("if (found.CompareTo(low) < 0)"):
                        self.line("continue;")
                    with self.block("if (found.CompareTo(high) > 0)"):
                        self.line("yield break;")
                    with self.block("foreach (TItem item in list)"):
                        self.line("yield return item;")
            self.line()
            with self.block("public Dictionary<TGroup, TSum> Summary<TGroup, TSum>(Func<TItem, TGroup> group, Func<IEnumerable<TItem>, TSum> sum) where TGroup : notnull"):
                self.line("return rows.Values.SelectMany(list => list).GroupBy(group).ToDictionary(one => one.Key, one => sum(one));")
            self.line()
            self.int_methods_of(Scope(int=["version", "rows.Count"]), self.random.randrange(2, 4))
            with self.type("public sealed class Change : EventArgs"):
                self.line("public Change(int version, TItem item) => (Version, Item) = (version, item);")
                self.line()
                self.line("public int Version { get; }")
                self.line()
                self.line("public TItem Item { get; }")
        with self.type(f"public sealed class {subject}Store : {subject}Repository<string, {item}>"):
            self.line(f"public {subject}Store() : base(item => item.Name) {{ }}")
            self.line()
            with self.block("public string Describe()"):
                self.line("var sums = Summary(item => item.Rank, items => items.Sum(item => item.Value));")
                self.line("return string.Join(\"; \", sums.OrderByDescending(pair => pair.Value).Select(pair => $\"{pair.Key}: {pair.Value:F2}\"));")

    def service(self):
        subject = self.module.subject
        others = [self.random.choice(self.earlier[-40:] or [self.module]) for _ in range(2)]
        with self.type(f"public sealed class {subject}Service : IAsyncDisposable"):
            self.line(f"private readonly {others[0].contract} first;")
            self.line(f"private readonly {others[1].contract} second;")
            self.line("private readonly Dictionary<string, int> cache = new(StringComparer.Ordinal);")
            self.line("private readonly List<int> history = new();")
            self.line("private readonly SemaphoreSlim gate = new(1, 1);")
            self.line("private int state;")
            self.line()
            with self.block(f"public {subject}Service({others[0].contract} first, {others[1].contract} second)"):
                self.line("this.first = first ?? throw new ArgumentNullException(nameof(first));")
                self.line("this.second = second ?? throw new ArgumentNullException(nameof(second));")
            self.line()
            scope = Scope(int=["state"], list=["history"], string=["first.Title", "second.Title"])
            self.int_methods = ["first.Judge", "second.Judge"]
            self.int_methods_of(scope, 1)
            for _ in range(self.random.randrange(1, 3)):
                name = f"{self.unique(self.taken)}Async"
                with self.block(f"public async Task<int> {name}(int number, CancellationToken cancel = default)"):
                    self.line("await gate.WaitAsync(cancel).ConfigureAwait(false);")
                    with self.block("try"):
                        inner = scope.inner()
                        inner.add("int", "number")
                        self.body(inner, "int", asynchronous=True)
                    with self.block("finally"):
                        self.line("gate.Release();")
                self.line()
                self.awaitable.append(name)
            with self.block("public async IAsyncEnumerable<(int Index, string Text)> Stream(int count)"):
                with self.block("for (int i = 0; i < count; i++)"):
                    self.line(f"int value = await {self.random.choice(self.awaitable)}(i).ConfigureAwait(false);")
                    self.line("yield return (i, $\"{value:X} of {count}\");")
            self.line()
            with self.block("public ValueTask DisposeAsync()"):
                self.line("gate.Dispose();")
                self.line("return ValueTask.CompletedTask;")

    def value_type(self):
        subject = self.module.subject
        fields = [name.capitalize() for name in self.random.sample(FIELDS, self.random.randrange(2, 4))]
        name = f"{subject}Size"
        with self.type(f"public readonly struct {name} : IEquatable<{name}>, IComparable<{name}>"):
            with self.block(f"public {name}({', '.join(f'int {field.lower()}0' for field in fields)})"):
                for field in fields:
                    self.line(f"{field} = {field.lower()}0;")
            self.line()
            for field in fields:
                self.line(f"public int {field} {{ get; }}")
                self.line()
            for operator in "+-*":
                values = ", ".join(f"left.{field} {operator} right.{field}" for field in fields)
                self.line(f"public static {name} operator {operator}({name} left, {name} right) => new({values});")
                self.line()
            self.line(f"public static bool operator ==({name} left, {name} right) => left.Equals(right);")
            self.line()
            self.line(f"public static bool operator !=({name} left, {name} right) => !left.Equals(right);")
            self.line()
            self.line(f"public bool Equals({name} other) => {' && '.join(f'{field} == other.{field}' for field in fields)};")
            self.line()
            self.line(f"public override bool Equals(object? other) => other is {name} one && Equals(one);")
            self.line()
            self.line(f"public override int GetHashCode() => HashCode.Combine({', '.join(fields)});")
            self.line()
            self.line(f"public int CompareTo({name} other) => ({', '.join(fields)}).CompareTo(({', '.join(f'other.{field}' for field in fields)}));"
                      if len(fields) > 1 else f"public int CompareTo({name} other) => {fields[0]}.CompareTo(other.{fields[0]});")
            self.line()
            self.in_lambda += 1  # those in a struct may not use its fields
            self.int_methods_of(Scope(int=[f"({field} + 0)" for field in fields]), 1)
            self.in_lambda -= 1

    def machine(self):
        subject = self.module.subject
        states = [field.capitalize() for field in self.random.sample(FIELDS, 6)]
        with self.type(f"public sealed class {subject}Machine"):
            with self.block("public enum State"):
                for state in states:
                    self.line(f"{state},")
            self.line()
            with self.block("public enum Order"):
                for order in ("Go", "Halt", "Turn", "Reset"):
                    self.line(f"{order},")
            self.line()
            self.line(f"public State Now {{ get; private set; }} = State.{states[0]};")
            self.line()
            self.line("private readonly Stack<State> past = new();")
            self.line("private readonly StringBuilder log = new();")
            self.line()
            scope = Scope(int=["past.Count", "log.Length"])
            self.int_methods_of(scope, 1, "private")
            with self.block("public bool Step(Order order, int number)"):
                with self.block("State next = (Now, order) switch", "};"):
                    for state in states:
                        for order in self.random.sample(["Go", "Halt", "Turn"], 2):
                            guard = f" when number {self.random.choice('<>')} {self.random.randrange(99)}" if self.chance(0.4) else ""
                            self.line(f"(State.{state}, Order.{order}){guard} => State.{self.random.choice(states)},")
                    self.line("(_, Order.Reset) => past.TryPeek(out State last) ? last : Now,")
                    self.line("_ => Now,")
                with self.block("if (next == Now)"):
                    self.line("return false;")
                self.line("past.Push(Now);")
                self.line("log.Append(CultureInfo.InvariantCulture, $\"{Now} to {next} by {order}\").AppendLine();")
                self.line("Now = next;")
                self.line("return true;")

    def builder(self):
        subject = self.module.subject
        fields = self.random.sample(FIELDS, self.random.randrange(4, 8))
        with self.type(f"public sealed class {subject}Builder"):
            self.line("private readonly Options options = new();")
            self.line("private readonly List<Action<Options>> later = new();")
            self.line()
            for field in fields:
                with self.block(f"public {subject}Builder With{field.capitalize()}(int {field})"):
                    with self.block(f"if ({field} {self.random.choice('<>')} {self.random.randrange(1000)})"):
                        self.line(f"throw new ArgumentOutOfRangeException(nameof({field}), {field}, \"{self.random.choice(FIELDS)}\");")
                    self.line(f"later.Add(options => options.{field.capitalize()} = {self.expression('int', Scope(int=[field]), 2)});")
                    self.line("return this;")
                self.line()
            with self.block("public Options Build()"):
                self.line("later.ForEach(step => step(options));")
                self.line("return options;")
            self.line()
            with self.type("public sealed class Options"):
                for field in fields:
                    self.line(f"public int {field.capitalize()} {{ get; set; }} = {self.random.randrange(999)};")
                    self.line()
                self.line(f"public static Options Default => new {subject}Builder()")
                for field in fields[:-1]:
                    self.line(f"    .With{field.capitalize()}({self.random.randrange(99)})")
                self.line("    .Build();")

    def collection(self):
        subject = self.module.subject
        with self.type(f"public class {subject}Tree<T> : IEnumerable<T> where T : IComparable<T>"):
            with self.type("private sealed class Node"):
                self.line("public Node(T value) => Value = value;")
                self.line()
                self.line("public T Value { get; }")
                self.line("public Node? Left { get; set; }")
                self.line("public Node? Right { get; set; }")
                self.line("public int Height { get; set; } = 1;")
            self.line("private Node? root;")
            self.line()
            self.line("public int Count { get; private set; }")
            self.line()
            self.line("public void Add(T value) => root = Add(root, value);")
            self.line()
            with self.block("private Node Add(Node? node, T value)"):
                with self.block("if (node is null)"):
                    self.line("Count++;")
                    self.line("return new Node(value);")
                with self.block("switch (value.CompareTo(node.Value))"):
                    self.line("case < 0:")
                    self.line("    node.Left = Add(node.Left, value);")
                    self.line("    break;")
                    self.line("case > 0:")
                    self.line("    node.Right = Add(node.Right, value);")
                    self.line("    break;")
                self.line("node.Height = 1 + Math.Max(node.Left?.Height ?? 0, node.Right?.Height ?? 0);")
                self.line("return node;")
            self.line()
            with self.block("public TResult Fold<TResult>(TResult start, Func<TResult, T, TResult> step)"):
                self.line("TResult result = start;")
                with self.block("foreach (T value in this)"):
                    self.line("result = step(result, value);")
                self.line("return result;")
            self.line()
            with self.block("public IEnumerator<T> GetEnumerator()"):
                self.line("var open = new Stack<Node>();")
                with self.block("for (Node? at = root; at is not null || open.Count > 0;)"):
                    with self.block("while (at is not null)"):
                        self.line("open.Push(at);")
                        self.line("at = at.Left;")
                    self.line("at = open.Pop();")
                    self.line("yield return at.Value;")
                    self.line("at = at.Right;")
            self.line()
            self.line("System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => GetEnumerator();")
            self.line()
            self.int_methods_of(Scope(int=["Count"]), self.random.randrange(1, 3))

    def analysis(self):
        """Long methods over lists: the body of most business code."""
        subject = self.module.subject
        with self.type(f"public partial class {subject}Analysis"):
            self.line("private readonly List<int> values = new();")
            self.line("private readonly Dictionary<string, int> names = new();")
            self.line("private double total;")
            self.line("private int turns;")
            self.line()
            scope = Scope(int=["turns", "names.Count"], list=["values"], double=["total"])
            self.int_methods_of(scope, self.random.randrange(2, 4))
            with self.block("public IEnumerable<string> Lines(int count, string text)"):
                inner = scope.inner()
                inner.add("int", "count")
                inner.add("string", "text")
                for _ in range(self.random.randrange(1, 4)):
                    with self.block(f"if ({self.expression('bool', inner)})"):
                        self.line(f"yield return {self.expression('string', inner)};")
                self.line(f"yield return {self.expression('string', inner)};")

    def write(self, parts):
        self.line(USINGS)
        for area in AREAS:
            if area != self.module.area:
                self.line(f"using Library.{area};")
        self.line()
        self.line(f"namespace Library.{self.module.area};")
        self.line()
        self.record()
        self.model()
        self.contract()
        for part in parts:
            getattr(self, part)()
        self.helpers()
        return "\n".join(self.lines).rstrip() + "\n"


PARTS = ["expressions", "repository", "service", "value_type", "machine", "builder", "collection",
         "analysis", "analysis"]


def write_library(folder, files, seed=1):
    """Writes `files` sources; answers their paths."""
    random_ = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    areas = "".join(f"namespace Library.{area} {{ }}\n" for area in AREAS)
    (folder / "Areas.cs").write_text(areas)
    earlier, paths = [], [folder / "Areas.cs"]
    for number in range(files - 1):
        module = Module(number, random_)
        parts = random_.sample(PARTS, 1)
        path = folder / f"{module.subject}.cs"
        path.write_text(FileWriter(random_, module, earlier).write(parts))
        earlier.append(module)
        paths.append(path)
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=210)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    write_library(arguments.folder, arguments.files, arguments.seed)


if __name__ == "__main__":
    main()
