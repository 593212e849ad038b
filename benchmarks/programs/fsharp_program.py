#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes an F# program of any number of modules, the same for the same seed: work for a compiler.

Each module has unions, records, recursive functions over them, active patterns, pipelines, generic
functions, sequences and classes, and uses the modules before it. Most types are left to inference.

  benchmarks/programs/fsharp_program.py FOLDER [--modules 80] [--seed 1]
"""
import random

from synthetic import FIELDS, VERBS, generator_main, subject_name

FUNCTIONS_A_MODULE = 1


class ModuleWriter:
    """One module. Of those before it only `combine : int -> int -> int`, `describe : string -> int ->
    string` and the record `Entry` are used."""

    def __init__(self, random_, name, earlier):
        self.random = random_
        self.name = name
        self.earlier = earlier
        self.lines = []
        self.fresh = 0
        self.functions = []  # int -> int -> int, of this module

    def line(self, text="", depth=0):
        self.lines.append("    " * depth + text if text else "")

    def new(self, stem=None):
        self.fresh += 1
        return f"{stem or self.random.choice(FIELDS)}{self.fresh}"

    def chance(self, share):
        return self.random.random() < share

    # Expressions

    def number(self, names, depth):
        if depth <= 0 or self.chance(0.4):
            return self.random.choice(names) if self.chance(0.75) else str(self.random.randrange(1, 99))
        form = self.random.randrange(10)
        inner = lambda: self.number(names, depth - 1)  # noqa: E731
        if form < 3:
            return f"({inner()} {self.random.choice('+-*')} {inner()})"
        if form == 3:
            return f"({inner()} % {self.random.randrange(2, 17)})"
        if form == 4:
            return f"(if {self.condition(names, depth - 1)} then {inner()} else {inner()})"
        if form == 5:
            return f"({self.random.choice(['max', 'min'])} {inner()} {inner()})"
        if form == 6 and self.functions:
            return f"({self.random.choice(self.functions)} {inner()} {inner()})"
        if form == 7 and self.earlier:
            return f"({self.random.choice(self.earlier[-20:])}.combine {inner()} {inner()})"
        if form == 8:
            return f"({self.pipeline(names)})"
        return f"(String.length (describe \"{self.random.choice(FIELDS)}\" {inner()}))"

    def condition(self, names, depth):
        if depth > 0 and self.chance(0.3):
            return (f"({self.condition(names, depth - 1)} {self.random.choice(['&&', '||'])} "
                    f"{self.condition(names, depth - 1)})")
        return (f"{self.number(names, depth)} {self.random.choice(['<', '>', '<>', '='])} "
                f"{self.number(names, 0)}")

    def lambda_(self, names, depth=1):
        value = self.new("x")
        return f"(fun {value} -> {self.number([value, value] + names[-2:], depth)})"

    def pipeline(self, names):
        """A chain that ends in an int."""
        kind = self.random.choice(["List", "Seq", "Array"])
        text = f"[ 1 .. {self.random.choice(names)} ]" if kind == "List" else (
            f"[| 1 .. {self.random.choice(names)} |]" if kind == "Array" else f"seq {{ 1 .. {self.random.choice(names)} }}")
        for _ in range(self.random.randrange(1, 3)):
            form = self.random.randrange(5)
            value = self.new("v")
            if form == 0:
                text += f" |> {kind}.map {self.lambda_(names)}"
            elif form == 1:
                text += f" |> {kind}.filter (fun {value} -> {self.condition([value] + names[-1:], 1)})"
            elif form == 2:
                text += f" |> {kind}.collect (fun {value} -> {'[ ' if kind != 'Array' else '[| '}{value}; {value} + 1{' ]' if kind != 'Array' else ' |]'})"
            elif form == 3:
                text += f" |> {kind}.groupBy {self.lambda_(names)} |> {kind}.map (fun (key, group) -> key + {kind}.length group)"
            else:
                text += f" |> {kind}.sortBy {self.lambda_(names)}"
        total, each = self.new("total"), self.new("each")
        return text + self.random.choice(
            [f" |> {kind}.sum", f" |> {kind}.sumBy {self.lambda_(names)}",
             f" |> {kind}.fold (fun {total} {each} -> {total} + {each}) 0"])

    # Definitions

    def types(self):
        fields = self.random.sample(FIELDS, 4)
        self.fields = fields
        self.line("type Entry =")
        for field in fields:
            self.line(f"{{ {field.capitalize()}: int" if field is fields[0] else f"  {field.capitalize()}: int", 1)
        self.lines[-1] += " }"
        self.line(f"member this.Heaviness = {self.number([f'this.{field.capitalize()}' for field in fields], 2)}", 1)
        self.line()

    def basics(self):
        self.line("let describe (text: string) number =")
        self.line(f"sprintf \"%s %d of {self.random.choice(FIELDS)}\" text number", 1)
        self.line()

    def tree_functions(self):
        self.line("type Tree<'T> =")
        self.line("| Leaf", 1)
        self.line("| Node of Tree<'T> * 'T * Tree<'T>", 1)
        self.line()
        self.line("let rec insert compare value tree =")
        self.line("match tree with", 1)
        self.line("| Leaf -> Node(Leaf, value, Leaf)", 1)
        self.line("| Node(left, here, right) when compare value here < 0 -> Node(insert compare value left, here, right)", 1)
        self.line("| Node(left, here, right) when compare value here > 0 -> Node(left, here, insert compare value right)", 1)
        self.line("| found -> found", 1)
        self.line()
        self.line("let rec fold step state tree =")
        self.line("match tree with", 1)
        self.line("| Leaf -> state", 1)
        self.line("| Node(left, value, right) ->", 1)
        self.line("let before = fold step state left", 2)
        self.line("fold step (step before value) right", 2)
        self.line()
        self.line("let rec toSeq tree =")
        self.line("seq {", 1)
        self.line("match tree with", 2)
        self.line("| Leaf -> ()", 2)
        self.line("| Node(left, value, right) ->", 2)
        self.line("yield! toSeq left", 3)
        self.line("yield value", 3)
        self.line("yield! toSeq right", 3)
        self.line("}", 1)
        self.line()

    def term_functions(self):
        literal, pair, call, choice = [verb + "Case" for verb in self.random.sample(VERBS, 4)]
        self.line("type Term =")
        self.line(f"| {literal} of int", 1)
        self.line(f"| {pair} of Term * Term", 1)
        self.line(f"| {call} of string * Term list", 1)
        self.line(f"| {choice} of condition: Term * yes: Term * no: Term option", 1)
        self.line()
        low = self.random.randrange(2, 40)
        self.line(f"let (|Small|Middle|Large|) number =")
        self.line(f"if number < {low} then Small elif number < {low * 9} then Middle number else Large(number / {low})", 1)
        self.line()
        self.line("let rec evaluate names term =")
        self.line("match term with", 1)
        self.line(f"| {literal} number -> number", 1)
        self.line(f"| {pair}({literal} left, {literal} right) -> {self.number(['left', 'right'], 2)}", 1)
        self.line(f"| {pair}(left, right) -> evaluate names left + evaluate names right", 1)
        self.line(f"| {call}(name, [ only ]) when Map.containsKey name names -> evaluate names only * names[name]", 1)
        self.line(f"| {call}(name, arguments) ->", 1)
        self.line("let values = arguments |> List.map (evaluate names)", 2)
        self.line("values |> List.fold (fun sum value -> sum + value) (String.length name)", 2)
        self.line(f"| {choice}(condition, yes, None) -> if evaluate names condition <> 0 then evaluate names yes else 0", 1)
        self.line(f"| {choice}(condition, yes, Some no) ->", 1)
        self.line("match evaluate names condition with", 2)
        self.line("| Small -> evaluate names no", 2)
        self.line("| Middle number -> number + evaluate names yes", 2)
        self.line("| Large number -> number - evaluate names yes", 2)
        self.line()
        self.line("let rec simplify term =")
        self.line("match term with", 1)
        self.line(f"| {pair}({literal} 0, other)", 1)
        self.line(f"| {pair}(other, {literal} 0) -> simplify other", 1)
        self.line(f"| {pair}(left, right) -> {pair}(simplify left, simplify right)", 1)
        self.line(f"| {call}(name, arguments) -> {call}(name, List.map simplify arguments)", 1)
        self.line(f"| {choice}({literal} 0, _, Some no) -> simplify no", 1)
        self.line("| other -> other", 1)
        self.line()

    def number_function(self, name=None):
        name = name or self.new(self.random.choice(VERBS).lower())
        recursive = self.chance(0.25)
        names = ["left", "right"]
        self.line(f"let {'rec ' if recursive else ''}{name} left right =")
        for _ in range(self.random.randrange(1, 3)):
            local = self.new()
            form = self.random.randrange(6)
            if form == 0:
                step = self.new("step")
                self.line(f"let rec {step} count sum =", 1)
                self.line(f"if count <= 0 then sum else {step} (count - 1) ({self.number(['count', 'sum'] + names[-1:], 2)})", 2)
                self.line(f"let {local} = {step} {self.random.choice(names)} {self.number(names, 0)}", 1)
            elif form == 1:
                value = self.new("other")
                self.line(f"let {local} =", 1)
                self.line(f"match {self.number(names, 2)}, {self.number(names, 1)} with", 2)
                self.line(f"| {self.random.randrange(9)}, {value}", 2)
                self.line(f"| {value}, {self.random.randrange(9)} -> {self.number(names + [value], 2)}", 2)
                self.line(f"| first, second when {self.condition(['first', 'second'], 1)} -> {self.number(names + ['first', 'second'], 2)}", 2)
                self.line(f"| first, _ -> {self.number(names + ['first'], 1)}", 2)
            elif form == 2:
                self.line(f"let {local} = {self.pipeline(names)}", 1)
            elif form == 3:
                entry = self.new("entry")
                values = "; ".join(f"{field.capitalize()} = {self.number(names, 1)}" for field in self.fields)
                self.line(f"let {entry} : Entry = {{ {values} }}", 1)
                self.line(f"let {local} = {{ {entry} with {self.fields[1].capitalize()} = {self.number(names, 1)} }}.Heaviness", 1)
            elif form == 4:
                self.line(f"let {local} =", 1)
                self.line(f"[ for i in 1 .. {self.random.choice(names)} do", 2)
                self.line(f"if {self.condition(['i'] + names, 1)} then", 4)
                self.line(f"yield {self.number(['i'] + names, 2)} ]", 5)
                self.line("|> List.length", 2)
            else:
                self.line(f"let {local} = {self.number(names, 2)}", 1)
            names.append(local)
        result = self.number(names, 2)
        if recursive:
            self.line(f"if left <= 0 then {result} else {name} (left - 1) ({self.number(names, 1)})", 1)
        else:
            self.line(result, 1)
        self.line()
        self.functions.append(name)

    def generic_function(self):
        name = self.new("both")
        self.line(f"let {name} first second values =")
        self.line("values", 1)
        self.line("|> List.choose (fun value -> match first value with Some found -> Some(second found value) | None -> None)", 1)
        self.line("|> List.groupBy fst", 1)
        self.line("|> List.map (fun (key, group) -> key, group |> List.map snd |> List.distinct)", 1)
        self.line("|> Map.ofList", 1)
        self.line()

    def worker(self):
        kind = self.new("Worker")
        self.line(f"type {kind}(start: int) =")
        self.line("let mutable state = start", 1)
        self.line("let seen = System.Collections.Generic.Dictionary<string, int>()", 1)
        self.line("member _.State = state", 1)
        self.line("member this.Step(number, ?text: string) =", 1)
        self.line("let key = defaultArg text (describe \"step\" number)", 2)
        self.line(f"state <- {self.number(['state', 'number'], 3)}", 2)
        self.line("seen[key] <- state", 2)
        self.line("this", 2)
        self.line("member _.Later(count) =", 1)
        self.line("async {", 2)
        self.line("let mutable sum = 0", 3)
        self.line("for i in 1 .. count do", 3)
        self.line("do! Async.Sleep 0", 4)
        self.line(f"sum <- {self.number(['sum', 'i', 'state'], 2)}", 4)
        self.line("return sum", 3)
        self.line("}", 2)
        self.line("interface System.IComparable with", 1)
        self.line("member _.CompareTo(other) =", 2)
        self.line(f"match other with :? {kind} as that -> compare state that.State | _ -> 1", 3)
        self.line("override _.Equals(other) =", 1)
        self.line(f"match other with :? {kind} as that -> state = that.State | _ -> false", 2)
        self.line("override _.GetHashCode() = hash state", 1)
        self.line()

    def write(self):
        self.line(f"module Program.{self.name}")
        self.line()
        self.basics()
        self.types()
        if self.chance(0.25):
            self.tree_functions()
        if self.chance(0.4):
            self.term_functions()
        for number in range(FUNCTIONS_A_MODULE):
            self.number_function()
        if self.chance(0.2):
            self.generic_function()
        if self.chance(0.2):
            self.worker()
        # Inlined, those of all modules would grow into each other.
        self.line("[<System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)>]")
        self.number_function("combine")
        return "\n".join(self.lines).rstrip() + "\n"


def write_program(folder, modules, seed=1):
    """Writes the modules and a main one; answers their paths, in the order of compilation."""
    random_ = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    names, paths = [], []
    for number in range(modules):
        name = subject_name(number)
        path = folder / f"{name}.fs"
        path.write_text(ModuleWriter(random_, name, names).write())
        names.append(name)
        paths.append(path)
    calls = "".join(f"    printfn \"%d\" ({name}.combine 3 4)\n" for name in names)
    main = folder / "Main.fs"
    main.write_text(f"module Program.Main\n\n[<EntryPoint>]\nlet main _ =\n{calls}    0\n")
    return paths + [main]


if __name__ == "__main__":
    generator_main(write_program, __doc__, "modules", 80)
