// SPDX-License-Identifier: MIT
// Columns of the tables in the page, as numbers and as text that may be shown.

/** Columns as export/html.cpp writes them; names and units are those of docs/file_format.md. */
export type Columns = Record<string, (number | string | boolean)[]>;

const LONGEST_TEXT = 2000;

/** Text that shows what it is: no control characters, nothing that turns the writing around. */
export function clean(text: string): string {
  const shown = text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (c) => (c < " " ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : "\ufffd"),
  );
  return shown.length > LONGEST_TEXT ? shown.slice(0, LONGEST_TEXT) + "\u2026" : shown;
}

export const ints = (column: unknown[]) => Int32Array.from(column as number[]);
export const floats = (column: unknown[]) => Float64Array.from(column as number[]);
export const texts = (column: unknown[]) => (column as string[]).map(clean);
