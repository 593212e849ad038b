// SPDX-License-Identifier: MIT
// Types of F# and their members.
namespace Names

open System
open System.Runtime.CompilerServices

//= F# record
//: 2 Names.Item.Item(string, int)
//: 1 Names.Item.Doubled()
type Item =
    { Name: string
      Count: int }

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member this.Doubled() =
        { this with Count = 2 * this.Count } //@ F# member of a record: Names.Item.Doubled()

//= F# discriminated union: cases are made by methods that F# names, members
//: 1 Names.Shape.NewCircle(double)
//: 1 Names.Shape.Nothing.get
//: 1 Names.Shape.Area.get
//: 1 Names.Shape.Scaled(double)
//: 1 Names.Shape.Unit.get
type Shape =
    | Circle of radius: float
    | Square of side: float
    | Nothing

    member this.Area
        with [<MethodImpl(MethodImplOptions.NoInlining)>] get () =
            match this with //@ F# property of a union, and what makes a case: Names.Shape.Area.get; Names.Shape.NewCircle(double)
            | Circle r -> 3.0 * r * r
            | Square s -> s * s
            | Nothing -> 0.0

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member this.Scaled(by: float) =
        match this with
        | Square s -> s * by
        | _ -> by

    static member Unit
        with [<MethodImpl(MethodImplOptions.NoInlining)>] get () = Nothing

type IGreets =
    abstract Greet: string -> string
    abstract Loud: bool

//= F# class: primary constructor, second constructor, members
//: 2 Names.Person.Person(string)
//: 1 Names.Person.Person(int)
//: 1 Names.Person.Rename(string)
//: 1 Names.Person.Age.get
//: 1 Names.Person.Age.set
//: 1 Names.Person.this[int].get
//: 1 Names.Person.operator +(Person, Person)
//: 1 Names.Person.Born(int)
//= F# interface implementation
//: 1 Names.Person.IGreets.Greet(string)
//: 1 Names.Person.IGreets.Loud.get
//= F# let-bound function of a class
//: 1 Names.Person.spell(string)
type Person(name: string) =
    let mutable age = 0 //@ F# primary constructor, which begins with its first let: Names.Person.Person(string)
    let mutable current = name

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let spell (other: string) =
        current + other //@ F# let-bound function of a class: Names.Person.spell(string)

    new(number: int) =
        Person(string number) //@ F# second constructor: Names.Person.Person(int)

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member _.Rename(other: string) = current <- spell other //@ F# method: Names.Person.Rename(string)

    member _.Age
        with [<MethodImpl(MethodImplOptions.NoInlining)>] get () = age //@ F# property: Names.Person.Age.get
        and [<MethodImpl(MethodImplOptions.NoInlining)>] set (value: int) = age <- value //@ F# setter: Names.Person.Age.set

    member _.Item
        with [<MethodImpl(MethodImplOptions.NoInlining)>] get (n: int) = name.[n]

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member (+)(a: Person, b: Person) = a //@ F# operator of a type: Names.Person.operator +(Person, Person)

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member Born(year: int) = year //@ F# static method: Names.Person.Born(int)

    interface IGreets with
        [<MethodImpl(MethodImplOptions.NoInlining)>]
        member _.Greet(other: string) =
            other + current //@ F# interface implementation: Names.Person.IGreets.Greet(string)

        member _.Loud
            with [<MethodImpl(MethodImplOptions.NoInlining)>] get () = false

//= F# intrinsic type extension
//: 1 Names.Person.Older(int)
type Person with
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member this.Older(years: int) = this.Age + years //@ F# intrinsic extension: Names.Person.Older(int)

//= F# optional type extension
//: 1 Names.Extensions.Int32.Twice(int)
//: 1 Names.Extensions.Int32.Half.get
module Extensions =
    type Int32 with
        [<MethodImpl(MethodImplOptions.NoInlining)>]
        member this.Twice() = 2 * this //@ F# optional extension: Names.Extensions.Int32.Twice(int)

        member this.Half
            with [<MethodImpl(MethodImplOptions.NoInlining)>] get () = this / 2

//= F# module beside a type of the same name
//: 1 Names.ItemModule.empty(string)
//= F# nested module
//: 1 Names.ItemModule.Deep.down(int)
[<CompilationRepresentation(CompilationRepresentationFlags.ModuleSuffix)>]
module Item =
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let empty (name: string) = { Name = name; Count = 0 }

    module Deep =
        [<MethodImpl(MethodImplOptions.NoInlining)>]
        let down (n: int) = n - 1 //@ F# nested module: Names.ItemModule.Deep.down(int)

module Objects =
    //= F# object expression
    //: 1 Names.Objects.greeter.closure.IGreets.Greet(string)
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let greeter (prefix: string) =
        { new IGreets with
            member _.Greet(name) = prefix + name //@ F# object expression: Names.Objects.greeter.closure.IGreets.Greet(string)
            member _.Loud = true }

    //= F# closure passed to a delegate
    //: 1 Names.Objects.delegated.closure(int)
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let delegated (n: int) = Array.ConvertAll([| 1 |], Converter<int, int>(fun m -> m + n))

    //= F# closure of two arguments
    //: 2 Names.Objects.folded.closure(int, int)
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let folded (by: int) =
        List.fold
            (fun a b -> a + b * by) //@ F# closure of two arguments: Names.Objects.folded.closure(int, int)
            0
            [ 1; 2 ]
