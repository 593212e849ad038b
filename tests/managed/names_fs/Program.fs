// SPDX-License-Identifier: MIT
// Calls every construct as often as is said there.
module Names.Program

open Names.Extensions

//= F# entry point
//: 1 Names.Program.main(string[])
[<EntryPoint>]
let main _ =
    Functions.run () //@ F# entry point: Names.Program.main(string[])
    let item = Item.empty "a"
    item.Doubled() |> ignore
    Item.Deep.down 1 |> ignore
    let circle = Circle 2.0
    circle.Area |> ignore
    Shape.Unit.Scaled 2.0 |> ignore
    let person = Person "me"
    person.Rename "you"
    person.Age <- 3
    person.[0] |> ignore
    person + Person 5 |> ignore
    Person.Born 2000 |> ignore
    person.Older 1 |> ignore
    let greets = person :> IGreets
    greets.Greet "a" |> ignore
    greets.Loud |> ignore
    (3).Twice() + (3).Half |> ignore
    (Objects.greeter "a").Greet "b" |> ignore
    Objects.delegated 1 |> ignore
    Objects.folded 2 |> ignore
    System.Console.WriteLine "names are called"
    0
