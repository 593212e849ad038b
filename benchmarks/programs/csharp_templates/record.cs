// SPDX-License-Identifier: MIT
public record ${subject}Entry(string Name, int Number, double Value) : IComparable<${subject}Entry>
{
    public int Rank { get; init; }

    public int Weight() => ${weight};

    public bool Fits(int limit) => ${fits} && Number < limit;

    public int CompareTo(${subject}Entry? other) => \
        other is null ? 1 : Weight().CompareTo(other.Weight());

    public static ${subject}Entry operator +(${subject}Entry left, ${subject}Entry right)
    {
        return left with \
            { Number = left.Number + right.Number, Value = left.Value + right.Value };
    }
}
