// SPDX-License-Identifier: MIT
public abstract record ${subject}Node;
public sealed record ${subject}Literal(int Value) : ${subject}Node;
public sealed record ${subject}Sum(${subject}Node Left, ${subject}Node Right) : ${subject}Node;
public sealed record ${subject}Choice\
    (${subject}Node When, ${subject}Node Then, ${subject}Node? Else) : ${subject}Node;
public sealed record ${subject}Call\
    (string Name, IReadOnlyList<${subject}Node> Arguments) : ${subject}Node;

public abstract class ${subject}Visitor<TResult>
{
    protected abstract TResult Visit(${subject}Literal node);
    protected abstract TResult Visit(${subject}Sum node);
    protected abstract TResult Visit(${subject}Choice node);
    protected abstract TResult Visit(${subject}Call node);

    public TResult Visit(${subject}Node node) => node switch
    {
        ${subject}Literal one => Visit(one),
        ${subject}Sum one => Visit(one),
        ${subject}Choice one => Visit(one),
        ${subject}Call one => Visit(one),
        _ => throw new InvalidOperationException(node.ToString()),
    };
}

public sealed class ${subject}Evaluator : ${subject}Visitor<int>
{
    private readonly Dictionary<string, Func<int[], int>> functions = new()
    {
        ${functions}
    };

    ${methods}

    protected override int Visit(${subject}Literal node) => ${literal};

    protected override int Visit(${subject}Sum node) => ${sum};

    protected override int Visit(${subject}Choice node) =>
        Visit(node.When) != 0 ? Visit(node.Then) : node.Else is { } other ? Visit(other) : 0;

    protected override int Visit(${subject}Call node)
    {
        int[] values = node.Arguments.Select(Visit).ToArray();
        return functions.TryGetValue(node.Name, out var function) ? function(values) : 0;
    }
}

public static class ${subject}Folding
{
    public static ${subject}Node Simplify(this ${subject}Node node) => node switch
    {
        ${subject}Sum { Left: ${subject}Literal left, Right: ${subject}Literal right } =>
            new ${subject}Literal(left.Value + right.Value),
        ${subject}Sum { Left: ${subject}Literal { Value: 0 }, Right: var right } => \
            right.Simplify(),
        ${subject}Choice \
            { When: ${subject}Literal { Value: > ${low} and < ${high} }, Then: var then } => \
            then.Simplify(),
        ${subject}Choice { Else: null, When: ${subject}Literal { Value: 0 } } => \
            new ${subject}Literal(0),
        ${subject}Call { Arguments: [var only] } => only.Simplify(),
        ${subject}Call call => \
            call with { Arguments = call.Arguments.Select(Simplify).ToList() },
        _ => node,
    };
}
