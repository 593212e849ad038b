// SPDX-License-Identifier: MIT
// When and why the runtime stopped all its threads.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { timeColumn } from "./Cells";
import { count, duration } from "./format";
import { profile } from "./state";
import { Table, type Column, type Sort } from "./Table";
import { TimeStrip } from "./TimeStrip";

const sort = signal<Sort>({ key: "duration_ns", descending: true });

/** "0, 1" or "2 (full)": the generations whose bit is set. */
function generations(bits: number): string {
  const names = ["0", "1", "2", "large objects", "pinned objects"];
  return names.filter((_, g) => bits & (1 << g)).join(", ");
}

function columns(): Column[] {
  const { pauses } = profile;
  const values = (key: string) => pauses[key] as number[];
  const time = (key: string, title: string, hint: string, from: Column["from"]): Column =>
    timeColumn(key, title, hint, (row) => values(key)[row], "110px", from);
  return [
    time("start_ns", "At", "From the start of the session", "s"),
    time("duration_ns", "Lasted", "Until the threads were let go", "s"),
    time("stopping_ns", "Stopping", "Of it, until all threads stood still", "m"),
    {
      key: "reason", title: "Reason", width: "minmax(90px, 1fr)",
      sortBy: (row) => String(pauses.reason[row]),
      cell: (row) => String(pauses.reason[row]),
    },
    {
      key: "generations", title: "Generations", hint: "Collected in it", width: "minmax(110px, 1fr)", from: "m",
      sortBy: (row) => values("generations")[row],
      cell: (row) => generations(values("generations")[row]),
    },
    {
      key: "thread", title: "Asked for by", width: "minmax(140px, 1fr)", from: "m",
      sortBy: (row) => values("thread")[row],
      cell: (row) => profile.threads.label[values("thread")[row]] ?? "a thread of the runtime",
    },
    {
      key: "threads", title: "Threads", hint: "That were inside timed calls", width: "90px", numeric: true, from: "l",
      sortBy: (row) => values("threads")[row],
      cell: (row) => count(values("threads")[row]),
    },
  ];
}

interface Reason {
  name: string;
  number: number;
  sum: number;
  longest: number;
}

function reasons(): Reason[] {
  const { pauseSums: p } = profile;
  const found = new Map<string, Reason>();
  (p.reason as string[]).forEach((name, row) => {
    const sums = found.get(name) ?? { name, number: 0, sum: 0, longest: 0 };
    found.set(name, {
      name,
      number: sums.number + Number(p.count[row]),
      sum: sums.sum + Number(p.duration_ns[row]),
      longest: Math.max(sums.longest, Number(p.longest_ns[row])),
    });
  });
  return [...found.values()].sort((a, b) => b.sum - a.sum);
}

export function Pauses() {
  const { pauses, timeSlices, whole } = profile;
  const all = whole.pauses <= pauses.start_ns.length;
  const shown = useMemo(columns, []);
  const by = useMemo(reasons, []);
  const rows = useMemo(() => pauses.start_ns.map((_, row) => row), []);
  return (
    <section class="page">
      <div class="toolbar">
        <h2>Pauses</h2>
        <span class="status">
          {!all ? `the ${count(rows.length)} longest of ${count(whole.pauses)}` : "the runtime stopped all its threads"}
        </span>
      </div>
      {rows.length > 0 ? (
        <>
          <dl class="sums">
            {by.slice(0, 5).map(({ name, number, sum, longest }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{duration(sum)}<small>{`${count(number)} ${number === 1 ? "pause" : "pauses"}, longest ${duration(longest)}`}</small></dd>
              </div>
            ))}
          </dl>
          <TimeStrip
            label={all ? "Pauses over the session" : "Paused time over the session"}
            start={(all ? pauses.start_ns : timeSlices.start_ns) as number[]}
            length={(all ? pauses.duration_ns : timeSlices.paused_ns) as number[]}
          />
        </>
      ) : null}
      <Table label="Pauses" columns={shown} rows={rows} sort={sort} empty="None was recorded." />
    </section>
  );
}
