// SPDX-License-Identifier: MIT
// The profile inside the page: unpacked, its columns as typed arrays, and what follows from them.
import { asyncOf, type Async } from "./async/data";
import { clean, floats, ints, texts, type Columns } from "./columns";

interface Packed {
  session: Record<string, string | number | boolean>;
  facts: { name: string; parts: string[]; warns: boolean }[];
  /** Which places in the source are links for; empty: none. */
  editor: string;
  tables: Record<string, Columns>;
  /** Rows a table has in the file, where the page holds fewer. */
  whole: Record<string, number>;
  /** Not in the page of a comparison. */
  entries?: Columns & { functions: number[][] };
  /** Of the page of a comparison: what export/html_diff.cpp writes. */
  diff?: PackedDiff;
}

interface PackedDiff {
  runs: Run[];
  changed: number;
  functions: Columns;
  paths: Columns;
}

/** A run that was compared. */
export interface Run {
  file: string;
  after: boolean;
  program: string;
  runtime: string;
  pid: number;
  created_utc: string;
  host: string;
  wall_ns: number;
  complete: boolean;
  facts: { name: string; parts: string[]; warns: boolean }[];
}

/** A time of a method as it was judged. */
export interface Judged {
  by: string[];
  relative: Float64Array;
  error: Float64Array;
  chance: Float64Array;
}

/** What the other times of the page, which are NEW's, are compared with. By row of functions, the first
 * ones of which were compared, and by row of the call tree. */
export interface Diff {
  runs: Run[];
  changed: number;
  count: number;
  verdict: string[];
  self: Judged;
  total: Judged;
  old: Sums;
  paths: { calls: Float64Array; self: Record<Measure, Float64Array> };
}

export interface Module {
  name: string;
  framework: boolean;
}

/** "Acme.", "Cart<int>.", "Add", "(Item, int)", " [copy 2]" */
export interface Parts {
  namespace: string;
  type: string;
  /** Of a lambda the method around it: "WriteOrder."; else empty. */
  within: string;
  method: string;
  signature: string;
  /** What tells the name from others that are else the same; mostly empty. */
  mark: string;
}

export interface Functions {
  count: number;
  name: string[];
  /** The same in parts, each with the dot behind it; those not found in the name are empty. */
  parts: Parts[];
  rawName: string[];
  /** Where its source begins; empty and 0 where that is not known. */
  file: string[];
  line: Int32Array;
  module: Int32Array;
  deinstrumented: boolean[];
  inlinedInto: string[];
  calls: Float64Array;
  unfinished: Float64Array;
  total: Record<Measure, Float64Array>;
  self: Record<Measure, Float64Array>;
  min: Float64Array;
  max: Float64Array;
  selfRaw: Float64Array;
  paused: Float64Array;
  /** Of the times, by the cost of the probes. */
  selfDoubt: Float64Array;
  totalDoubt: Float64Array;
  mean: Float64Array;
  percentile: Record<Percentile, Float64Array>;
}

export interface Sums {
  calls: Float64Array;
  total: Record<Measure, Float64Array>;
  self: Record<Measure, Float64Array>;
}

export type ThreadFunctions = Sums & { thread: Int32Array; function: Int32Array };

export type EntryKind = "test" | "endpoint";

/** Tests and endpoints with all their calls, as `umbra report --by test` and `--by endpoint` have them. */
export type Entries = Sums & {
  count: number;
  kind: EntryKind[];
  rows: (kind: EntryKind) => number[];
  /** Whose name it has. */
  function: Int32Array;
  /** All functions that it is: an async method is several. */
  functions: number[][];
  /** A test's framework, an endpoint's verb and route. */
  label: string[];
  /** Of the time, what is on paths without a row. */
  truncated: Float64Array;
};

/** A thread of -1 in the first row: the paths are of all threads together. */
export interface CallTree {
  count: number;
  parent: Int32Array;
  function: Int32Array;
  thread: Int32Array;
  calls: Float64Array;
  self: Record<Measure, Float64Array>;
}

export interface Histograms {
  function: Int32Array;
  lower: Float64Array;
  upper: Float64Array;
  calls: Float64Array;
}

export type Measure = "wall" | "cpu";
export type Percentile = "p50" | "p90" | "p99";
export const PERCENTILES: [Percentile, number][] = [["p50", 0.5], ["p90", 0.9], ["p99", 0.99]];

