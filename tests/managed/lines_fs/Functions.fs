// SPDX-License-Identifier: MIT
// Functions, closures and computation expressions; test_source_lines.py says what the marks mean.
module Lines.Functions

open System
open System.Runtime.CompilerServices
open System.Threading.Tasks

[<MethodImpl(MethodImplOptions.NoInlining)>]
let twice (n: int) = 2 * n //@ F# function: Lines.Functions.twice(int)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let add (a: int) (b: int) =
    // A comment is no code.
    a + b //@ F# curried function: Lines.Functions.add(int, int)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let same (x: 'a) = x //@ F# generic function: Lines.Functions.same<int>(int)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let bound (n: int) =
    let cores = Environment.ProcessorCount + n //@ F# let: Lines.Functions.bound(int)
    cores * cores

[<MethodImpl(MethodImplOptions.NoInlining)>]
let matches (n: int option) =
    match n with //@ F# match: Lines.Functions.matches(FSharpOption<int>)
    | Some 1 -> "one"
    | Some _ -> "many"
    | None -> "none"

[<MethodImpl(MethodImplOptions.NoInlining)>]
let tries (n: int) =
    try //@ F# try: Lines.Functions.tries(int)
        GC.KeepAlive n
    finally
        GC.KeepAlive n

[<MethodImpl(MethodImplOptions.NoInlining)>]
let loops (n: int) =
    let mutable left = n //@ F# while: Lines.Functions.loops(int)

    while left > 0 do
        left <- left - 1

[<MethodImpl(MethodImplOptions.NoInlining)>]
let (+.) (a: int) (b: int) = a + b + 1 //@ F# operator: Lines.Functions.(+.)(int, int)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let (|Even|Odd|) (n: int) =
    if n % 2 = 0 then Even else Odd //@ F# active pattern: Lines.Functions.(|Even|Odd|)(int)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let shifted (by: int) =
    List.map
        (fun n -> n + by) //@ F# closure: Lines.Functions.shifted.closure(int)
        [ 1; 2; 3 ]

[<MethodImpl(MethodImplOptions.NoInlining)>]
let adder (a: int) : int -> int =
    printf "" //@ F# function that returns a function: Lines.Functions.adder(int)

    fun b ->
        a + b //@ F# function that is returned: Lines.Functions.adder.closure(int)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let factorial (n: int) =
    let rec loop i product =
        if i = 0 then //@ F# inner function: Lines.Functions.loop(int, int); Lines.Functions.loop.closure(int, int)
            product
        else
            add 0 (loop (i - 1) (product * i))

    loop n 1 //@ function around it: Lines.Functions.factorial(int)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let fetch (n: int) =
    async { //@ F# async: Lines.Functions.fetch(int)
        do! Async.Sleep 1
        return n
    }

[<MethodImpl(MethodImplOptions.NoInlining)>]
let work (n: int) =
    task { //@ F# task: Lines.Functions.work(int)
        do! Task.Delay 1 //@ code of a task: Lines.Functions.work(int); Lines.Functions.work.closure(Unit)
        return n
    }

[<MethodImpl(MethodImplOptions.NoInlining)>]
let upTo (n: int) =
    seq { //@ F# sequence: Lines.Functions.upTo(int)
        yield 1 //@ code of a sequence: Lines.Functions.upTo(int)
        yield n
    }

[<MethodImpl(MethodImplOptions.NoInlining)>]
let later (n: int) =
    lazy
        (n + 1) //@ F# lazy value: Lines.Functions.later.closure(Unit)

type Builder() = //@ F# primary constructor without a let: Lines.Functions.Builder.Builder()
    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member _.Bind(x: 'a, f: 'a -> 'b) = f x //@ F# builder: Lines.Functions.Builder.Bind<int, int>(int, FSharpFunc<int, int>)

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member _.Return(x: 'a) = x //@ its other member: Lines.Functions.Builder.Return<int>(int)

let built = Builder()

[<MethodImpl(MethodImplOptions.NoInlining)>]
let steps (n: int) =
    built { //@ F# computation expression: Lines.Functions.steps(int)
        let! m = n
        return m + 1 //@ what follows its let!: Lines.Functions.steps.closure(int)
    }

let run () =
    twice 1 + add 1 2 + same 1 + bound 2 |> ignore
    matches (Some 1) |> ignore
    tries 1
    loops 2
    (match 1 +. 2 with
     | Even -> ()
     | Odd -> ())
    shifted 1 |> ignore
    let add1 = adder 1
    add1 (add1 2) |> ignore
    factorial 5 |> ignore
    fetch 1 |> Async.RunSynchronously |> ignore
    (work 1).Wait()
    Seq.length (upTo 2) |> ignore
    (later 1).Force() |> ignore
    steps 1 |> ignore
