// SPDX-License-Identifier: MIT
// Calls every construct once or more.
module Lines.Program

open Lines.Extensions

[<EntryPoint>]
let main _ =
    Functions.run () //@ F# entry point: Lines.Program.main(string[])
    let item = { Name = "a"; Count = 1 }
    item.Doubled() |> ignore
    (Circle 2.0).Area |> ignore
    let person = Person "me"
    person.Rename "you"
    person.Age <- 3
    person + Person 5 |> ignore
    Person.Born 2000 |> ignore
    person.Older 1 |> ignore
    (person :> IGreets).Greet "a" |> ignore
    (3).Twice() |> ignore
    Outer.Deep.down 1 |> ignore
    (Objects.greeter "a").Greet "b" |> ignore
    Objects.folded 2 |> ignore
    System.Console.WriteLine "lines are run"
    0
