// SPDX-License-Identifier: MIT
// The chosen async method: how its calls ended, and what they awaited, the longest first.
import { useMemo } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { Duration, MethodName } from "../Cells";
import { count } from "../format";
import { useEscape } from "../frame/keys";
import { asyncMethod, NONE, profile, selected, tab } from "../state";
import { ENDINGS } from "./data";

const ENDING_NAMES: Record<(typeof ENDINGS)[number], string> = {
  results: "with a result", faults: "with an exception", cancelled: "cancelled", open: "still open", unknown: "end not known",
};
const MOST = 200;

export function Awaits({ row }: { row: number }) {
  const { methods: m } = profile.async;
  useEscape(asyncMethod);
  const f = m.function[row];
  const parts = profile.functions.parts[f];
  return (
    <aside class="inspector" aria-label="Async method">
      <div class="heading">
        <button type="button" class="close" aria-label="Close" onClick={() => (asyncMethod.value = NONE)}>{"\u00d7"}</button>
        <p class="prefix">{(parts.namespace + parts.type + parts.within).replace(/\.$/, "")}</p>
        <h2>{parts.method}<span class="prefix">{parts.signature + parts.mark}</span></h2>
        <button type="button" onClick={() => { selected.value = f; tab.value = "time"; }}>Callers and callees</button>
      </div>
      <dl class="facts">
        <Fact name="Wall"><Duration ns={m.wall[row]} /></Fact>
        <Fact name="Mean"><Duration ns={m.mean[row]} /></Fact>
        <Fact name="Running"><Duration ns={m.running[row]} /></Fact>
        <Fact name="p50"><Duration ns={m.p50[row]} none={m.max[row] === 0} /></Fact>
        <Fact name="Awaiting"><Duration ns={m.awaiting[row]} /></Fact>
        <Fact name="p99"><Duration ns={m.p99[row]} none={m.max[row] === 0} /></Fact>
        <Fact name="Queued"><Duration ns={m.queued[row]} /></Fact>
        <Fact name="Longest"><Duration ns={m.max[row]} none={m.max[row] === 0} /></Fact>
      </dl>
      <h3>Awaited</h3>
      <Waits f={f} row={row} />
      <h3>Calls<span class="number">{count(m.calls[row])}</span></h3>
      <dl class="facts one">
        {ENDINGS.filter((ending) => m.ended[ending][row] > 0).map((ending) => (
          <Fact key={ending} name={ENDING_NAMES[ending]}>{count(m.ended[ending][row])}</Fact>
        ))}
        {m.neverSuspended[row] > 0 ? <Fact name="never had to wait">{count(m.neverSuspended[row])}</Fact> : null}
        {m.before[row] > 0 ? <Fact name="begun before the recording">{count(m.before[row])}</Fact> : null}
      </dl>
    </aside>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

/** What has no name: a switch to another thread, or what began before anybody looked. */
function unnamed(row: number): string {
  return profile.async.methods.before[row] > 0 ? "what began before the recording, or Task.Yield" : "Task.Yield or an awaiter of its own";
}

/** "System.Threading.Tasks." of "System.Threading.Tasks.Task.Delay"; what is a sentence has none. */
function namespaceOf(name: string): string {
  return name.match(/^(?:[\w]+\.)+(?=\w+\.\S+$)/)?.[0] ?? "";
}

interface Wait {
  f: number;
  name: string;
  how: string;
  times: number;
  ns: number;
}

function waitsOf(f: number, row: number): Wait[] {
  const { waits: w } = profile.async;
  const found = new Map<string, Wait>();
  w.function.forEach((of, i) => {
    if (of !== f) return;
    const name = w.awaited[i] || unnamed(row);
    const key = `${w.how[i]} ${w.awaitedFunction[i]} ${name}`;
    const sum = found.get(key) ?? { f: w.awaitedFunction[i], name, how: w.how[i], times: 0, ns: 0 };
    found.set(key, { ...sum, times: sum.times + w.times[i], ns: sum.ns + w.total[i] });
  });
  return [...found.values()].sort((a, b) => b.ns - a.ns).slice(0, MOST);
}

function Waits({ f, row }: { f: number; row: number }) {
  const waits = useMemo(() => waitsOf(f, row), [f, row]);
  const { methods } = profile.async;
  if (waits.length === 0) return <p class="empty">Nothing that it had to wait for.</p>;
  const greatest = Math.max(1, waits[0].ns);
  return (
    <ul class="neighbours">
      {waits.map((wait) => {
        const other = wait.f < 0 ? NONE : methods.function.indexOf(wait.f);
        return (
          <li key={`${wait.how} ${wait.f} ${wait.name}`}>
            <button type="button" disabled={other === NONE} onClick={() => (asyncMethod.value = other)}>
              <i class="back" style={{ width: `${(100 * wait.ns) / greatest}%` }} aria-hidden="true" />
              {wait.f < 0
                ? <span class="method" title={wait.name}><span class="type">{namespaceOf(wait.name)}</span><b>{wait.name.slice(namespaceOf(wait.name).length)}</b></span>
                : <MethodName f={wait.f} />}
              <span class="calls">{wait.how === "other" ? "another's " : ""}{`${count(wait.times)}\u00d7`}</span>
              <Duration ns={wait.ns} />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
