// SPDX-License-Identifier: MIT
// Types of F# and their members.
namespace Lines

open System
open System.Runtime.CompilerServices

type Item =
    { Name: string
      Count: int }

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member this.Doubled() =
        { this with Count = 2 * this.Count } //@ F# member of a record: Lines.Item.Doubled()

type Shape =
    | Circle of radius: float
    | Square of side: float

    member this.Area
        with [<MethodImpl(MethodImplOptions.NoInlining)>] get () =
            match this with //@ F# property of a union, and what makes a case: Lines.Shape.Area.get; Lines.Shape.NewCircle(double)
            | Circle r -> 3.0 * r * r
            | Square s -> s * s

type IGreets =
    abstract Greet: string -> string

type Person(name: string) =
    let mutable age = 0 //@ F# primary constructor, which begins with its first let: Lines.Person.Person(string)
    let mutable current = name

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let spell (other: string) =
        current + other //@ F# let-bound function of a class: Lines.Person.spell(string)

    new(number: int) =
        Person(string number) //@ F# second constructor: Lines.Person.Person(int)

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member _.Rename(other: string) = current <- spell other //@ F# method: Lines.Person.Rename(string)

    member _.Age
        with [<MethodImpl(MethodImplOptions.NoInlining)>] get () = age //@ F# property: Lines.Person.Age.get
        and [<MethodImpl(MethodImplOptions.NoInlining)>] set (value: int) = age <- value //@ F# setter: Lines.Person.Age.set

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member (+)(a: Person, b: Person) = a //@ F# operator of a type: Lines.Person.operator +(Person, Person)

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    static member Born(year: int) = year //@ F# static method: Lines.Person.Born(int)

    interface IGreets with
        [<MethodImpl(MethodImplOptions.NoInlining)>]
        member _.Greet(other: string) =
            other + current //@ F# interface implementation: Lines.Person.IGreets.Greet(string)

type Person with
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member this.Older(years: int) = this.Age + years //@ F# intrinsic extension: Lines.Person.Older(int)

module Extensions =
    type Int32 with
        [<MethodImpl(MethodImplOptions.NoInlining)>]
        member this.Twice() = 2 * this //@ F# optional extension: Lines.Extensions.Int32.Twice(int)

module Outer =
    module Deep =
        [<MethodImpl(MethodImplOptions.NoInlining)>]
        let down (n: int) = n - 1 //@ F# nested module: Lines.Outer.Deep.down(int)

module Objects =
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let greeter (prefix: string) =
        { new IGreets with
            member _.Greet(name) = prefix + name } //@ F# object expression: Lines.Objects.greeter.closure.IGreets.Greet(string)

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    let folded (by: int) =
        List.fold
            (fun a b -> a + b * by) //@ F# closure of two arguments: Lines.Objects.folded.closure(int, int)
            0
            [ 1; 2 ]
