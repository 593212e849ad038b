// SPDX-License-Identifier: MIT
public static class ${subject}Math
{
    ${int_helpers}

    public static string ${name}(this string text, int count)
    {
        ${body}
    }

}
