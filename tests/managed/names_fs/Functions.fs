// SPDX-License-Identifier: MIT
// Functions, closures and computation expressions of F#; names_table.py and line_marks.py say what the
// marks mean.
module Names.Functions

open System
open System.Runtime.CompilerServices
open System.Threading.Tasks

//= F# function
//: 1 Names.Functions.twice(int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let twice (n: int) = 2 * n //@ F# function: Names.Functions.twice(int)

//= F# curried function
//: 6 Names.Functions.add(int, int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let add (a: int) (b: int) =
    // A comment is no code.
    a + b //@ F# curried function: Names.Functions.add(int, int)

//= F# curried function with tuples
//: 1 Names.Functions.area(int, int, (string, int))
[<MethodImpl(MethodImplOptions.NoInlining)>]
let area (w: int, h: int) (unit: struct (string * int)) = w * h

//= F# generic function
//: 1 Names.Functions.same<int>(int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let same (x: 'a) = x //@ F# generic function: Names.Functions.same<int>(int)

//= F# function with a compiled name, which is what all of .NET sees
//: 1 Names.Functions.Compiled(int)
[<MethodImpl(MethodImplOptions.NoInlining); CompiledName("Compiled")>]
let written (n: int) = n

//= F# function with units of measure, which are gone at run time
//: 1 Names.Functions.speed(double, double)
[<Measure>]
type m

[<Measure>]
type s

[<MethodImpl(MethodImplOptions.NoInlining)>]
let speed (way: float<m>) (time: float<s>) : float<m / s> = way / time

[<MethodImpl(MethodImplOptions.NoInlining)>]
let bound (n: int) =
    let cores = Environment.ProcessorCount + n //@ F# let: Names.Functions.bound(int)
    cores * cores

[<MethodImpl(MethodImplOptions.NoInlining)>]
let matches (n: int option) =
    match n with //@ F# match: Names.Functions.matches(FSharpOption<int>)
    | Some 1 -> "one"
    | Some _ -> "many"
    | None -> "none"

[<MethodImpl(MethodImplOptions.NoInlining)>]
let tries (n: int) =
    try //@ F# try: Names.Functions.tries(int)
        GC.KeepAlive n
    finally
        GC.KeepAlive n

[<MethodImpl(MethodImplOptions.NoInlining)>]
let loops (n: int) =
    let mutable left = n //@ F# while: Names.Functions.loops(int)

    while left > 0 do
        left <- left - 1

//= F# operator with a name of its own
//: 1 Names.Functions.(+.)(int, int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let (+.) (a: int) (b: int) = a + b + 1 //@ F# operator: Names.Functions.(+.)(int, int)

//= F# pipe operator
//: 1 Names.Functions.(|>>)(int, FSharpFunc<int, int>)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let (|>>) (a: int) (f: int -> int) = f a

//= F# active pattern
//: 1 Names.Functions.(|Even|Odd|)(int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let (|Even|Odd|) (n: int) =
    if n % 2 = 0 then Even else Odd //@ F# active pattern: Names.Functions.(|Even|Odd|)(int)

//= F# partial active pattern
//: 1 Names.Functions.(|Small|_|)(int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let (|Small|_|) (n: int) = if n < 5 then Some n else None

//= F# name in double backticks
//: 1 Names.Functions.is it 1 or 2?(int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let ``is it 1 or 2?`` (n: int) = n = 1 || n = 2

//= F# closure
//: 3 Names.Functions.shifted.closure(int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let shifted (by: int) =
    List.map
        (fun n -> n + by) //@ F# closure: Names.Functions.shifted.closure(int)
        [ 1; 2; 3 ]

//= F# closure in a closure
//: 2 Names.Functions.table.closure(int)
//: 4 Names.Functions.table.closure#1(int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let table (by: int) = List.map (fun a -> List.map (fun b -> a * b + by) [ 1; 2 ]) [ 1; 2 ]

//= F# function that returns a function
//: 2 Names.Functions.adder.closure(int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let adder (a: int) : int -> int =
    printf "" //@ F# function that returns a function: Names.Functions.adder(int)

    fun b ->
        a + b //@ F# function that is returned: Names.Functions.adder.closure(int)

//= F# inner function
//: 6 Names.Functions.loop(int, int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let factorial (n: int) =
    let rec loop i product =
        if i = 0 then //@ F# inner function: Names.Functions.loop(int, int); Names.Functions.loop.closure(int, int)
            product
        else
            add 0 (loop (i - 1) (product * i))

    loop n 1 //@ function around it: Names.Functions.factorial(int)

//= F# async
//: 1 Names.Functions.fetch(int)
//: 1 Names.Functions.fetch.closure(Unit)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let fetch (n: int) =
    async { //@ F# async: Names.Functions.fetch(int)
        do! Async.Sleep 1
        return n
    }

//= F# task
//: 1 Names.Functions.work(int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let work (n: int) =
    task { //@ F# task: Names.Functions.work(int)
        do! Task.Yield() //@ code of a task: Names.Functions.work(int); Names.Functions.work.closure(Unit)
        return n
    }

//= F# sequence
//: 1 Names.Functions.upTo(int)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let upTo (n: int) =
    seq { //@ F# sequence: Names.Functions.upTo(int)
        yield 1 //@ code of a sequence: Names.Functions.upTo(int)
        yield n
    }

//= F# lazy value
//: 1 Names.Functions.later.closure(Unit)
[<MethodImpl(MethodImplOptions.NoInlining)>]
let later (n: int) =
    lazy
        (n + 1) //@ F# lazy value: Names.Functions.later.closure(Unit)

type Builder() = //@ F# primary constructor without a let: Names.Functions.Builder.Builder()
    //= F# members of a computation expression's builder
    //: 1 Names.Functions.Builder.Bind<int, int>(int, FSharpFunc<int, int>)
    //: 1 Names.Functions.Builder.Return<int>(int)
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member _.Bind(x: 'a, f: 'a -> 'b) = f x //@ F# builder: Names.Functions.Builder.Bind<int, int>(int, FSharpFunc<int, int>)

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member _.Return(x: 'a) = x //@ its other member: Names.Functions.Builder.Return<int>(int)

let built = Builder()

[<MethodImpl(MethodImplOptions.NoInlining)>]
let steps (n: int) =
    built { //@ F# computation expression: Names.Functions.steps(int)
        let! m = n
        return m + 1 //@ what follows its let!: Names.Functions.steps.closure(int)
    }

let run () =
    let fast = twice 1 + add 1 2 + area (1, 2) (struct ("m", 1)) + same 1 + written 1
    bound 2 |> ignore
    matches (Some 1) |> ignore
    tries 1
    loops 2
    speed 1.0<m> 1.0<s> |> ignore
    let sum = (1 +. 2) + (1 |>> (fun n -> n))
    (match fast with Even -> () | Odd -> ())
    (match sum with Small _ -> () | _ -> ())
    ``is it 1 or 2?`` 3 |> ignore
    shifted 1 |> ignore
    table 1 |> ignore
    let add1 = adder 1
    add1 (add1 2) |> ignore
    factorial 5 |> ignore
    fetch 1 |> Async.RunSynchronously |> ignore
    (work 1).Wait()
    Seq.length (upTo 2) |> ignore
    (later 1).Force() |> ignore
    steps 1 |> ignore