export interface Profile {
  session: Packed["session"];
  facts: Packed["facts"];
  editor: string;
  whole: Record<string, number>;
  /** Undefined: a page of one profile. */
  diff?: Diff;
  /** Made of samples: what the tables name calls are samples then, and single calls have no times. */
  sampled: boolean;
  hasCpu: boolean;
  wallNs: number;
  modules: Module[];
  functions: Functions;
  threads: { count: number; label: string[]; tid: number[] } & Record<string, number[] | string[] | number>;
  tree: CallTree;
  /** The function that rows of the tree are of which stand for paths without a row; -1: there are none. */
  truncated: number;
  edges: Sums & { caller: Int32Array; callee: Int32Array };
  threadFunctions: ThreadFunctions;
  entries: Entries;
  async: Async;
  histograms: Histograms;
  compilations: Columns;
  compilationSums: Columns;
  pauses: Columns;
  pauseSums: Columns;
  timeSlices: Columns;
  exceptions: Columns;
  slowMethods: Columns;
  slowCalls: Columns;
  slowSlices: Columns;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Reads what the element with id "profile" holds (JSON, gzip, base64), and empties it. */
export async function load(): Promise<Profile> {
  const element = document.getElementById("profile")!;
  const bytes = bytesOf(element.textContent!.trim());
  element.remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return profileOf((await new Response(stream).json()) as Packed);
}

function sums(t: Columns): Sums {
  return {
    calls: floats(t.calls),
    total: { wall: floats(t.wall_total_ns), cpu: floats(t.cpu_total_ns) },
    self: { wall: floats(t.wall_self_ns), cpu: floats(t.cpu_self_ns) },
  };
}

/** Its own time, in a capture of a running program, is what threads spent outside of timed calls: it
 * is no method's, and there may be far more of it than of all methods. */
const BEFORE_START = "(running before start)";

/** The name of what rows of the tree are of which stand for paths without a row: no method. */
const TRUNCATED = "(paths without a row)";

function rowOf(functions: Columns, name: string): number {
  return functions.name.findIndex((text, i) => text === name && Number(functions.module[i]) < 0);
}

function withoutTimeBeforeStart(tables: Record<string, Columns>): void {
  const row = rowOf(tables.functions, BEFORE_START);
  if (row < 0) return;
  for (const measure of ["wall_self_ns", "cpu_self_ns"]) {
    tables.functions[measure][row] = 0;
    for (const table of [tables.calltree, tables.thread_functions]) {
      table.function.forEach((f, i) => {
        if (f === row) table[measure][i] = 0;
      });
    }
  }
  tables.functions.calls[row] = 0;
}

function profileOf(packed: Packed): Profile {
  const { session, tables } = packed;
  withoutTimeBeforeStart(tables);
  for (const key of Object.keys(session)) {
    if (typeof session[key] === "string") session[key] = clean(session[key]);
  }
  const threads = threadsOf(tables.threads);
  const histograms = {
    function: ints(tables.histograms.function),
    lower: floats(tables.histograms.lower_ns),
    upper: floats(tables.histograms.upper_ns),
    calls: floats(tables.histograms.calls),
  };
  const edges = { ...sums(tables.edges), caller: ints(tables.edges.caller), callee: ints(tables.edges.callee) };
  const tree = tables.calltree;
  return {
    session,
    facts: packed.facts.map((f) => ({ ...f, parts: f.parts.map(clean) })),
    editor: packed.editor,
    whole: packed.whole,
    diff: packed.diff ? diffOf(packed.diff) : undefined,
    sampled: session.mode === "sampled",
    hasCpu: session.cpu_source !== "" && session.cpu_source !== "none",
    wallNs: Math.max(1, Number(session.wall_ns)),
    modules: (tables.modules.name as string[]).map((name, i) => ({
      name: clean(name),
      framework: Boolean(tables.modules.framework[i]),
    })),
    functions: functionsOf(tables.functions, probePart(session)),
    threads,
    tree: {
      count: tree.parent.length,
      parent: ints(tree.parent),
      function: ints(tree.function),
      thread: ints(tree.thread),
      calls: floats(tree.calls),
      self: { wall: floats(tree.wall_self_ns), cpu: floats(tree.cpu_self_ns) },
    },
    truncated: rowOf(tables.functions, TRUNCATED),
    edges,
    threadFunctions: {
      ...sums(tables.thread_functions),
      thread: ints(tables.thread_functions.thread),
      function: ints(tables.thread_functions.function),
    },
    entries: entriesOf(packed.entries),
    async: asyncOf(tables),
    histograms,
    compilations: tables.compilations,
    compilationSums: tables.compilation_sums,
    pauses: { ...tables.pauses, reason: texts(tables.pauses.reason) },
    pauseSums: { ...tables.pause_sums, reason: texts(tables.pause_sums.reason) },
    timeSlices: tables.time_slices,
    exceptions: { ...tables.exceptions, type: texts(tables.exceptions.type) },
    slowMethods: tables.slow_methods,
    slowCalls: tables.slow_calls,
    slowSlices: tables.slow_slices,
  };
}

function entriesOf(t: Packed["entries"]): Entries {
  const none: number[] = [];
  const made = t ?? {
    kind: none, function: none, functions: [], label: none, truncated_ns: none, calls: none,
    wall_total_ns: none, cpu_total_ns: none, wall_self_ns: none, cpu_self_ns: none,
  };
  const kind = made.kind as EntryKind[];
  return {
    ...sums(made),
    count: made.function.length,
    kind,
    rows: (of) => [...kind.keys()].filter((row) => kind[row] === of),
    function: ints(made.function),
    functions: made.functions,
    label: texts(made.label),
    truncated: floats(made.truncated_ns),
  };
}

function diffOf(packed: PackedDiff): Diff {
  const { functions: t, paths } = packed;
  const judged = (prefix: string): Judged => ({
    by: t[`${prefix}_by`] as string[],
    relative: floats(t[`${prefix}_relative`]),
    error: floats(t[`${prefix}_error_ns`]),
    chance: floats(t[`${prefix}_chance`]),
  });
  return {
    runs: packed.runs.map((run) => ({
      ...run,
      file: clean(run.file),
      program: clean(run.program),
      runtime: clean(run.runtime),
      created_utc: clean(run.created_utc),
      host: clean(run.host),
      facts: run.facts.map((fact) => ({ ...fact, parts: fact.parts.map(clean) })),
    })),
    changed: packed.changed,
    count: t.verdict.length,
    verdict: t.verdict as string[],
    self: judged("self"),
    total: judged("total"),
    old: sums(t),
    paths: { calls: floats(paths.calls), self: { wall: floats(paths.wall_self_ns), cpu: floats(paths.cpu_self_ns) } },
  };
}

function threadsOf(t: Columns): Profile["threads"] {
  const tid = t.os_tid as number[];
  const names = t.name as string[];
  const twice = new Set(names.filter((name, i) => names.indexOf(name) !== i));
  const label = names.map((name, i) => {
    const many = Number((t.threads as number[])[i]);
    if (many !== 1) return `${clean(name) || "thread"} (${many.toLocaleString("en-US")} threads)`;
    if (!name) return `thread ${tid[i]}`;
    return twice.has(name) ? `${clean(name)} (${tid[i]})` : clean(name);
  });
  return { ...(t as Record<string, number[]>), count: tid.length, label, tid };
}

/** Of what has been taken out of the times, the part that the probes took: src/profile/probe_doubt.h. */
function probePart(session: Profile["session"]): number {
  const probes = (Number(session.events) / 2) * (Number(session.probe_inside_ns) + Number(session.probe_outside_ns));
  const all = probes + Number(session.wait_ns);
  return all > 0 ? probes / all : 0;
}

function functionsOf(t: Columns, probePart: number): Functions {
  const name = texts(t.name);
  const file = texts(t.file);
  const line = ints(t.line);
  const parts = name.map((full, i) => partsOf(full, clean(String(t.namespace[i])), clean(String(t.type[i]))));
  nameLambdas(parts, (f) => (line[f] > 0 ? `${fileName(file[f])}:${line[f]}` : ""));
  const doubts = (raw: Columns[string], left: Columns[string]) =>
    floats(raw).map((ns, i) => 0.5 * probePart * Math.max(0, ns - Number(left[i])));
  const made: Functions = {
    ...sums(t),
    count: name.length,
    name,
    parts,
    rawName: texts(t.raw_name),
    file,
    line,
    module: ints(t.module),
    deinstrumented: (t.deinstrumented as boolean[]).map(Boolean),
    inlinedInto: texts(t.inlined_into),
    unfinished: floats(t.unfinished),
    min: floats(t.wall_min_ns),
    max: floats(t.wall_max_ns),
    selfRaw: floats(t.wall_self_raw_ns),
    paused: floats(t.paused_self_ns),
    selfDoubt: doubts(t.wall_self_raw_ns, t.wall_self_ns),
    totalDoubt: doubts(t.wall_total_raw_ns, t.wall_total_ns),
    mean: floats(t.mean_ns),
    percentile: { p50: floats(t.p50_ns), p90: floats(t.p90_ns), p99: floats(t.p99_ns) },
  };
  return made;
}

/** Index of the bracket that opens the parameters at the end of a name; its length where it has none. */
function signatureAt(name: string): number {
  if (!name.endsWith(")")) return name.length;
  let open = 0;
  for (let i = name.length - 1; i >= 0; --i) {
    if (name[i] === ")") ++open;
    else if (name[i] === "(" && --open === 0) return i;
  }
  return name.length;
}

function partsOf(full: string, namespace: string, type: string): Parts {
  const modifier = full.startsWith("static ") ? "static " : "";
  const outer = namespace ? namespace + "." : "";
  const inner = type ? type + "." : "";
  const found = full.startsWith(modifier + outer + inner);
  const whole = found ? full.slice((modifier + outer + inner).length) : full;
  const mark = whole.match(/(?: \[[^[]*\])+$/)?.[0] ?? "";
  const rest = whole.slice(0, whole.length - mark.length);
  const at = signatureAt(rest) || rest.length; // "(paths without a row)" is all name
  return {
    namespace: found ? outer : "",
    type: found ? modifier + inner : "",
    within: "",
    method: rest.slice(0, at),
    signature: rest.slice(at),
    mark,
  };
}

/** "Program.cs" of "/src/Acme/Program.cs" or of a path of Windows. */
export function fileName(path: string): string {
  return path.replace(/^.*[\\/](?=.)/, "");
}

const LAMBDA = /^(.*\.)?(lambda(?:#[\d-]+)?)$/;

/** "lambda (Shop.cs:128)" within "WriteOrder.": a lambda is known by its place. Of several in one line the names have
 * their numbers. */
function nameLambdas(parts: Parts[], placeOf: (f: number) => string): void {
  const lambdas = parts.flatMap((part, f) => {
    const [, outer = "", name = ""] = part.method.match(LAMBDA) ?? [];
    return name && placeOf(f) ? [{ f, outer, name, place: placeOf(f) }] : [];
  });
  const names = new Map<string, Set<string>>();
  for (const { outer, name, place } of lambdas) names.set(outer + place, (names.get(outer + place) ?? new Set()).add(name));
  for (const { f, outer, name, place } of lambdas) {
    const alone = names.get(outer + place)!.size === 1;
    parts[f] = { ...parts[f], within: outer, method: `${alone ? "lambda" : name} (${place})`, signature: "" };
  }
}

export function moduleName(profile: Profile, f: number): string {
  const module = profile.functions.module[f];
  return module < 0 ? "" : profile.modules[module].name;
}

/** Time that a method spent without a processor, itself: waiting for a lock, a disk, another thread, a processor. */
export function offCpu(sums: Sums, row: number): number {
  return Math.max(0, sums.self.wall[row] - sums.self.cpu[row]);
}

/** What is looked for, in lower case; none: everything is. */
export function wordsOf(query: string): string[] {
  return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Says of each function whether it has all words of the query in its name or module. */
export function matches(profile: Profile, query: string): Uint8Array | null {
  const words = wordsOf(query);
  if (words.length === 0) return null;
  const { functions } = profile;
  const found = new Uint8Array(functions.count);
  for (let f = 0; f < functions.count; ++f) {
    const text = `${functions.name[f]} ${functions.parts[f].method} ${moduleName(profile, f)}`.toLowerCase();
    found[f] = words.every((word) => text.includes(word)) ? 1 : 0;
  }
  return found;
}
