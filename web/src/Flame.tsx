// SPDX-License-Identifier: MIT
// Flame graph and icicle: the call tree as boxes as wide as the time they took.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Choice } from "./Choice";
import { fills, keysBy, swatch } from "./colours";
import { matches, moduleName, type Profile } from "./data";
import { describeChange, DiffLegend, DiffTip, nodeFills } from "./changes";
import { depthAt, Painter, ROW, topOf, type Look, type Sight } from "./draw";
import { count, duration, percent, plural, signOf } from "./format";
import { largestPath, layOut, merge, nodeAt, nodeOfSigns, signsTo, timeFound, type Layout } from "./layout";
import { colourBy, dark, direction, entry, measure, NONE, profile, query, reveal, selected, showStacks, showThread, stacks, thread, width, zoomSigns } from "./state";
import { shownLayout } from "./tree/shown";
import { entryName } from "./tree/entryCalls";

const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const ZOOM_MS = 180;

interface View {
  from: number;
  to: number;
}

function rootName(): string {
  if (profile.diff) return width.value === "new" ? "all of NEW" : "all of OLD";
  if (stacks.value === "awaits") return "all async calls";
  if (entry.value !== NONE) return `all calls of ${entryName(entry.value)}`;
  return thread.value === NONE ? "all threads" : profile.threads.label[thread.value];
}

/** The call tree with the times of OLD, whose rows are those of NEW's. */
function oldTree(): Profile["tree"] {
  const { tree, diff } = profile;
  return { ...tree, calls: diff!.paths.calls, self: diff!.paths.self };
}

/** Paths of a comparison: its rows are the nodes behind node 0, in their order. */
function useDiffLayouts(): Record<"new" | "old", Layout> | null {
  const by = measure.value;
  const trees = useMemo(() => {
    if (!profile.diff) return null;
    const merged = (tree: Profile["tree"]) => merge(tree, NONE, profile.functions.count);
    return { new: merged(profile.tree), old: merged(oldTree()) };
  }, []);
  return useMemo(() => (trees ? { new: layOut(trees.new, by), old: layOut(trees.old, by) } : null), [trees, by]);
}

function useLayout(diff: Record<"new" | "old", Layout> | null): Layout {
  return diff ? diff[width.value] : shownLayout.value;
}

function signOfFunction(f: number): string {
  return signOf(profile.functions.name[f]);
}

function styleOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Rows down to the deepest box of a pixel or more. */
function rowsInSight(layout: Layout, view: View, width: number): number {
  const least = (view.to - view.from) / Math.max(1, width);
  let deepest = 0;
  for (let i = 0; i < layout.tree.count; ++i) {
    if (layout.depth[i] > deepest && layout.total[i] >= least && layout.start[i] < view.to && layout.start[i] + layout.total[i] > view.from) {
      deepest = layout.depth[i];
    }
  }
  return deepest + 1;
}

