// SPDX-License-Identifier: MIT
public readonly struct ${subject}Size : IEquatable<${subject}Size>, IComparable<${subject}Size>
{
    public ${subject}Size(${parameters})
    {
        ${assignments}
    }

    ${properties}

    public static ${subject}Size operator +(${subject}Size left, ${subject}Size right) => \
        new(${sums});

    public static ${subject}Size operator -(${subject}Size left, ${subject}Size right) => \
        new(${differences});

    public static ${subject}Size operator *(${subject}Size left, ${subject}Size right) => \
        new(${products});

    public static bool operator ==(${subject}Size left, ${subject}Size right) => left.Equals(right);

    public static bool operator !=(${subject}Size left, ${subject}Size right) => \
        !left.Equals(right);

    public bool Equals(${subject}Size other) => ${all_equal};

    public override bool Equals(object? other) => other is ${subject}Size one && Equals(one);

    public override int GetHashCode() => HashCode.Combine(${fields});

    public int CompareTo(${subject}Size other) => (${fields}).CompareTo((${other_fields}));

    ${methods}

}
