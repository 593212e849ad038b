// SPDX-License-Identifier: MIT
// A row of buttons of which one is pressed.

type Option<T> = [value: T, label: string, title?: string, disabled?: boolean];

interface Properties<T> {
  label: string;
  /** None of the options: no button is pressed. */
  value: T | "";
  options: Option<T>[];
  onChange: (value: T) => void;
}

export function Choice<T extends string>({ label, value, options, onChange }: Properties<T>) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([option, text, title, disabled]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          disabled={disabled}
          title={title}
          onClick={() => onChange(option)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
