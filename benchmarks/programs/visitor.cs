// SPDX-License-Identifier: MIT
// A language of expressions: written at random, parsed by recursive descent, simplified, printed and
// evaluated by visitors, on many threads at once. Nearly all of it is short calls on deep stacks.
//   visitor THREADS ROUNDS      prints a sum of all that was evaluated: the same each time
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading;

namespace Visitor;

abstract class Node
{
    public abstract T Accept<T>(IVisitor<T> visitor);
}

sealed class Number(long value) : Node
{
    public long Value => value;
    public override T Accept<T>(IVisitor<T> visitor) => visitor.Visit(this);
}

sealed class Name(string text) : Node
{
    public string Text => text;
    public override T Accept<T>(IVisitor<T> visitor) => visitor.Visit(this);
}

sealed class Negation(Node operand) : Node
{
    public Node Operand => operand;
    public override T Accept<T>(IVisitor<T> visitor) => visitor.Visit(this);
}

sealed class Operation(char sign, Node left, Node right) : Node
{
    public char Sign => sign;
    public Node Left => left;
    public Node Right => right;
    public override T Accept<T>(IVisitor<T> visitor) => visitor.Visit(this);
}

sealed class Choice(Node condition, Node yes, Node no) : Node
{
    public Node Condition => condition;
    public Node Yes => yes;
    public Node No => no;
    public override T Accept<T>(IVisitor<T> visitor) => visitor.Visit(this);
}

sealed class Call(string function, IReadOnlyList<Node> arguments) : Node
{
    public string Function => function;
    public IReadOnlyList<Node> Arguments => arguments;
    public override T Accept<T>(IVisitor<T> visitor) => visitor.Visit(this);
}

sealed class Binding(string name, Node value, Node body) : Node
{
    public string Name => name;
    public Node Value => value;
    public Node Body => body;
    public override T Accept<T>(IVisitor<T> visitor) => visitor.Visit(this);
}

interface IVisitor<T>
{
    T Visit(Number node);
    T Visit(Name node);
    T Visit(Negation node);
    T Visit(Operation node);
    T Visit(Choice node);
    T Visit(Call node);
    T Visit(Binding node);
}

/// Text of a random expression.
sealed class Author(int seed)
{
    static readonly string[] functions = ["max", "min", "sum", "least", "count"];
    readonly StringBuilder text = new();
    uint state = (uint)seed * 2654435761 + 1;

    public string Write(int depth)
    {
        text.Clear();
        Expression(depth, 2);
        return text.ToString();
    }

    int Below(int bound)
    {
        state = state * 1664525 + 1013904223;
        return (int)(state >> 8) % bound;
    }

    void Expression(int depth, int names)
    {
        if (depth == 0)
        {
            Leaf(names);
            return;
        }
        switch (Below(10))
        {
            case 0:
                text.Append("let v").Append(names).Append(" = ");
                Expression(depth - 1, names);
                text.Append(" in ");
                Expression(depth - 1, names + 1);
                break;
            case 1:
                text.Append("if ");
                Operand(depth - 1, names);
                text.Append(" < ");
                Operand(depth - 1, names);
                text.Append(" then ");
                Expression(depth - 1, names);
                text.Append(" else ");
                Expression(depth - 1, names);
                break;
            case 2:
                text.Append(functions[Below(functions.Length)]).Append('(');
                for (int i = Below(3); i >= 0; i--)
                {
                    Expression(depth - 1, names);
                    text.Append(i > 0 ? ", " : "");
                }
                text.Append(')');
                break;
            case 3:
                text.Append('-');
                Operand(depth - 1, names);
                break;
            default:
                Operand(depth - 1, names);
                text.Append(' ').Append("+-*/%+"[Below(6)]).Append(' ');
                Operand(depth - 1, names);
                break;
        }
    }

    void Operand(int depth, int names)
    {
        if (depth == 0)
        {
            Leaf(names);
            return;
        }
        text.Append('(');
        Expression(depth, names);
        text.Append(')');
    }

    void Leaf(int names)
    {
        if (Below(2) == 0)
        {
            text.Append('v').Append(Below(names));
        }
        else
        {
            text.Append(Below(100));
        }
    }
}

enum Token { End, Number, Word, Sign }

sealed class Lexer(string text)
{
    int at;

