// SPDX-License-Identifier: MIT
// What keys do while a part of the page is there.
import { useEffect } from "preact/hooks";
import type { Signal } from "@preact/signals";
import { NONE } from "../state";

/** `onKey` of the first drawing is called for each key. */
export function useKeys(onKey: (event: KeyboardEvent) => void): void {
  useEffect(() => {
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Escape leaves what is chosen, but for where something is typed. */
export function useEscape(chosen: Signal<number>): void {
  useKeys((event) => {
    if (event.key === "Escape" && !(event.target instanceof HTMLInputElement)) chosen.value = NONE;
  });
}
