// SPDX-License-Identifier: MIT
public interface I${subject}Rules
{
    string Title { get; }

    int Judge(int number, string text);

    int JudgeAll(IEnumerable<int> numbers)
    {
        return numbers.Sum(number => Judge(number, Title));
    }
}

public sealed class ${kind}${subject}Rules : I${subject}Rules
{
    private readonly List<int> seen = new();
    private int turns = ${turns};

    public string Title => "${title}" + turns;

    ${methods}

    public int Judge(int number, string text)
    {
        turns++;
        ${judge}
    }
}
