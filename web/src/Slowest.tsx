// SPDX-License-Identifier: MIT
// The slowest calls of chosen methods: a list, and what happened in the chosen one, over time.
import { signal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { scaleLinear } from "d3-scale";
import { MethodName, timeColumn } from "./Cells";
import { fills } from "./colours";
import { count, duration, plural, tick } from "./format";
import { colourBy, dark, NONE, profile, selected, slowCall, tab } from "./state";
import { Table, type Column, type Sort } from "./Table";

const sort = signal<Sort>({ key: "wall_ns", descending: true });

const value = (key: string, row: number) => Number(profile.slowCalls[key][row]);

function functionOf(call: number): number {
  return Number(profile.slowMethods.function[value("method", call)]);
}

function columns(): Column[] {
  const { functions, threads } = profile;
  const time = (key: string, title: string, hint: string, from?: Column["from"]): Column =>
    timeColumn(key, title, hint, (row) => value(key, row), "100px", from, (row) => value(key, row) === 0);
  const any = (key: string) => (profile.slowCalls[key] as unknown[]).some((ns) => Number(ns) > 0);
  const async = [
    time("running_ns", "Running", "Of an async call: on threads", "s"),
    time("awaiting_ns", "Awaiting", "Of an async call: what it awaited was not there, or a call that it had made ran", "s"),
    time("queued_ns", "Queued", "Of an async call: in the queue of the thread pool", "m"),
  ];
  const onThread = [
    time("cpu_ns", "CPU", "On a processor", "s"),
    time("off_cpu_ns", "Off CPU", "Off the processors: it waited, or others ran", "m"),
    time("compiling_ns", "Compiling", "The runtime compiled on its thread", "l"),
  ];
  return [
    {
      key: "name", title: "Method", width: "minmax(140px, 1fr)",
      sortBy: (row) => functions.name[functionOf(row)].toLowerCase(),
      cell: (row) => <MethodName f={functionOf(row)} />,
    },
    time("wall_ns", "Wall", "Without the cost of probes and waits for umbra"),
    ...[...async, ...onThread].filter((column) => any(column.key)),
    time("paused_ns", "Paused", "The runtime had stopped all threads", "m"),
    {
      key: "calls", title: "Calls in it", width: "100px", numeric: true, from: "s",
      sortBy: (row) => value("calls", row),
      cell: (row) => count(value("calls", row)),
    },
    time("start_ns", "At", "From the start of the session", "m"),
    {
      key: "thread", title: "Thread", width: "minmax(120px, 200px)", from: "l",
      sortBy: (row) => threads.label[value("thread", row)] ?? "",
      cell: (row) => <span class="text">{threads.label[value("thread", row)] ?? "\u2013"}</span>,
    },
  ];
}

/** A slice as it is drawn. */
interface Box {
  slice: number;
  depth: number;
  from: number;
  to: number;
}

/** Rows of the runtime's slices stand below the calls. */
const BESIDE = ["paused", "compiling"];
const isBeside = (slice: number) => BESIDE.includes(String(profile.slowSlices.kind[slice]));

/** Rows that are drawn: calls that go on at once may be thousands. */
const MOST_ROWS = 250;

/** Slices of one parent of which none overlaps another. */
interface Lane {
  slices: number[];
  end: number;
  height: number;
}

/** The row of each slice: below what it happened in; calls of one parent that go on at once are below each other. */
function rowsOf(slices: number[]): Map<number, number> {
  const { slowSlices: s } = profile;
  const lanes = new Map<number, Lane[]>();
  const heights = new Map<number, number>();
  const inner = new Map<number, number[]>();
  const height = (lane: Lane[] | undefined) => (lane ?? []).reduce((sum, one) => sum + one.height, 0);
  // Parents stand before what is in them.
  for (const slice of [...slices].reverse()) {
    const below: Lane[] = [];
    for (const one of (inner.get(slice) ?? []).sort((a, b) => Number(s.start_ns[a]) - Number(s.start_ns[b]))) {
      const start = Number(s.start_ns[one]);
      let lane = below.find((known) => known.end <= start);
      if (!lane) below.push((lane = { slices: [], end: 0, height: 0 }));
      lane.slices.push(one);
      lane.end = start + Number(s.duration_ns[one]);
      lane.height = Math.max(lane.height, heights.get(one)!);
    }
    lanes.set(slice, below);
    heights.set(slice, 1 + height(below));
    const parent = Number(s.parent[slice]);
    const known = inner.get(parent);
    if (known) known.push(slice);
    else inner.set(parent, [slice]);
  }
  const rows = new Map<number, number>();
  for (const slice of slices) {
    let row = rows.get(slice) ?? 0;
    rows.set(slice, row++);
    for (const lane of lanes.get(slice)!) {
      for (const one of lane.slices) rows.set(one, row);
      row += lane.height;
    }
  }
  return rows;
}

interface Course {
  boxes: Box[];
  /** Calls that are below the last row. */
  hidden: number;
  depth: number;
  from: number;
  to: number;
}

function courseOf(call: number): Course {
  const { slowSlices: s } = profile;
  const boxes: Box[] = [];
  const slices = (s.call as unknown[]).flatMap((of, slice) => (Number(of) === call ? [slice] : []));
  const depths = rowsOf(slices.filter((slice) => !isBeside(slice)));
  let deepest = 0;
  let hidden = 0;
  const from = value("start_ns", call);
  for (const slice of slices) {
    const beside = BESIDE.indexOf(String(s.kind[slice]));
    const depth = depths.get(slice) ?? 0;
    if (beside < 0 && depth >= MOST_ROWS) {
      ++hidden;
      continue;
    }
    if (beside < 0) deepest = Math.max(deepest, depth);
    const start = Number(s.start_ns[slice]);
    boxes.push({ slice, depth: beside < 0 ? depth : -1 - beside, from: start, to: start + Number(s.duration_ns[slice]) });
  }
  const rows = new Set(boxes.filter((box) => box.depth < 0).map((box) => box.depth));
  for (const box of boxes) {
    if (box.depth < 0) box.depth = deepest + (box.depth === -1 || rows.size < 2 ? 1 : 2);
  }
  return { boxes, hidden, depth: deepest + 1 + rows.size, from, to: from + Math.max(1, value("duration_ns", call)) };
}

/** "gc of generation 2": what the runtime stopped its threads for, where the page still lists the pause. */
function reasonAt(from: number, to: number): string {
  const { pauses: p } = profile;
  const at = p.start_ns.findIndex((start, i) => Number(start) < to && Number(start) + Number(p.duration_ns[i]) > from);
  if (at < 0) return "";
  const generations = Number(p.generations[at]) & 7;
  return String(p.reason[at]) + (generations > 0 ? ` of generation ${31 - Math.clz32(generations)}` : "");
}

function nameOf(slice: number): string {
  const { slowSlices: s, functions, threads } = profile;
  const f = Number(s.function[slice]);
  const kind = String(s.kind[slice]);
  const names: Record<string, string> = { "off cpu": "off the processors", waited: "waited for umbra" };
  const called = f < 0 ? String(s.awaited[slice]) : functions.name[f];
  const thread = Number(s.thread[slice]);
  if (kind === "running" && thread >= 0) return `running in ${threads.label[thread]}`;
  if (kind === "call") return called;
  const start = Number(s.start_ns[slice]);
  const why = kind === "paused" ? reasonAt(start, start + Number(s.duration_ns[slice])) : "";
  return (names[kind] ?? kind) + (why ? `: ${why}` : "") + (called ? ` ${called}` : "");
}

function describe(slice: number): string {
  const { slowSlices: s } = profile;
  const calls = Number(s.calls[slice]);
  const merged = calls > 1 ? `, ${count(calls)} merged` : "";
  return `${nameOf(slice)}: ${duration(Number(s.duration_ns[slice]))}${merged}`;
}

const ROW = 20;
const AXIS = 22;

function drawCourse(canvas: HTMLCanvasElement, course: Course, view: [number, number], hover: number): void {
  const { slowSlices: s, functions } = profile;
  const width = canvas.parentElement!.clientWidth;
  const height = AXIS + course.depth * ROW;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const c = canvas.getContext("2d")!;
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const ink = colour("--ink");
  const colours = fills();
  const intervals: Record<string, string> = {
    "off cpu": colour("--rule-2"), waited: colour("--warning-back"), paused: colour("--bar-2"), compiling: colour("--bar"),
    running: colour("--bar"), awaiting: colour("--rule-2"), queued: colour("--warning-back"),
  };
  c.scale(ratio, ratio);
  const x = scaleLinear(view, [0, width]);
  c.font = `11px ${colour("--sans")}`;
  c.textBaseline = "middle";
  c.textAlign = "center";
  c.fillStyle = colour("--ink-2");
  const zero = scaleLinear([view[0] - course.from, view[1] - course.from], [0, width]);
  for (const ns of zero.ticks(Math.max(2, Math.floor(width / 120)))) c.fillText(ns === 0 ? "0" : tick(ns), zero(ns), AXIS / 2);
  c.textAlign = "left";
  for (const box of course.boxes) {
    const left = Math.max(0, x(box.from));
    const right = Math.min(width, x(box.to));
    if (right < 0 || left > width || right - left < 0.2) continue;
    const kind = String(s.kind[box.slice]);
    const f = Number(s.function[box.slice]);
    const top = AXIS + box.depth * ROW;
    const drawn = Math.max(1, right - left - 0.5);
    c.fillStyle = intervals[kind] ?? colours[f];
    c.fillRect(left, top, drawn, ROW - 1);
    if (box.slice === hover) {
      c.strokeStyle = ink;
      c.strokeRect(left + 0.5, top + 0.5, Math.max(0, drawn - 1), ROW - 2);
    }
    if (drawn < 24) continue;
    c.save();
    c.beginPath();
    c.rect(left, top, drawn, ROW);
    c.clip();
    c.fillStyle = ink;
    const parts = kind === "call" ? functions.parts[f] : null;
    const calls = Number(s.calls[box.slice]);
    const label = (parts ? parts.type + parts.method : nameOf(box.slice)) + (calls > 1 ? ` \u00d7 ${count(calls)}` : "");
    c.fillText(label, left + 4, top + ROW / 2);
    c.restore();
  }
}

function CourseView({ call }: { call: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const course = useMemo(() => courseOf(call), [call]);
  const [view, setView] = useState<[number, number]>([course.from, course.to]);
  const [hover, setHover] = useState(NONE);
  const isDark = dark.value;
  const by = colourBy.value;
  useLayoutEffect(() => setView([course.from, course.to]), [course]);
  useLayoutEffect(() => {
    const element = canvas.current!;
    const draw = () => drawCourse(element, course, view, hover);
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element.parentElement!);
    return () => observer.disconnect();
  }, [course, view, hover, isDark, by]);
  const at = (event: MouseEvent): Box | undefined => {
    const ns = view[0] + (event.offsetX / canvas.current!.clientWidth) * (view[1] - view[0]);
    const depth = Math.floor((event.offsetY - AXIS) / ROW);
    return course.boxes.find((box) => box.depth === depth && box.from <= ns && ns < box.to);
  };
  const f = functionOf(call);
  const facts = [
    `at ${duration(value("start_ns", call))}`,
    profile.threads.label[value("thread", call)],
    plural(value("calls", call), "call in it", "calls in it"),
    ...(value("merged_calls", call) > 0 ? [`${count(value("merged_calls", call))} of them merged`] : []),
    ...(value("unfinished", call) ? ["still running at the end"] : []),
    ...(["exception", "cancelled"].includes(String(profile.slowCalls.outcome[call])) ? [`ended: ${profile.slowCalls.outcome[call]}`] : []),
    ...(course.hidden > 0 ? [`${plural(course.hidden, "slice", "slices")} below the last row not drawn`] : []),
    ...(value("probes_ns", call) > 0 ? [`${duration(value("probes_ns", call))} of probes`] : []),
    ...(value("waited_ns", call) > 0 ? [`${duration(value("waited_ns", call))} waiting for umbra`] : []),
  ];
  const whole = view[0] === course.from && view[1] === course.to;
  return (
    <div class="course">
      <div class="toolbar">
        <h3><MethodName f={f} /></h3>
        <span class="status">{facts.join(", ")}</span>
        <button type="button" class="reset" disabled={whole} onClick={() => setView([course.from, course.to])}>Reset zoom</button>
      </div>
      <div class="slices">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`What happened in the call: ${course.boxes.slice(0, 20).map((box) => describe(box.slice)).join("; ")}`}
          onMouseMove={(event) => setHover(at(event)?.slice ?? NONE)}
          onMouseLeave={() => setHover(NONE)}
          onClick={(event) => {
            const box = at(event);
            if (box && box.to > box.from) setView([box.from, box.to]);
          }}
          onDblClick={(event) => {
            const box = at(event);
            const called = box ? Number(profile.slowSlices.function[box.slice]) : NONE;
            if (called < 0) return;
            selected.value = called;
            tab.value = "time";
          }}
        />
      </div>
      <p class="hint" aria-live="polite">
        {hover === NONE ? "A click zooms to a slice, a double click leads to its method." : describe(hover)}
      </p>
    </div>
  );
}

