// SPDX-License-Identifier: MIT
public class ${subject}Tree<T> : IEnumerable<T> where T : IComparable<T>
{
    private sealed class Node
    {
        public Node(T value) => Value = value;

        public T Value { get; }
        public Node? Left { get; set; }
        public Node? Right { get; set; }
        public int Height { get; set; } = 1;
    }

    private Node? root;

    public int Count { get; private set; }

    public void Add(T value) => root = Add(root, value);

    private Node Add(Node? node, T value)
    {
        if (node is null)
        {
            Count++;
            return new Node(value);
        }
        switch (value.CompareTo(node.Value))
        {
            case < 0:
                node.Left = Add(node.Left, value);
                break;
            case > 0:
                node.Right = Add(node.Right, value);
                break;
        }
        node.Height = 1 + Math.Max(node.Left?.Height ?? 0, node.Right?.Height ?? 0);
        return node;
    }

    public TResult Fold<TResult>(TResult start, Func<TResult, T, TResult> step)
    {
        TResult result = start;
        foreach (T value in this)
        {
            result = step(result, value);
        }
        return result;
    }

    public IEnumerator<T> GetEnumerator()
    {
        var open = new Stack<Node>();
        for (Node? at = root; at is not null || open.Count > 0;)
        {
            while (at is not null)
            {
                open.Push(at);
                at = at.Left;
            }
            at = open.Pop();
            yield return at.Value;
            at = at.Right;
        }
    }

    System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() => \
        GetEnumerator();

    ${methods}

}
