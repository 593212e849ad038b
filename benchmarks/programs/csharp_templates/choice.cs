// SPDX-License-Identifier: MIT
if (${condition})
{
    yield return ${text};
}
