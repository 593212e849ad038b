// SPDX-License-Identifier: MIT
public partial class ${subject}Analysis
{
    private readonly List<int> values = new();
    private readonly Dictionary<string, int> names = new();
    private double total;
    private int turns;

    ${methods}

    public IEnumerable<string> Lines(int count, string text)
    {
        ${choices}
        yield return ${last};
    }
}
