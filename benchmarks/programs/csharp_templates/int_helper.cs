// SPDX-License-Identifier: MIT
public static int ${name}(int left, int right)
{
    ${body}
}
