// SPDX-License-Identifier: MIT
// The frame of the page: header, tabs, what the chosen tab shows, and how it was measured.
import type { ComponentChildren } from "preact";
import { Compilations } from "./Compilations";
import { Exceptions } from "./Exceptions";
import { Flame } from "./Flame";
import { count, duration } from "./format";
import { HotList } from "./HotList";
import { Inspector } from "./Inspector";
import { Measurement } from "./Measurement";
import { Pauses } from "./Pauses";
import { Slowest } from "./Slowest";
import { Controls, useSearchKey } from "./Controls";
import { NONE, profile, selected, tab, type Tab } from "./state";
import { Tests } from "./Tests";
import { Threads } from "./Threads";

/** Tabs with something to search; typing in another one leads to the first. */
const SEARCHED: Tab[] = ["time", "tests", "compilation"];

function tabs(): [Tab, string, number | null][] {
  const { whole } = profile;
  const slow = profile.slowCalls.start_ns.length;
  const slowest: [Tab, string, number | null][] = slow > 0 ? [["slowest", "Slowest calls", slow]] : [];
  const tests: [Tab, string, number | null][] = profile.tests.count > 0 ? [["tests", "Tests", profile.tests.count]] : [];
  return [
    ["time", "Time", null],
    ...tests,
    ...slowest,
    ["threads", "Threads", profile.threads.count],
    ["pauses", "Pauses", whole.pauses],
    ["compilation", "Compilation", whole.compilations],
    ["exceptions", "Exceptions", (profile.exceptions.count as number[]).reduce((a, b) => a + b, 0)],
    ["measurement", "Measurement", null],
  ];
}

const PANELS: Record<Tab, () => ComponentChildren> = {
  time: Time,
  tests: Tests,
  slowest: Slowest,
  threads: Threads,
  pauses: Pauses,
  compilation: Compilations,
  exceptions: Exceptions,
  measurement: Measurement,
};

export function App() {
  const search = useSearchKey();
  const Panel = PANELS[tab.value];
  return (
    <>
      <Header search={search} />
      <main>
        <div id={`panel-${tab.value}`} role="tabpanel" aria-labelledby={`tab-${tab.value}`} class="panel">
          <Panel />
        </div>
      </main>
      <StatusBar />
    </>
  );
}

function Time() {
  return (
    <div class={selected.value === NONE ? "split" : "split inspected"}>
      <div class="views">
        <Flame />
        <HotList />
      </div>
      <Inspector />
    </div>
  );
}

function Header({ search }: { search: { current: HTMLInputElement | null } }) {
  const { session } = profile;
  const complete = Boolean(session.complete);
  return (
    <header>
      <div class="bar">
        <div class="title">
          <span class="brand">umbra</span>
          <h1 title={String(session.command_line)}>{session.program || "profile"}</h1>
          <p class="about">
            <span>{session.runtime}</span>
            <span>pid {String(session.pid)}</span>
            <span class="optional">{String(session.created_utc).replace("T", " ").replace("Z", " UTC")}</span>
            <span>{duration(Number(session.wall_ns))}</span>
            {complete ? null : <span class="warning">not complete: {session.ended || "unknown end"}</span>}
            {Number(session.lost_events) > 0 ? (
              <span class="warning">{count(Number(session.lost_events))} events lost</span>
            ) : null}
          </p>
        </div>
        <Controls search={search} searched={SEARCHED} />
      </div>
      <Tabs />
    </header>
  );
}

function Tabs() {
  const all = tabs();
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = all.findIndex(([name]) => name === tab.value);
    tab.value = all[(at + step + all.length) % all.length][0];
    document.getElementById(`tab-${tab.value}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={move}>
      {all.map(([name, label, number]) => (
        <button
          key={name}
          id={`tab-${name}`}
          role="tab"
          type="button"
          aria-selected={tab.value === name}
          aria-controls={`panel-${name}`}
          tabIndex={tab.value === name ? 0 : -1}
          onClick={() => (tab.value = name)}
        >
          {label}
          {number === null ? null : <span class="number">{count(number)}</span>}
        </button>
      ))}
    </div>
  );
}

const BELOW = ["lost", "clock", "probes", "cpu", "mode", "doubts"];

/** The facts nobody should have to look for; all of them are in the tab "Measurement". */
function StatusBar() {
  const facts = profile.facts.filter((fact) => BELOW.includes(fact.name));
  return (
    <footer aria-label="How this was measured">
      <dl>
        {facts.map((fact) => (
          <div key={fact.name} class={fact.warns ? "warning" : ""} title={fact.parts.join(", ")}>
            <dt>{fact.name}</dt>
            <dd>{fact.name === "clock" || fact.name === "lost" || fact.name === "doubts" ? fact.parts.join(", ") : brief(fact)}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="link" onClick={() => (tab.value = "measurement")}>
        How this was measured
      </button>
    </footer>
  );
}

function brief(fact: { name: string; parts: string[] }): string {
  if (fact.name === "cpu") return fact.parts.find((part) => part.startsWith("from ")) ?? fact.parts[0];
  return fact.parts[0];
}

