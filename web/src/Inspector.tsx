// SPDX-License-Identifier: MIT
// All about the chosen method: times, how long its calls took, callers and callees, threads.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Duration, MethodName } from "./Cells";
import { moduleColour } from "./colours";
import { fileName, moduleName, offCpu, PERCENTILES } from "./data";
import { count } from "./format";
import { useEscape } from "./frame/keys";
import { Histogram } from "./Histogram";
import { measure, NONE, profile, revealInFlame, selected } from "./state";

export function Inspector() {
  const f = selected.value;
  useEscape(selected);
  if (f === NONE) return null;
  return (
    <aside class="inspector" aria-label="Method">
      <Title f={f} />
      <Times f={f} />
      <Histogram f={f} />
      <Neighbours f={f} title="Callers" here="callee" there="caller" />
      <Neighbours f={f} title="Callees" here="caller" there="callee" />
      <ByThread f={f} />
      <Compiled f={f} />
    </aside>
  );
}

function Title({ f }: { f: number }) {
  const { functions, modules } = profile;
  const module = functions.module[f];
  const parts = functions.parts[f];
  return (
    <div class="heading">
      <button type="button" class="close" aria-label="Close" onClick={() => (selected.value = NONE)}>{"\u00d7"}</button>
      <p class="prefix">{(parts.namespace + parts.type + parts.within).replace(/\.$/, "")}</p>
      <h2>
        {parts.method}
        <span class="prefix">{parts.signature + parts.mark}</span>
      </h2>
      <p class="tags">
        <span><i class="swatch" style={{ background: moduleColour(module) }} />{moduleName(profile, f) || "no module"}</span>
        {module >= 0 && modules[module].framework ? <span>framework</span> : null}
        {functions.deinstrumented[f] ? <span class="warning" title="Its probes were taken out to keep the budget">de-instrumented</span> : null}
        {functions.inlinedInto[f] ? <span class="warning" title={`Calls are missing: inlined into ${functions.inlinedInto[f]}`}>inlined</span> : null}
      </p>
      {functions.rawName[f] && functions.rawName[f] !== functions.name[f].replace(/\(.*$/, "") ? (
        <p class="raw" title="Name in the metadata">{functions.rawName[f]}</p>
      ) : null}
      <Place f={f} />
      <button type="button" onClick={() => revealInFlame(f)}>Show largest path in the graph</button>
    </div>
  );
}

/** What an editor registers itself for; a file of Windows has no "/" in front. */
function editorLink(file: string, line: number): string {
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return `vscode://file${path.startsWith("/") ? "" : "/"}${path}:${line}`;
}

/** File and line; a click copies them, or opens the editor that was named. */
function Place({ f }: { f: number }) {
  const { file, line } = profile.functions;
  const [copied, setCopied] = useState(NONE);
  if (line[f] === 0) return null;
  const place = `${file[f]}:${line[f]}`;
  const shown = fileName(place);
  if (profile.editor === "vscode") {
    return <p class="place"><a href={editorLink(file[f], line[f])} title={`Open ${place}`}>{shown}</a></p>;
  }
  const copy = () => navigator.clipboard?.writeText(place).then(() => setCopied(f), () => setCopied(NONE));
  return (
    <p class="place">
      <button type="button" class="link" title={`Copy ${place}`} onClick={copy}>{shown}</button>
      {copied === f ? <small role="status"> copied</small> : null}
    </p>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

function Times({ f }: { f: number }) {
  const { functions: fn, hasCpu, sampled } = profile;
  const called = fn.calls[f] > 0 && !sampled;
  return (
    <>
      <dl class="facts">
        {hasCpu ? (
          <>
            <Fact name="CPU self"><Duration ns={fn.self.cpu[f]} doubt={fn.selfDoubt[f]} /></Fact>
            <Fact name="CPU total"><Duration ns={fn.total.cpu[f]} doubt={fn.totalDoubt[f]} /></Fact>
          </>
        ) : null}
        <Fact name={hasCpu ? "Wall self" : "Self"}><Duration ns={fn.self.wall[f]} doubt={fn.selfDoubt[f]} /></Fact>
        <Fact name={hasCpu ? "Wall total" : "Total"}><Duration ns={fn.total.wall[f]} doubt={fn.totalDoubt[f]} /></Fact>
        {hasCpu ? <Fact name="Off CPU"><Duration ns={offCpu(fn, f)} /></Fact> : null}
        <Fact name={sampled ? "Samples" : "Calls"}>{fn.inlinedInto[f] ? "\u2265\u202f" : ""}{count(fn.calls[f])}{fn.unfinished[f] > 0 ? <small>{` ${count(fn.unfinished[f])} running`}</small> : null}</Fact>
        {sampled ? null : (
          <>
            <Fact name="Paused self"><Duration ns={fn.paused[f]} /></Fact>
            <Fact name="Self, raw"><Duration ns={fn.selfRaw[f]} /></Fact>
          </>
        )}
      </dl>
      {sampled ? null : <OneCall f={f} called={called} />}
    </>
  );
}

function OneCall({ f, called }: { f: number; called: boolean }) {
  const fn = profile.functions;
  return (
    <>
      <h3>One call, wall time with callees</h3>
      <dl class="facts six">
        <Fact name="mean"><Duration ns={fn.mean[f]} none={!called} doubt={fn.totalDoubt[f] / fn.calls[f]} /></Fact>
        <Fact name="min"><Duration ns={fn.min[f]} none={!called} /></Fact>
        {PERCENTILES.map(([key]) => (
          <Fact key={key} name={key}><Duration ns={fn.percentile[key][f]} none={fn.percentile[key][f] === 0} /></Fact>
        ))}
        <Fact name="max"><Duration ns={fn.max[f]} none={!called} /></Fact>
      </dl>
    </>
  );
}

const FIRST = 8;

interface NeighboursProperties {
  f: number;
  title: string;
  here: "caller" | "callee";
  there: "caller" | "callee";
}

function Neighbours({ f, title, here, there }: NeighboursProperties) {
  const { edges } = profile;
  const by = measure.value;
  const rows = useMemo(() => {
    const found: number[] = [];
    for (let row = 0; row < edges[here].length; ++row) if (edges[here][row] === f) found.push(row);
    return found.sort((a, b) => edges.total[by][b] - edges.total[by][a] || edges.calls[b] - edges.calls[a]);
  }, [f, by]);
  const [all, setAll] = useState(false);
  useEffect(() => setAll(false), [f]);
  const greatest = Math.max(1, ...rows.slice(0, 1).map((row) => edges.total[by][row]));
  return (
    <section>
      <h3>{title}<span class="number">{count(rows.length)}</span><TimeShown /></h3>
      {rows.length === 0 ? <p class="empty">{here === "caller" ? "None that is timed." : "None."}</p> : null}
      <ul class="neighbours">
        {rows.slice(0, all ? 500 : FIRST).map((row) => {
          const other = edges[there][row];
          return (
            <li key={row}>
              <button type="button" disabled={other < 0} onClick={() => (selected.value = other)}>
                <i class="back" style={{ width: `${(100 * edges.total[by][row]) / greatest}%` }} aria-hidden="true" />
                {other < 0 ? <span class="method outside">outside timed code</span> : <MethodName f={other} />}
                <span class="calls">{`${count(edges.calls[row])}\u00d7`}</span>
                <Duration ns={edges.total[by][row]} />
              </button>
            </li>
          );
        })}
      </ul>
      {rows.length > FIRST && !all ? <button type="button" class="link" onClick={() => setAll(true)}>{`Show ${count(Math.min(500, rows.length) - FIRST)} more`}</button> : null}
    </section>
  );
}

/** Which time the figures below a heading are. */
function TimeShown() {
  return profile.hasCpu ? <small class="time">{measure.value === "cpu" ? "CPU time" : "wall time"}</small> : null;
}

function ByThread({ f }: { f: number }) {
  const { threadFunctions: t, threads } = profile;
  const by = measure.value;
  const rows = useMemo(() => {
    const found: number[] = [];
    for (let row = 0; row < t.function.length; ++row) if (t.function[row] === f) found.push(row);
    return found.sort((a, b) => t.self[by][b] - t.self[by][a]).slice(0, 12);
  }, [f, by]);
  if (rows.length === 0) return null;
  return (
    <section>
      <h3>By thread<TimeShown /></h3>
      <table class="small">
        <thead><tr><th>Thread</th><th class="numeric">{profile.sampled ? "Samples" : "Calls"}</th><th class="numeric">Total</th><th class="numeric">Self</th></tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <td>{threads.label[t.thread[row]]}</td>
              <td class="numeric">{count(t.calls[row])}</td>
              <td class="numeric"><Duration ns={t.total[by][row]} /></td>
              <td class="numeric"><Duration ns={t.self[by][row]} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Compiled({ f }: { f: number }) {
  const { compilations: c } = profile;
  const rows = useMemo(() => (c.function as number[]).flatMap((of, row) => (of === f ? [row] : [])).slice(0, 12), [f]);
  if (rows.length === 0) return null;
  return (
    <section>
      <h3>Compiled</h3>
      <table class="small">
        <thead><tr><th>Version</th><th class="numeric">At</th><th class="numeric">Took</th></tr></thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              <td>{Number(c.version[row]) || "not known"}</td>
              <td class="numeric"><Duration ns={Number(c.start_ns[row])} /></td>
              <td class="numeric"><Duration ns={Number(c.duration_ns[row])} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
