// SPDX-License-Identifier: MIT
// Takes what tests/managed/async_truth takes: "async_truth_fs ROUNDS", or the lines "warm ROUNDS" and "work ROUNDS".
module Program

open System
open Umbra.Testing

let work (rounds: int) =
    CallBook.Open()
    (Tasks.all By.Nobody rounds).Wait()
    CallBook.Now.Told()

[<EntryPoint>]
let main arguments =
    if arguments.Length > 0 then
        Console.WriteLine("UMBRA-EXPECT " + work (int arguments.[0]))
    else
        let lines = Seq.initInfinite (fun _ -> Console.ReadLine()) |> Seq.takeWhile (isNull >> not)
        for line in lines do
            let words = (string line).Split ' '
            let told = work (int words.[1])
            Console.WriteLine(if words.[0] = "warm" then "{}" else told)
    0
