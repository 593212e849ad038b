#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a C# library of any size, the same for the same seed: work for compilers and formatters.

Its code does nothing sensible, but it is built as such libraries are: records and visitors, generic
collections, services with dependencies and asynchronous calls, LINQ, lambdas, iterators, operators,
state machines, nested types, switch expressions. Names are resolved across files, and types are
inferred, so that a compiler has the work that it has with real code.

  benchmarks/programs/csharp_library.py FOLDER [--files 210] [--seed 1]
"""
import functools
import random
import re
import string
import textwrap
from pathlib import Path

from csharp_code import CodeWriter, Members, Scope
from synthetic import FIELDS, VERBS, generator_main, subject_name

# Each file is its licence, in the first line, and a string.Template. A backslash that ends a line
# joins it to the next, whose indentation is dropped, as in TOML.
TEMPLATES = Path(__file__).resolve().parent / "csharp_templates"
AREAS = ("Billing Catalogs Contacts Logistics Markets Planning Reporting Sensors Storage "
         "Trading").split()


@functools.cache
def template_lines(name):
    """The lines of a template, each as its indentation and a string.Template."""
    text = (TEMPLATES / f"{name}.cs").read_text(encoding="ascii").split("\n", 1)[1]
    joined = re.sub(r"\\\n *", "", text)
    return [(re.match(" *", line).group(), string.Template(line.lstrip(" ")))
            for line in joined.splitlines()]


def fill(template, **values):
    """The text of a template, without the last newline. All lines of a value are indented as the
    line is where it stands. KeyError if a placeholder has no value."""
    return "\n".join(textwrap.indent(line.substitute(values), indentation)
                     for indentation, line in template_lines(template))


def text_of(lines):
    """Lines as one text, without the last newline."""
    return "\n".join(lines)


def paragraphs(texts):
    """Texts with an empty line between each two."""
    return "\n\n".join(texts)


class Module:
    """A file of the library: its namespace, and what it offers to the files after it."""

    def __init__(self, number, random_):
        self.subject = subject_name(number)
        self.area = random_.choice(AREAS)
        self.helpers = f"{self.subject}Math"
        self.int_helpers = []  # names of static int M(int, int)
        self.text_helpers = []  # of static string M(string, int)
        self.record = f"{self.subject}Entry"
        self.contract = f"I{self.subject}Rules"


class FileWriter:
    """One file of the library. Methods answer its types as text, each from the template of its
    name. A change of the order in which they draw changes the library of every seed."""

    def __init__(self, random_, module, earlier):
        """`earlier` are the modules that the file may use."""
        self.random = random_
        self.module = module
        self.earlier = earlier
        self.code = CodeWriter(random_, earlier)

    def fill(self, template, **values):
        return fill(template, subject=self.module.subject, **values)

    def fields(self, count):
        """So many different words."""
        return self.random.sample(FIELDS, count)

    def below(self, limit):
        """A number from 0, below `limit`."""
        return self.random.randrange(limit)

    def body(self, type_, scope, statements=None, asynchronous=False):
        return text_of(self.code.body(type_, scope, statements, asynchronous))

    # Members

    def summary(self):
        """Words for the comment above a member."""
        what, *words = (self.random.choice(FIELDS) for _ in range(self.random.randrange(4, 9)))
        return {"what": what, "measures": " and ".join(words[:2]), "others": ", ".join(words[2:])}

    def methods(self, scope, count, access="public"):
        """Methods that take a number and a text; those that follow may call them."""
        texts = []
        for _ in range(count):
            name = self.code.member_name(scope.members)
            inner = scope.inner()
            inner.add("int", "number")
            inner.add("string", "text")
            texts.append(self.fill("method", name=name, access=access, **self.summary(),
                                   number=self.random.choice(FIELDS),
                                   text=self.random.choice(FIELDS), body=self.body("int", inner)))
            scope.members.methods.append(name)
        return paragraphs(texts)

    def async_methods(self, scope, count):
        """Methods that await; those that follow may call them."""
        texts = []
        for _ in range(count):
            name = f"{self.code.member_name(scope.members)}Async"
            inner = scope.inner()
            inner.add("int", "number")
            texts.append(self.fill("async_method", name=name,
                                   body=self.body("int", inner, asynchronous=True)))
            scope.members.async_methods.append(name)
        return paragraphs(texts)

    # Types of every file

    def record(self):
        scope = Scope(int=["Number", "Rank"], string=["Name"], double=["Value"])
        return self.fill("record", weight=self.code.expression("int", scope, 3),
                         fits=self.code.expression("bool", scope, 3))

    def model(self):
        """Data and nothing else, as much of every program is."""
        initial = {"int": "0", "string": "string.Empty", "double": "0.0", "bool": "false",
                   "DateTime": "DateTime.MinValue", "List<string>": "new()", "decimal": "0m"}
        names = [field.capitalize() for field in self.fields(self.random.randrange(3, 6))]
        properties = []
        for name in names:
            type_ = self.random.choice(list(initial))
            properties.append(self.fill("property", type=type_, property=name,
                                        value=initial[type_], **self.summary()))
        return self.fill("model", properties=paragraphs(properties),
                         appends=text_of(f"text.Append(\"{name} \").Append({name});"
                                         for name in names),
                         copies=text_of(f"{name} = {name}," for name in names))

    def contract(self):
        """An interface, and a class that implements it."""
        kind = self.random.choice(["Strict", "Plain", "Quick", "Careful"])
        turns = self.below(9)
        scope = Scope(int=["turns"], list=["seen"], string=["Title"])
        methods = self.methods(scope, 1, "private")
        scope.add("int", "number")
        scope.add("string", "text")
        return self.fill("contract", kind=kind, title=kind.lower(), turns=turns, methods=methods,
                         judge=self.body("int", scope))

    def helpers(self):
        """Static methods for the files after this one."""
        members = Members()
        texts = []
        for _ in range(self.random.randrange(1, 3)):
            name = self.code.member_name(members)
            scope = Scope(int=["left", "right"])
            texts.append(self.fill("int_helper", name=name, body=self.body("int", scope, 2)))
            self.module.int_helpers.append(name)
        name = self.code.member_name(members)
        self.module.text_helpers.append(name)
        scope = Scope(int=["count"], string=["text"])
        return self.fill("helpers", int_helpers=paragraphs(texts), name=name,
                         body=self.body("string", scope, 2))

    # Types of some files

    def expressions(self):
        """A small language: nodes, a visitor, an evaluator by patterns."""
        values = Scope(int=["values.Length", "values[0]"])
        functions = text_of(
            f"[\"{verb.lower()}\"] = values => {self.code.expression('int', values, 3)},"
            for verb in self.random.sample(VERBS, 4))
        members = Members()
        methods = self.methods(Scope(members), 1, "private")
        literal = self.code.expression("int", Scope(members, int=["node.Value"]), 3)
        operands = Scope(members, int=["Visit(node.Left)", "Visit(node.Right)"])
        sum_ = self.code.expression("int", operands, 3)
        low = self.below(50)
        return self.fill("expressions", functions=functions, methods=methods, literal=literal,
                         sum=sum_, low=low, high=low + 60)

    def repository(self):
        item = self.random.choice(self.earlier[-30:] or [self.module]).record
        scope = Scope(int=["version", "rows.Count"])
        return self.fill("repository", item=item,
                         methods=self.methods(scope, self.random.randrange(2, 4)))

    def service(self):
        first, second = (self.random.choice(self.earlier[-40:] or [self.module]).contract
                         for _ in range(2))
        members = Members(methods=["first.Judge", "second.Judge"])
        scope = Scope(members, int=["state"], list=["history"],
                      string=["first.Title", "second.Title"])
        return self.fill("service", first=first, second=second, methods=self.methods(scope, 1),
                         async_methods=self.async_methods(scope, self.random.randrange(1, 3)),
                         streamed=self.random.choice(members.async_methods))

    def value_type(self):
        fields = self.fields(self.random.randrange(2, 4))
        names = [field.capitalize() for field in fields]

        def by_field(operator):
            return [f"left.{name} {operator} right.{name}" for name in names]

        # Lambdas in a struct may not use its fields.
        scope = Scope(lambdas=False, int=[f"({name} + 0)" for name in names])
        return self.fill("value_type", parameters=", ".join(f"int {field}0" for field in fields),
                         assignments=text_of(f"{name} = {name.lower()}0;" for name in names),
                         properties=paragraphs(f"public int {name} {{ get; }}" for name in names),
                         sums=", ".join(by_field("+")), differences=", ".join(by_field("-")),
                         products=", ".join(by_field("*")),
                         all_equal=" && ".join(f"{name} == other.{name}" for name in names),
                         fields=", ".join(names),
                         other_fields=", ".join(f"other.{name}" for name in names),
                         methods=self.methods(scope, 1))

    def machine(self):
        """A state machine."""
        states = [field.capitalize() for field in self.fields(6)]
        methods = self.methods(Scope(int=["past.Count", "log.Length"]), 1, "private")
        transitions = []
        for state in states:
            for order in self.random.sample(["Go", "Halt", "Turn"], 2):
                guard = (f" when number {self.random.choice('<>')} {self.below(99)}"
                         if self.code.chance(0.4) else "")
                transitions.append(f"(State.{state}, Order.{order}){guard} => "
                                   f"State.{self.random.choice(states)},")
        return self.fill("machine", states=text_of(f"{state}," for state in states),
                         first=states[0], methods=methods, transitions=text_of(transitions))

    def builder(self):
        fields = self.fields(self.random.randrange(4, 8))
        methods = [self.fill("builder_method", field=field, property=field.capitalize(),
                             operator=self.random.choice("<>"), limit=self.below(1000),
                             message=self.random.choice(FIELDS),
                             value=self.code.expression("int", Scope(int=[field]), 2))
                   for field in fields]
        properties = [f"public int {field.capitalize()} {{ get; set; }} = {self.below(999)};"
                      for field in fields]
        calls = [f".With{field.capitalize()}({self.below(99)})" for field in fields[:-1]]
        return self.fill("builder", methods=paragraphs(methods), properties=paragraphs(properties),
                         calls=text_of(calls))

    def collection(self):
        scope = Scope(int=["Count"])
        return self.fill("collection", methods=self.methods(scope, self.random.randrange(1, 3)))

    def analysis(self):
        """Long methods over lists: the body of most business code."""
        scope = Scope(int=["turns", "names.Count"], list=["values"], double=["total"])
        methods = self.methods(scope, self.random.randrange(2, 4))
        scope.add("int", "count")
        scope.add("string", "text")
        choices = [self.fill("choice", condition=self.code.expression("bool", scope),
                             text=self.code.expression("string", scope))
                   for _ in range(self.random.randrange(1, 4))]
        return self.fill("analysis", methods=methods, choices=text_of(choices),
                         last=self.code.expression("string", scope))

    def write(self, part):
        """The text of the file; `part` is the one of PARTS that it has."""
        usings = text_of(f"using Library.{area};" for area in AREAS if area != self.module.area)
        types = [self.record(), self.model(), self.contract(), part(self), self.helpers()]
        return self.fill("file", usings=usings, area=self.module.area,
                         types=paragraphs(types)) + "\n"


PARTS = [FileWriter.expressions, FileWriter.repository, FileWriter.service, FileWriter.value_type,
         FileWriter.machine, FileWriter.builder, FileWriter.collection, FileWriter.analysis,
         FileWriter.analysis]


def write_library(folder, files, seed=1):
    """Writes `files` sources, one at least, into `folder`, which is made if need be; answers their
    paths. OSError if they cannot be written."""
    random_ = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    areas = "".join(f"namespace Library.{area} {{ }}\n" for area in AREAS)
    (folder / "Areas.cs").write_text(areas)
    earlier, paths = [], [folder / "Areas.cs"]
    for number in range(files - 1):
        module = Module(number, random_)
        part = random_.choice(PARTS)
        path = folder / f"{module.subject}.cs"
        path.write_text(FileWriter(random_, module, earlier).write(part))
        earlier.append(module)
        paths.append(path)
    return paths


if __name__ == "__main__":
    generator_main(write_library, __doc__, "files", 210)
