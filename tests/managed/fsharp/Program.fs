// SPDX-License-Identifier: MIT
// Explicit tail calls: millions of them must neither grow the stack nor the call tree.
module TailCalls.Program

open System
open System.Runtime.CompilerServices

let expected = Collections.Generic.SortedDictionary<string, int64>(StringComparer.Ordinal)

let expect (name: string) (calls: int64) = expected.[name] <- calls

[<MethodImpl(MethodImplOptions.NoInlining)>]
let rec isEven (n: int) : bool = if n = 0 then true else isOdd (n - 1)

and [<MethodImpl(MethodImplOptions.NoInlining)>] isOdd (n: int) : bool =
    if n = 0 then false else isEven (n - 1)

// More stack arguments than the caller has: the runtime cannot make this one a jump and sends it
// through its dispatcher.
[<MethodImpl(MethodImplOptions.NoInlining)>]
let rec narrow (n: int) : int64 =
    if n = 0 then 0L
    else wide (n - 1) 1L 2L 3L 4L 5L 6L 7L 8L 9L 10L

and [<MethodImpl(MethodImplOptions.NoInlining)>] wide
    (n: int) (a: int64) (b: int64) (c: int64) (d: int64) (e: int64)
    (f: int64) (g: int64) (h: int64) (i: int64) (j: int64) : int64 =
    if n = 0 then a + b + c + d + e + f + g + h + i + j
    else narrow (n - 1)

// An ordinary call around the chain: it must come back to this frame.
[<MethodImpl(MethodImplOptions.NoInlining)>]
let around (n: int) : int = (if isEven n then 1 else 0) + 1

[<MethodImpl(MethodImplOptions.NoInlining)>]
let aroundWide (n: int) : int64 = narrow n + 1L

[<EntryPoint>]
let main _ =
    let steps = 2_000_000
    let right = around steps = 2 && around (steps + 1) = 1
    let wideSteps = 20_001
    let right = right && aroundWide wideSteps = 56L
    if not right then
        printfn "WRONG results"
        1
    else
        expect "Program.around" 2L
        // around steps: even, odd, ..., even; around (steps + 1): even, ..., odd.
        expect "Program.isEven" (int64 (steps / 2 + 1) + int64 (steps / 2 + 1))
        expect "Program.isOdd" (int64 (steps / 2) + int64 (steps / 2 + 1))
        expect "Program.aroundWide" 1L
        expect "Program.narrow" (int64 ((wideSteps + 1) / 2))
        expect "Program.wide" (int64 ((wideSteps + 1) / 2))
        Console.WriteLine "tail calls are right"
        let counts = expected |> Seq.map (fun e -> $"\"{e.Key}\": {e.Value}") |> String.concat ", "
        Console.WriteLine("UMBRA-EXPECT {\"counts\": {" + counts + "}, \"trees\": []}")
        0
