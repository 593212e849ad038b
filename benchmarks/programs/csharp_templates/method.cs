// SPDX-License-Identifier: MIT
/// <summary>
/// The ${what} of a ${subject} by ${measures}; see
/// also its ${others}.
/// </summary>
/// <param name="number">The ${number}.</param>
/// <param name="text">The ${text}.</param>
${access} int ${name}(int number, string text)
{
    ${body}
}