export function Flame() {
  const compared = useDiffLayouts();
  const layout = useLayout(compared);
  const found = useMemo(() => matches(profile, query.value), [query.value]);
  const foundNs = useMemo(() => (found ? timeFound(layout, found) : 0), [layout, found]);
  const [focus, setFocus] = useState(0);
  // The box of the keyboard is marked only for those who use it.
  const [keys, setKeys] = useState(false);
  const [hover, setHover] = useState<{ node: number; x: number; y: number } | null>(null);
  const zoomed = useMemo(() => nodeOfSigns(layout.tree, zoomSigns.value, signOfFunction), [layout, zoomSigns.value]);
  useLayoutEffect(() => {
    setFocus(0);
    setHover(null);
  }, [layout]);
  const fillsOfNodes = useMemo(
    () => (compared ? nodeFills(compared.old, compared.new) : null),
    [compared, dark.value],
  );
  const graph = useGraph(layout, zoomed, fillsOfNodes, { found, focus: keys ? focus : NONE, hover: hover?.node ?? NONE });

  const zoom = (node: number) => {
    zoomSigns.value = signsTo(layout.tree, node, signOfFunction);
    setFocus(node);
    const f = method(layout, node);
    if (f >= 0) selected.value = f;
  };
  useLayoutEffect(() => {
    const f = reveal.value;
    if (f === NONE) return;
    reveal.value = NONE;
    zoom(Math.max(0, largestPath(layout, f)));
  }, [reveal.value]);
  const total = layout.total[0];
  return (
    <section class="flame" aria-label="Flame graph">
      <div class="toolbar">
        <h2>{direction.value === "flame" ? "Flame graph" : "Icicle"}</h2>
        <Choice
          label="Direction"
          value={direction.value}
          options={[["flame", "Flame", "Callers below callees"], ["icicle", "Icicle", "Callers above callees"]]}
          onChange={(value) => (direction.value = value)}
        />
        {compared ? (
          <span class="widths">
            <span class="label">Width</span>
            <Choice
              label="Width of boxes"
              value={width.value}
              options={[["new", "New", "As wide as the new version's time"], ["old", "Old", "As wide as the old version's time: what is gone is there"]]}
              onChange={(value) => (width.value = value)}
            />
          </span>
        ) : <StackSelect />}
        <span class="colours" hidden={compared !== null}>
          <span class="label">Colour</span>
          <Choice
            label="Colour by"
            value={colourBy.value}
            options={[["module", "Module", "Colour by module"], ["type", "Type", "Colour by namespace and type"]]}
            onChange={(value) => (colourBy.value = value)}
          />
        </span>
        <button type="button" class="reset" disabled={zoomed === 0} onClick={() => zoom(0)}>Reset zoom</button>
        <span class="status" role="status">
          {found ? `${percent(total > 0 ? foundNs / total : 0)} of the time matches` : <Omitted />}
        </span>
      </div>
      <div class="graph" ref={graph.scroller}>
        <canvas
          ref={graph.canvas}
          tabIndex={0}
          role="application"
          aria-label="Flame graph. Arrow keys move between callers and callees, Enter zooms, Escape zooms out."
          aria-describedby="flame-node"
          onFocus={(event) => setKeys(event.currentTarget.matches(":focus-visible"))}
          onBlur={() => setKeys(false)}
          onKeyDown={(event) => {
            setKeys(true);
            onKey(event, layout, focus, direction.value === "flame", setFocus, zoom, graph.show);
          }}
          onMouseMove={(event) => {
            const node = graph.at(event.offsetX, event.offsetY);
            setHover(node < 0 ? null : { node, x: event.clientX, y: event.clientY });
          }}
          onMouseLeave={() => setHover(null)}
          onClick={(event) => {
            const node = graph.at(event.offsetX, event.offsetY);
            if (node >= 0) zoom(node);
          }}
        />
        <div ref={graph.spacer} />
      </div>
      <div class="below">
        {compared ? <DiffLegend /> : <Legend />}
        <p id="flame-node" aria-live="polite">{total > 0 ? describe(layout, hover?.node ?? focus, compared) : "No time of this kind was measured here."}</p>
      </div>
      {hover ? compared ? <DiffTip layouts={compared} {...hover} /> : <Tip layout={layout} {...hover} /> : null}
    </section>
  );
}

