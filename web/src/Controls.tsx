// SPDX-License-Identifier: MIT
// Search, measure and theme: what stands at the right of the header.
import { useRef } from "preact/hooks";
import { Choice } from "./Choice";
import { useKeys } from "./frame/keys";
import { measure, profile, query, setTheme, tab, theme, type Tab, type Theme } from "./state";

type Field = { current: HTMLInputElement | null };

/** The field that the key "/" leads to. */
export function useSearchKey(): Field {
  const search = useRef<HTMLInputElement>(null);
  useKeys((event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.current?.focus();
    }
  });
  return search;
}

/** `searched`: tabs with something to search; typing in another one leads to the first. */
export function Controls({ search, searched }: { search: Field; searched: Tab[] }) {
  return (
      <div class="controls">
        <div class="search">
          <input
            ref={search}
            type="search"
            placeholder="Search methods"
            aria-label="Search methods and modules"
            spellcheck={false}
            autocomplete="off"
            value={query.value}
            onInput={(event) => {
              if (!searched.includes(tab.value)) tab.value = "time";
              query.value = event.currentTarget.value;
            }}
            onKeyDown={(event) => {
              if (event.key === "Escape") query.value = "";
            }}
          />
          <kbd aria-hidden="true">/</kbd>
        </div>
        <Choice
          label="Time shown"
          value={measure.value}
          options={[
            ["wall", "Wall", "Wall time"],
            ["cpu", "CPU", profile.hasCpu ? "Time on a processor" : "No CPU times in this profile", !profile.hasCpu],
          ]}
          onChange={(value) => (measure.value = value)}
        />
        <label class="theme" title="Theme">
          <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
            <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" stroke-width="1.4" />
            <path d="M8 1.8a6.2 6.2 0 0 1 0 12.4z" fill="currentColor" />
          </svg>
          <select
            aria-label="Theme"
            value={theme.value}
            onChange={(event) => setTheme(event.currentTarget.value as Theme)}
          >
            <option value="auto">Auto</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
      </div>
  );
}