export function Slowest() {
  const { slowCalls, slowMethods, slowSlices, session, whole } = profile;
  const shown = useMemo(columns, []);
  const rows = useMemo(() => slowCalls.start_ns.map((_, row) => row), []);
  const compared = (slowMethods.calls as number[]).reduce((a, b) => a + b, 0);
  const slowest = rows.reduce((a, b) => (value("wall_ns", b) > value("wall_ns", a) ? b : a), 0);
  const chosen = slowCall.value === NONE ? slowest : slowCall.value;
  return (
    <section class="page">
      <div class="toolbar">
        <h2>Slowest calls</h2>
        <span class="status">
          {`${plural(rows.length, "call", "calls")} of ${count(compared)}, by ${session.slowest_by === "cpu" ? "CPU" : "wall"} time`}
          {whole.slow_slices > slowSlices.call.length ? `; the ${count(slowSlices.call.length)} longest of ${count(whole.slow_slices)} slices` : ""}
        </span>
      </div>
      {rows.length > 0 ? <CourseView call={chosen} /> : null}
      <Table
        label="Slowest calls"
        columns={shown}
        rows={rows}
        sort={sort}
        chosen={chosen}
        onChoose={(row) => (slowCall.value = row)}
        empty="None were recorded."
      />
    </section>
  );
}
