// SPDX-License-Identifier: MIT
// Something to compile: unions, closures, sequences and inference over all of them.
module Shapes

type Expression =
    | Number of float
    | Variable of string
    | Sum of Expression list
    | Product of Expression list
    | Power of Expression * int

let rec derive name expression =
    match expression with
    | Number _ -> Number 0.0
    | Variable other -> Number(if other = name then 1.0 else 0.0)
    | Sum terms -> terms |> List.map (derive name) |> Sum
    | Product [] -> Number 0.0
    | Product(first :: rest) ->
        Sum [ Product(derive name first :: rest); Product [ first; derive name (Product rest) ] ]
    | Power(inner, n) -> Product [ Number(float n); Power(inner, n - 1); derive name inner ]

let rec simplify expression =
    match expression with
    | Sum terms ->
        let numbers, others =
            terms |> List.map simplify |> List.partition (function Number _ -> true | _ -> false)
        let total = numbers |> List.sumBy (function Number value -> value | _ -> 0.0)
        match others with
        | [] -> Number total
        | [ single ] when total = 0.0 -> single
        | _ -> Sum(if total = 0.0 then others else Number total :: others)
    | Product factors ->
        let simple = factors |> List.map simplify
        if simple |> List.contains (Number 0.0) then Number 0.0 else Product simple
    | Power(inner, 1) -> simplify inner
    | other -> other

let rec show expression =
    match expression with
    | Number value -> string value
    | Variable name -> name
    | Sum terms -> terms |> List.map show |> String.concat " + " |> sprintf "(%s)"
    | Product factors -> factors |> List.map show |> String.concat " * "
    | Power(inner, n) -> sprintf "%s^%d" (show inner) n

let words (text: string) =
    text.Split ' '
    |> Seq.groupBy String.length
    |> Seq.map (fun (length, group) -> length, group |> Seq.distinct |> Seq.sort |> Seq.toList)
    |> Map.ofSeq

[<EntryPoint>]
let main arguments =
    let x = Variable "x"
    let polynomial = Sum [ Power(x, 3); Product [ Number 2.0; Power(x, 2) ]; Number 5.0 ]
    printfn "%s" (polynomial |> derive "x" |> simplify |> show)
    for pair in words (String.concat " " arguments) do
        printfn "%d: %A" pair.Key pair.Value
    0
