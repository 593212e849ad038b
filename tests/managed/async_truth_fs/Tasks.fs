// SPDX-License-Identifier: MIT
// Calls of F#'s tasks, which know themselves as those of tests/managed/async_truth do.
module Tasks

open System
open System.Diagnostics
open System.Threading.Tasks
open Umbra.Testing

/// Whoever is called from here.
let inline from (me: Call) : By = Call.op_Implicit me

let leaf (by: By) (ms: int) : Task<int> =
    task {
        let me = by.Calls "Tasks.leaf"
        me.Runs 100
        do! me.On(Task.Delay ms, "outside Task.Delay")
        me.Runs 150
        return me.Ends ms
    }

let ready (by: By) : Task<int> =
    task {
        let me = by.Calls "Tasks.ready"
        do! me.On(Task.CompletedTask, "outside *")
        return me.Ends 1
    }

let middle (by: By) : Task<int> =
    task {
        let me = by.Calls "Tasks.middle"
        let! first = me.On(leaf (from me) 2, "child Tasks.leaf")
        let! second = me.On(ready (from me), "child Tasks.ready")
        let mutable sum = first + second
        for _ in 1..3 do
            let! one = me.On(leaf (from me) 1, "child Tasks.leaf")
            sum <- sum + one
        return me.Ends sum
    }

let fails (by: By) : Task<int> =
    task {
        let me = by.Calls "Tasks.fails"
        do! me.Yield()
        return raise (me.Fails(InvalidOperationException "late"))
    }

let failsEarly (by: By) : Task<int> =
    task {
        let me = by.Calls "Tasks.failsEarly"
        return raise (me.Fails(InvalidOperationException "early"))
    }

let cancelled (by: By) : Task<int> =
    task {
        let me = by.Calls "Tasks.cancelled"
        do! me.Yield()
        return raise (me.Fails(OperationCanceledException()))
    }

let catches (by: By) : Task =
    task {
        let me = by.Calls "Tasks.catches"
        let wanted =
            [ "Tasks.fails", fails
              "Tasks.failsEarly", failsEarly
              "Tasks.cancelled", cancelled ]
        for name, call in wanted do
            let since = Stopwatch.GetTimestamp()
            try
                let! _ = me.On(call (from me), "child " + name)
                ()
            with _ ->
                CallBook.Now.Saw(name, since) |> ignore
        me.Ends()
    }

let rec deep (by: By) (n: int) : Task<int> =
    task {
        let me = by.Calls "Tasks.deep"
        if n = 0 then
            do! me.Yield()
        else
            let! _ = me.On(deep (from me) (n - 1), "child Tasks.deep")
            ()
        return me.Ends n
    }

/// On the thread pool, unless its caller is there already.
let background (by: By) : Task<int> =
    backgroundTask {
        let me = by.Calls "Tasks.background"
        let! one = me.On(leaf (from me) 1, "child Tasks.leaf")
        return me.Ends one
    }

let spawns (by: By) : Task =
    task {
        let me = by.Calls "Tasks.spawns"
        let! _ = me.On(Task.Run<int>(fun () -> leaf me.Spawns 1), "outside Task.Run")
        let! _ = me.On(Task.WhenAll [| for _ in 1..10 -> middle (from me) |], "outside Task.WhenAll")
        me.Ends()
    }

/// Of async { } itself nothing is known: it has no state machine. Tasks begun before its first await have
/// who called it as parent.
let withAsync (by: By) : Task =
    task {
        let me = by.Calls "Tasks.withAsync"
        let work = async { return! leaf (from me) 1 |> Async.AwaitTask }
        me.Awaits("*", 0, 1)
        let! _ = Async.StartImmediateAsTask work
        me.Ends()
    }

let all (by: By) (rounds: int) : Task =
    task {
        let me = by.Calls "Tasks.all"
        for _ in 1..rounds do
            let! _ = me.On(middle (from me), "child Tasks.middle")
            do! me.On(catches (from me), "child Tasks.catches")
            let! _ = me.On(deep (from me) 10, "child Tasks.deep")
            let! _ = me.On(background (from me), "child Tasks.background")
            do! me.On(spawns (from me), "child Tasks.spawns")
            do! me.On(withAsync (from me), "child Tasks.withAsync")
        me.Ends()
    }