    public Token Kind { get; private set; }
    public string Text { get; private set; } = "";

    public void Next()
    {
        SkipSpace();
        int start = at;
        Kind = at == text.Length ? Token.End
            : char.IsAsciiDigit(text[at]) ? Run(Token.Number, char.IsAsciiDigit)
            : char.IsAsciiLetter(text[at]) ? Run(Token.Word, char.IsAsciiLetterOrDigit)
            : One();
        Text = Kind == Token.End ? "" : text[start..at];
    }

    void SkipSpace()
    {
        while (at < text.Length && text[at] == ' ')
        {
            at++;
        }
    }

    Token Run(Token kind, Func<char, bool> belongs)
    {
        while (at < text.Length && belongs(text[at]))
        {
            at++;
        }
        return kind;
    }

    Token One()
    {
        at++;
        return Token.Sign;
    }
}

/// expression: let | if | comparison; comparison: sum [< sum]; sum: product {+- product};
/// product: unary {*/% unary}; unary: [-] primary; primary: number | name | call | (expression)
sealed class Parser
{
    readonly Lexer lexer;

    Parser(string text) => lexer = new Lexer(text);

    public static Node Parse(string text)
    {
        var parser = new Parser(text);
        parser.lexer.Next();
        Node node = parser.Expression();
        return parser.Sees("") ? node : throw new FormatException(parser.lexer.Text);
    }

    bool Sees(string text) => lexer.Text == text;

    bool Takes(string text)
    {
        if (!Sees(text))
        {
            return false;
        }
        lexer.Next();
        return true;
    }

    void Expect(string text)
    {
        if (!Takes(text))
        {
            throw new FormatException($"'{lexer.Text}' in place of '{text}'");
        }
    }

    string Word()
    {
        string word = lexer.Text;
        lexer.Next();
        return word;
    }

    Node Expression() => Takes("let") ? Let() : Takes("if") ? If() : Comparison();

    Node Let()
    {
        string name = Word();
        Expect("=");
        Node value = Expression();
        Expect("in");
        return new Binding(name, value, Expression());
    }

    Node If()
    {
        Node condition = Comparison();
        Expect("then");
        Node yes = Expression();
        Expect("else");
        return new Choice(condition, yes, Expression());
    }

    Node Comparison()
    {
        Node left = Sum();
        return Takes("<") ? new Operation('<', left, Sum()) : left;
    }

    Node Sum()
    {
        Node left = Product();
        while (Sees("+") || Sees("-"))
        {
            char sign = Word()[0];
            left = new Operation(sign, left, Product());
        }
        return left;
    }

    Node Product()
    {
        Node left = Unary();
        while (Sees("*") || Sees("/") || Sees("%"))
        {
            char sign = Word()[0];
            left = new Operation(sign, left, Unary());
        }
        return left;
    }

    Node Unary() => Takes("-") ? new Negation(Unary()) : Primary();

    Node Primary()
    {
        if (lexer.Kind == Token.Number)
        {
            return new Number(long.Parse(Word(), CultureInfo.InvariantCulture));
        }
        if (Takes("("))
        {
            Node inner = Expression();
            Expect(")");
            return inner;
        }
        string name = Word();
        return Takes("(") ? new Call(name, Arguments()) : new Name(name);
    }

    List<Node> Arguments()
    {
        var arguments = new List<Node> { Expression() };
        while (Takes(","))
        {
            arguments.Add(Expression());
        }
        Expect(")");
        return arguments;
    }
}

sealed class Evaluator(long first, long second) : IVisitor<long>
{
    readonly Dictionary<string, long> names = new() { ["v0"] = first, ["v1"] = second };

    public long Visit(Number node) => node.Value;
    public long Visit(Name node) => names.GetValueOrDefault(node.Text);
    public long Visit(Negation node) => unchecked(-node.Operand.Accept(this));

    public long Visit(Operation node)
    {
        long left = node.Left.Accept(this);
        return Arithmetic.Apply(node.Sign, left, node.Right.Accept(this));
    }

    public long Visit(Choice node) =>
        node.Condition.Accept(this) != 0 ? node.Yes.Accept(this) : node.No.Accept(this);

    public long Visit(Call node)
    {
        IEnumerable<long> values = node.Arguments.Select(argument => argument.Accept(this));
        return node.Function switch
        {
            "max" => values.Max(),
            "min" or "least" => values.Min(),
            "sum" => values.Aggregate(0L, (sum, value) => unchecked(sum + value)),
            _ => values.Count(),
        };
    }

