// SPDX-License-Identifier: MIT
/// <summary>
/// The ${what} of a ${subject} by ${measures}; see
/// also its ${others}.
/// </summary>
public ${type} ${property} { get; set; } = ${value};