/** The canvas: what is in sight, drawn anew whenever anything about it changes. */
function useGraph(layout: Layout, zoomed: number, ofNodes: string[] | null, marks: { found: Uint8Array | null; focus: number; hover: number }) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const view = useRef<View>({ from: 0, to: 1 });
  const painter = useRef<Painter | null>(null);
  const graphHeight = useRef(0);
  const toward = direction.value;
  const ofFunctions = useMemo(() => (ofNodes ? [] : fills()), [ofNodes, colourBy.value, dark.value, entry.value]);
  const colours = ofNodes ?? ofFunctions;
  const labels = useMemo(
    () => profile.functions.parts.map(({ type, within, method, signature, mark }) =>
      [type + within + method + signature, type + within + method, method].map((label) => label + mark),
    ),
    [],
  );

  const sight = (): Sight => ({
    ...view.current,
    width: scroller.current!.clientWidth,
    height: scroller.current!.clientHeight,
    scrollTop: scroller.current!.scrollTop,
    graph: graphHeight.current,
    direction: toward,
  });
  const draw = () => {
    const element = canvas.current;
    if (!element) return; // the graph has gone meanwhile
    const now = sight();
    const ratio = devicePixelRatio || 1;
    const [width, height] = [Math.round(now.width * ratio), Math.round(now.height * ratio)];
    if (element.width !== width || element.height !== height) {
      element.width = width;
      element.height = height;
      element.style.width = `${now.width}px`;
      element.style.height = `${now.height}px`;
    }
    painter.current ??= new Painter(element.getContext("2d", { alpha: false })!);
    painter.current.draw(layout, now, lookOf(colours, ofNodes !== null, labels, marks), ratio);
  };
  const latest = useRef(draw);
  latest.current = draw;

  const resize = (target: View) => {
    const box = scroller.current!;
    graphHeight.current = Math.max(box.clientHeight, rowsInSight(layout, target, box.clientWidth) * ROW);
    spacer.current!.style.height = `${graphHeight.current - box.clientHeight}px`;
  };
  const show = (node: number) => {
    const box = scroller.current!;
    const top = topOf(layout.depth[node], sight());
    if (top < box.scrollTop) box.scrollTop = top - ROW;
    else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + 2 * ROW - box.clientHeight;
  };

  // A new tree, measure or direction begins at the outermost calls.
  useLayoutEffect(() => {
    view.current = { from: 0, to: Math.max(1, layout.total[0]) };
    resize(view.current);
    scroller.current!.scrollTop = toward === "flame" ? graphHeight.current : 0;
    draw();
  }, [layout, toward]);
  useLayoutEffect(() => {
    const target = { from: layout.start[zoomed], to: layout.start[zoomed] + Math.max(1, layout.total[zoomed]) };
    resize(target);
    const stop = glide(view, target, () => latest.current());
    show(zoomed);
    return stop;
  }, [layout, zoomed, toward]);
  useLayoutEffect(draw);
  useLayoutEffect(() => {
    const box = scroller.current!;
    const onScroll = () => latest.current();
    const observer = new ResizeObserver(() => {
      const atEnd = box.scrollTop + 2 * box.clientHeight >= graphHeight.current;
      resize(view.current);
      if (direction.peek() === "flame" && atEnd) box.scrollTop = graphHeight.current;
      latest.current();
    });
    box.addEventListener("scroll", onScroll, { passive: true });
    observer.observe(box);
    return () => {
      box.removeEventListener("scroll", onScroll);
      observer.disconnect();
    };
  }, []);

  const at = (x: number, y: number) => {
    const now = sight();
    return nodeAt(layout, depthAt(y, now), now.from + (x / now.width) * (now.to - now.from));
  };
  return { scroller, canvas, spacer, at, show };
}

function lookOf(colours: string[], byNode: boolean, labels: string[][], marks: { found: Uint8Array | null; focus: number; hover: number }): Look {
  return {
    fills: colours,
    byNode,
    labels,
    ...marks,
    truncated: profile.truncated,
    selected: selected.value,
    root: rootName(),
    colours: {
      ink: styleOf("--ink"),
      back: styleOf("--panel"),
      root: styleOf("--box-root"),
      match: styleOf("--match"),
      matchInk: styleOf("--match-ink"),
      line: styleOf("--ink"),
    },
    font: `12px ${styleOf("--sans")}`,
  };
}

/** Moves the view to `target`; answers what stops it. */
function glide(view: { current: View }, target: View, draw: () => void): () => void {
  const origin = { ...view.current };
  const begin = performance.now();
  let frame = 0;
  const step = (now: number) => {
    const t = STILL.matches ? 1 : Math.min(1, Math.max(0, (now - begin) / ZOOM_MS));
    const eased = 1 - (1 - t) ** 3;
    view.current =
      t === 1
        ? target
        : { from: origin.from + (target.from - origin.from) * eased, to: origin.to + (target.to - origin.to) * eased };
    draw();
    if (t < 1) frame = requestAnimationFrame(step);
  };
  frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}

function onKey(
  event: KeyboardEvent, layout: Layout, focus: number, upward: boolean,
  setFocus: (node: number) => void, zoom: (node: number) => void, show: (node: number) => void,
): void {
  const outward = focus > 0 ? layout.tree.parent[focus] : 0;
  const inward = layout.firstChild[focus];
  const to: Record<string, number> = {
    ArrowUp: upward ? inward : outward,
    ArrowDown: upward ? outward : inward,
    ArrowLeft: layout.previousSibling[focus],
    ArrowRight: layout.nextSibling[focus],
    Home: 0,
  };
  if (event.key in to) {
    event.preventDefault();
    if (to[event.key] >= 0) {
      setFocus(to[event.key]);
      show(to[event.key]);
    }
  } else if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    zoom(focus);
  } else if (event.key === "Escape") {
    zoom(0);
  }
}

/** The method of a box, or of the one that it was cut off from; -1: all. */
function method({ tree }: Layout, node: number): number {
  const cutOff = tree.function[node] >= 0 && tree.function[node] === profile.truncated;
  return tree.function[cutOff ? tree.parent[node] : node];
}

