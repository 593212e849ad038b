// SPDX-License-Identifier: MIT
// The slowest calls of chosen methods: a list, and what happened in the chosen one, over time.
import { signal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { scaleLinear } from "d3-scale";
import { Duration, MethodName } from "./Cells";
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
  const time = (key: string, title: string, hint: string, from?: Column["from"]): Column => ({
    key, title, hint, width: "100px", numeric: true, from,
    sortBy: (row) => value(key, row),
    cell: (row) => <Duration ns={value(key, row)} none={value(key, row) === 0} />,
  });
  return [
    {
      key: "name", title: "Method", width: "minmax(140px, 1fr)",
      sortBy: (row) => functions.name[functionOf(row)].toLowerCase(),
      cell: (row) => <MethodName f={functionOf(row)} />,
    },
    time("wall_ns", "Wall", "Without the cost of probes and waits for umbra"),
    time("cpu_ns", "CPU", "On a processor", "s"),
    time("off_cpu_ns", "Off CPU", "Off the processors: it waited, or others ran", "m"),
    time("paused_ns", "Paused", "The runtime had stopped all threads", "m"),
    time("compiling_ns", "Compiling", "The runtime compiled on its thread", "l"),
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

interface Course {
  boxes: Box[];
  depth: number;
  from: number;
  to: number;
}

function courseOf(call: number): Course {
  const { slowSlices: s } = profile;
  const boxes: Box[] = [];
  const depths = new Map<number, number>();
  let deepest = 0;
  const from = value("start_ns", call);
  for (let slice = 0; slice < s.call.length; ++slice) {
    if (Number(s.call[slice]) !== call) continue;
    const beside = BESIDE.indexOf(String(s.kind[slice]));
    const depth = (depths.get(Number(s.parent[slice])) ?? -1) + 1;
    depths.set(slice, depth);
    if (beside < 0) deepest = Math.max(deepest, depth);
    const start = Number(s.start_ns[slice]);
    boxes.push({ slice, depth: beside < 0 ? depth : -1 - beside, from: start, to: start + Number(s.duration_ns[slice]) });
  }
  const rows = new Set(boxes.filter((box) => box.depth < 0).map((box) => box.depth));
  for (const box of boxes) {
    if (box.depth < 0) box.depth = deepest + (box.depth === -1 || rows.size < 2 ? 1 : 2);
  }
  return { boxes, depth: deepest + 1 + rows.size, from, to: from + Math.max(1, value("duration_ns", call)) };
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
  const { slowSlices: s, functions } = profile;
  const f = Number(s.function[slice]);
  const kind = String(s.kind[slice]);
  const names: Record<string, string> = { "off cpu": "off the processors", waited: "waited for umbra" };
  const called = f < 0 ? "" : functions.name[f];
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
        sort={sort.value}
        onSort={(to) => (sort.value = to)}
        chosen={chosen}
        onChoose={(row) => (slowCall.value = row)}
        empty="None were recorded."
      />
    </section>
  );
}
