// SPDX-License-Identifier: MIT
// Warnings at the foot of every view; how it was measured else is in the tab "Measurement".
import { profile, tab } from "../state";

export function Foot() {
  const lost = profile.facts.filter((fact) => fact.name === "lost");
  const others = profile.facts.filter((fact) => fact.warns && fact.name !== "lost");
  const warnings = [...lost.filter((fact) => fact.warns), ...others];
  return (
    <footer aria-label="Warnings">
      <dl>
        {(warnings.length > 0 ? warnings : lost).map((fact) => (
          <div key={fact.name} class={fact.warns ? "warning" : ""} title={fact.parts.join(", ")}>
            <dt>{fact.name}</dt>
            <dd>{fact.parts.join(", ")}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="link" onClick={() => (tab.value = "measurement")}>
        {warnings.length > 1 ? `All ${warnings.length} warnings` : "How this was measured"}
      </button>
    </footer>
  );
}
