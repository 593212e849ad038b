// SPDX-License-Identifier: MIT
// How the figures came about: what a report says below its hot list, and where it was measured.
import type { Profile } from "./data";
import { profile } from "./state";

const SESSION: [string, string][] = [
  ["program", "program"],
  ["command_line", "command line"],
  ["runtime", "runtime"],
  ["pid", "process"],
  ["host", "host"],
  ["created_utc", "started"],
  ["ended", "ended"],
  ["tool_version", "umbra"],
];

const KEYS: [string[], string][] = [
  [["/"], "search; Esc clears it"],
  [["Tab"], "from one part of the page to the next"],
  [["\u2191", "\u2193"], "move through a list or the graph; on the divider: more or less of the height for the graph"],
  [["\u2190", "\u2192"], "from tab to tab; in the graph to neighbours; in a tree close and open"],
  [["Enter"], "choose a row; in the graph zoom too"],
  [["Esc"], "zoom out; close the chosen method"],
];

export function Facts({ facts }: { facts: Profile["facts"] }) {
  return (
    <dl class="truths">
      {facts.map((fact) => (
        <div key={fact.name} class={fact.warns ? "warning" : ""}>
          <dt>{fact.name}</dt>
          <dd>
            {fact.parts.map((part, i) => <span key={i}>{part}</span>)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Measurement() {
  const { session, facts } = profile;
  return (
    <section class="page prose">
      <h2>How this was measured</h2>
      <Facts facts={facts} />
      <h2>Session</h2>
      <dl class="truths">
        {SESSION.filter(([key]) => session[key]).map(([key, name]) => (
          <div key={key}>
            <dt>{name}</dt>
            <dd><span class="verbatim">{String(session[key])}</span></dd>
          </div>
        ))}
      </dl>
      <h2>Reading the figures</h2>
      <p>
        Total is the time of a method with its callees, self without them. Recursion is counted once in a total. The cost
        of the probes is taken out of totals and self times, and is known to about a half of it: times of less than ten
        times that cost are marked ~.
        Percentiles come from logarithmic buckets and lie between two neighbouring bucket limits. In the graph each path
        of calls stands once, as wide as all its calls together: it shows how much, not when.
      </p>
      <p>
        CPU is time on a processor, Off CPU the wall time without callees less that: waiting for a lock, a disk, another
        thread, a processor. Times of single calls (each, percentiles, longest) are wall time, whatever is chosen above.
        Held by umbra is what threads waited for umbra; it is taken out of the times of calls.
      </p>
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, does]) => (
          <div key={does}><dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt><dd>{does}</dd></div>
        ))}
      </dl>
    </section>
  );
}