/** Async calls side by side add up: their time is that of each. */
function timeName(layout: Layout): string {
  if (stacks.value === "awaits") return "wall of all calls";
  return layout.measure === "cpu" ? "CPU" : "wall";
}

function counted(calls: number): string {
  return profile.sampled ? plural(calls, "sample", "samples") : plural(calls, "call", "calls");
}

function describe(layout: Layout, node: number, compared: Record<"new" | "old", Layout> | null): string {
  if (compared) return describeChange(compared, node);
  const { tree, total } = layout;
  const f = tree.function[node];
  const time = `${duration(total[node])} ${timeName(layout)}`;
  if (f < 0) return `${rootName()}: ${time}`;
  const cutOff = f === profile.truncated && tree.parent[node] > 0 ? ` below ${profile.functions.name[method(layout, node)]}` : "";
  return `${profile.functions.name[f]}${cutOff}: ${time}, ${percent(total[node] / total[0])}, ${counted(tree.calls[node])}`;
}

function Tip({ layout, node, x, y }: { layout: Layout; node: number; x: number; y: number }) {
  const { tree, total } = layout;
  const f = tree.function[node];
  if (f < 0) return null;
  const parts = profile.functions.parts[f];
  const left = Math.max(8, Math.min(x + 14, innerWidth - 388));
  const above = y > innerHeight - 220;
  const parent = tree.parent[node];
  const kind = layout.measure === "cpu" ? "CPU" : "Wall";
  return (
    <div class="tip" role="presentation" style={above ? { left: `${left}px`, bottom: `${innerHeight - y + 12}px` } : { left: `${left}px`, top: `${y + 16}px` }}>
      <p class="name">
        <span class="prefix">{parts.namespace + parts.type + parts.within}</span>
        <b>{parts.method}</b>
        <span class="prefix">{parts.signature + parts.mark}</span>
      </p>
      <p class="module">
        {f === profile.truncated
          ? "Calls on this path that took too little for rows of their own, with all that they called. Hot list, callers and callees have them."
          : moduleName(profile, f)}
      </p>
      <dl>
        <div><dt>{`${kind} total`}</dt><dd>{duration(total[node])}</dd></div>
        {f === profile.truncated ? null : <div><dt>{`${kind} self`}</dt><dd>{duration(tree.self[layout.measure][node])}</dd></div>}
        <div><dt>{profile.sampled ? "Samples" : "Calls"}</dt><dd>{count(tree.calls[node])}</dd></div>
        <div><dt>Of all</dt><dd>{percent(total[node] / total[0])}</dd></div>
        <div><dt>Of caller</dt><dd>{percent(total[node] / total[parent])}</dd></div>
        {profile.sampled ? null : <div><dt>{`${kind} a call`}</dt><dd>{tree.calls[node] > 0 ? duration(total[node] / tree.calls[node]) : "\u2013"}</dd></div>}
      </dl>
    </div>
  );
}

/** Whose calls are shown: of all threads, of one, of a test or endpoint, or async calls by who awaits whom. */
function StackSelect() {
  const { threads, async: calls } = profile;
  const chosen = stacks.value === "awaits" ? "awaits" : entry.value === NONE ? String(thread.value) : "entry";
  return (
    <select
      aria-label="Calls shown"
      value={chosen}
      onChange={(event) => {
        const { value } = event.currentTarget;
        if (value === "awaits") showStacks("awaits");
        else if (value !== "entry") showThread(Number(value));
      }}
    >
      {entry.value === NONE ? null : <option value="entry">{`Below ${entryName(entry.value)}`}</option>}
      <option value="-1">All threads, merged</option>
      {calls.tree.count > 0 ? <option value="awaits">Awaits of async calls</option> : null}
      {threads.label.map((label, i) => <option key={i} value={String(i)}>{label}</option>)}
    </select>
  );
}

function Legend() {
  const { legend } = keysBy(colourBy.value);
  return (
    <ul class="legend" aria-label="Colours">
      {legend.map((key) => (
        <li key={key.name}>
          <i class="swatch" style={{ background: swatch(key) }} />
          {key.name}
        </li>
      ))}
    </ul>
  );
}

function Omitted() {
  const { tree, whole } = profile;
  if (stacks.value === "awaits") return <span title="The processor time of async calls with their awaits is not known.">wall time; calls side by side add up</span>;
  if (whole.calltree <= tree.count) return null;
  return (
    <span title="The time of the smaller ones is in their callers' boxes. The hot list has all calls.">
      {`the ${count(tree.count)} largest of ${count(whole.calltree)} paths`}
    </span>
  );
}
