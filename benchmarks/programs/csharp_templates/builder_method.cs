// SPDX-License-Identifier: MIT
public ${subject}Builder With${property}(int ${field})
{
    if (${field} ${operator} ${limit})
    {
        throw new ArgumentOutOfRangeException(nameof(${field}), ${field}, "${message}");
    }
    later.Add(options => options.${property} = ${value});
    return this;
}
