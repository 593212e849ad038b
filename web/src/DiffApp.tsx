// SPDX-License-Identifier: MIT
// The frame of the page of a comparison.
import { VerdictMark, relative } from "./changes";
import { ChangeTable } from "./ChangeTable";
import { moduleName, type Run } from "./data";
import { Flame } from "./Flame";
import { count, duration, plural } from "./format";
import { Facts } from "./Measurement";
import { Controls, useSearchKey } from "./Controls";
import { useEscape } from "./frame/keys";
import { NONE, profile, revealInFlame, selected, tab } from "./state";

export function DiffApp() {
  const search = useSearchKey();
  const measured = tab.value === "measurement";
  return (
    <>
      <header>
        <div class="bar">
          <Title />
          <Controls search={search} searched={["time"]} />
        </div>
        <div class="tabs" role="tablist" aria-label="Views">
          {([["time", "Changes"], ["measurement", "Runs"]] as const).map(([name, label]) => (
            <button key={name} id={`tab-${name}`} role="tab" type="button" aria-selected={measured === (name === "measurement")} aria-controls={`panel-${name}`} onClick={() => (tab.value = name)}>
              {label}
              {name === "measurement" ? <span class="number">{profile.diff!.runs.length}</span> : null}
            </button>
          ))}
        </div>
      </header>
      <main>
        <div id={`panel-${tab.value}`} role="tabpanel" aria-labelledby={`tab-${tab.value}`} class="panel">
          {measured ? <Runs /> : <Changes />}
        </div>
      </main>
      <StatusBar />
    </>
  );
}

function Title() {
  const { diff, session } = profile;
  const sides = [false, true].map((after) => diff!.runs.filter((run) => run.after === after));
  return (
    <div class="title">
      <span class="brand">umbra</span>
      <h1>{session.program || "profile"}</h1>
      <p class="about">
        <span>{plural(sides[0].length, "old run", "old runs")} against {plural(sides[1].length, "new run", "new runs")}</span>
        <span class="optional">{session.runtime}</span>
        {diff!.runs.length === 2 ? <span class="warning">one run a side: only large changes are named</span> : null}
      </p>
    </div>
  );
}

function Changes() {
  return (
    <div class={selected.value === NONE ? "split" : "split inspected"}>
      <div class="views">
        <Flame />
        <ChangeTable />
      </div>
      <ChangeInspector />
    </div>
  );
}

function ChangeInspector() {
  const f = selected.value;
  useEscape(selected);
  if (f === NONE) {
    return (
      <aside class="inspector hint">
        <p>Choose a method in the graph or in the table to see how it was judged.</p>
        <p>Boxes are as wide as the time of one version. Red takes longer than it did, blue less long; grey is what differs no more than runs of one version do.</p>
      </aside>
    );
  }
  const { functions: fn, hasCpu } = profile;
  const diff = profile.diff!;
  const parts = fn.parts[f];
  const compared = f < diff.count;
  const below = compared && diff.verdict[f].endsWith("below");
  const judged = below ? diff.total : diff.self;
  const wholeCall = compared && judged.by[f] === "async wall";
  const times = (["self", "total"] as const).flatMap((kind) =>
    (hasCpu ? (["cpu", "wall"] as const) : (["wall"] as const)).map((by) => [kind, by] as const));
  return (
    <aside class="inspector" aria-label="Chosen method">
      <div class="heading">
        <span class="prefix">{parts.namespace + parts.type}</span>
        <h2>{parts.method}<span class="prefix">{parts.signature + parts.mark}</span></h2>
        <button class="close" type="button" aria-label="Close" onClick={() => (selected.value = NONE)}>{"\u00d7"}</button>
      </div>
      <p class="tags">
        {moduleName(profile, f) ? <span>{moduleName(profile, f)}</span> : null}
        {compared ? <VerdictMark verdict={diff.verdict[f]} /> : <span>not compared</span>}
      </p>
      <button type="button" onClick={() => revealInFlame(f)}>Show largest path</button>
      {compared ? (
        <table class="changes">
          <thead><tr><th>mean of runs</th><th>old</th><th>new</th><th>change</th></tr></thead>
          <tbody>
            {times.map(([kind, by]) => (
              <tr key={kind + by}>
                <th scope="row">{`${kind}, ${by === "cpu" ? "CPU" : "wall"}`}</th>
                <td>{duration(diff.old[kind][by][f])}</td>
                <td>{duration(fn[kind][by][f])}</td>
                <td>{relative(diff.old[kind][by][f], fn[kind][by][f])}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">calls</th>
              <td>{count(diff.old.calls[f])}</td>
              <td>{count(fn.calls[f])}</td>
              <td>{relative(diff.old.calls[f], fn.calls[f])}</td>
            </tr>
          </tbody>
        </table>
      ) : null}
      {compared && judged.error[f] > 0 ? (
        <dl class="facts one">
          <div><dt>Judged by</dt><dd>{wholeCall ? ASYNC_WALL[below ? "total" : "self"] : JUDGED_BY[judged.by[f]]}</dd></div>
          <div><dt>{wholeCall ? "Change of a call" : "Beyond the common shift"}</dt><dd>{relative(1, 1 + judged.relative[f])}</dd></div>
          <div><dt>Standard error of the change</dt><dd>{duration(judged.error[f])}</dd></div>
          <div><dt>Chance of it where there is none</dt><dd>{chanceText(judged.chance[f])}</dd></div>
        </dl>
      ) : null}
      {compared && judged.error[f] <= 0 ? <p class="none">Too small, or not called in all runs: not judged by its time.</p> : null}
    </aside>
  );
}

const JUDGED_BY: Record<string, string> = { cpu: "time on a processor", waiting: "time with waits", wall: "wall time" };
/** Of an async call from begin to result. */
const ASYNC_WALL = { self: "what a call awaits itself", total: "wall time of a call, over its awaits" };

function chanceText(chance: number): string {
  if (chance >= 0.001) return `${(100 * chance).toFixed(1)}\u202f%`;
  return "less than 0.1\u202f%";
}

function Runs() {
  const { diff, facts } = profile;
  return (
    <section class="page prose">
      <h2>How it was judged</h2>
      <Facts facts={facts} />
      {[false, true].map((after) => diff!.runs.filter((run) => run.after === after).map((run, i) => (
        <RunFacts key={`${after}${i}`} run={run} name={`${after ? "New" : "Old"}, run ${i + 1}`} />
      )))}
    </section>
  );
}

function RunFacts({ run, name }: { run: Run; name: string }) {
  return (
    <>
      <h2>{name}</h2>
      <p class="verbatim">{run.file}</p>
      <p class="tags">
        <span>{run.program || "(unnamed)"}</span>
        <span>{run.runtime}</span>
        <span>pid {run.pid}</span>
        <span>{run.host}</span>
        <span>{run.created_utc.replace("T", " ").replace("Z", " UTC")}</span>
        <span>{duration(run.wall_ns)}</span>
        {run.complete ? null : <span class="warning">not complete</span>}
      </p>
      <Facts facts={run.facts} />
    </>
  );
}

const BELOW = ["runs", "noise", "detectable", "doubts"];

function StatusBar() {
  const facts = profile.facts.filter((fact) => BELOW.includes(fact.name));
  return (
    <footer aria-label="How it was judged">
      <dl>
        {facts.map((fact) => (
          <div key={fact.name} class={fact.warns ? "warning" : ""} title={fact.parts.join(", ")}>
            <dt>{fact.name}</dt>
            <dd>{fact.parts[0]}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="link" onClick={() => (tab.value = "measurement")}>How it was judged</button>
    </footer>
  );
}