    public long Visit(Binding node)
    {
        names[node.Name] = node.Value.Accept(this);
        return node.Body.Accept(this);
    }
}

static class Arithmetic
{
    public static long Apply(char sign, long left, long right) => sign switch
    {
        '+' => unchecked(left + right),
        '-' => unchecked(left - right),
        '*' => unchecked(left * right),
        '/' => right is 0 or -1 ? left : left / right,
        '%' => right is 0 or -1 ? 0 : left % right,
        _ => left < right ? 1 : 0,
    };
}

sealed class Simplifier : IVisitor<Node>
{
    public Node Visit(Number node) => node;
    public Node Visit(Name node) => node;

    public Node Visit(Negation node) =>
        node.Operand.Accept(this) is var operand && operand is Number number
            ? new Number(unchecked(-number.Value))
            : new Negation(operand);

    public Node Visit(Operation node) =>
        (node.Left.Accept(this), node.Right.Accept(this)) switch
        {
            (Number left, Number right) =>
                new Number(Arithmetic.Apply(node.Sign, left.Value, right.Value)),
            (var left, Number { Value: 0 }) when node.Sign is '+' or '-' => left,
            var (left, right) => new Operation(node.Sign, left, right),
        };

    public Node Visit(Choice node) =>
        node.Condition.Accept(this) is var condition && condition is Number number
            ? (number.Value != 0 ? node.Yes : node.No).Accept(this)
            : new Choice(condition, node.Yes.Accept(this), node.No.Accept(this));

    public Node Visit(Call node) =>
        new Call(node.Function, node.Arguments.Select(argument => argument.Accept(this)).ToList());

    public Node Visit(Binding node) =>
        new Binding(node.Name, node.Value.Accept(this), node.Body.Accept(this));
}

sealed class Printer : IVisitor<bool>
{
    readonly StringBuilder text = new();

    public static string Print(Node node)
    {
        var printer = new Printer();
        node.Accept(printer);
        return printer.text.ToString();
    }

    bool Write(string words)
    {
        text.Append(words);
        return true;
    }

    bool Inner(Node node) => Write("(") && node.Accept(this) && Write(")");

    public bool Visit(Number node) =>
        node.Value < 0
            ? Write("(0 - ") && Write(((ulong)-(Int128)node.Value % 1000).ToString()) && Write(")")
            : Write((node.Value % 1000).ToString());

    public bool Visit(Name node) => Write(node.Text);
    public bool Visit(Negation node) => Write("-") && Inner(node.Operand);

    public bool Visit(Operation node) =>
        Inner(node.Left) && Write($" {node.Sign} ") && Inner(node.Right);

    public bool Visit(Choice node) =>
        Write("if ") && Inner(node.Condition) && Write(" then ") && node.Yes.Accept(this)
        && Write(" else ") && node.No.Accept(this);

    public bool Visit(Call node)
    {
        Write($"{node.Function}(");
        for (int i = 0; i < node.Arguments.Count; i++)
        {
            Write(i > 0 ? ", " : "");
            node.Arguments[i].Accept(this);
        }
        return Write(")");
    }

    public bool Visit(Binding node) =>
        Write($"let {node.Name} = ") && node.Value.Accept(this) && Write(" in ")
        && node.Body.Accept(this);
}

static class Program
{
    static long Work(int seed, int rounds)
    {
        var author = new Author(seed);
        long sum = 0;
        for (int round = 0; round < rounds; round++)
        {
            Node read = Parser.Parse(author.Write(8 + round % 5));
            Node simple = read.Accept(new Simplifier());
            Node again = Parser.Parse(Printer.Print(simple));
            for (int value = 0; value < 4; value++)
            {
                sum = unchecked(sum * 31 + again.Accept(new Evaluator(value, round)));
            }
        }
        return sum;
    }

    static int Main(string[] args)
    {
        int rounds = int.Parse(args[1]);
        var sums = new long[int.Parse(args[0])];
        var threads = sums.Select((_, i) => new Thread(() => sums[i] = Work(i, rounds))).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        Console.WriteLine(sums.Aggregate((sum, one) => unchecked(sum * 31 + one)));
        return 0;
    }
}
