// SPDX-License-Identifier: MIT
// Exceptions by type, where they were thrown and where they were caught.
import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { MethodName, countColumn } from "./Cells";
import { profile, selected, tab } from "./state";
import { Table, type Column, type Sort } from "./Table";

const sort = signal<Sort>({ key: "count", descending: true });

function columns(): Column[] {
  const { exceptions: e, functions } = profile;
  const method = (key: string, title: string, none: string, from: Column["from"]): Column => ({
    key, title, width: "minmax(140px, 1fr)", from,
    sortBy: (row) => functions.name[Number(e[key][row])] ?? "",
    cell: (row) => (Number(e[key][row]) < 0 ? <span class="outside">{none}</span> : <MethodName f={Number(e[key][row])} />),
  });
  return [
    countColumn("count", "Thrown", undefined, (row) => Number(e.count[row]), "90px"),
    {
      key: "type", title: "Type", width: "minmax(150px, 0.8fr)",
      sortBy: (row) => String(e.type[row]),
      cell: (row) => <span class="text">{String(e.type[row])}</span>,
    },
    method("thrown_in", "Thrown in", "outside timed code", "s"),
    method("caught_in", "Caught in", "not in timed code", "m"),
  ];
}

export function Exceptions() {
  const shown = useMemo(columns, []);
  const rows = useMemo(() => profile.exceptions.count.map((_, row) => row), []);
  return (
    <section class="page">
      <div class="toolbar"><h2>Exceptions</h2></div>
      <Table
        label="Exceptions"
        columns={shown}
        rows={rows}
        sort={sort}
        onChoose={(row) => {
          const f = Number(profile.exceptions.thrown_in[row]);
          if (f < 0) return;
          selected.value = f;
          tab.value = "time";
        }}
        empty="None was thrown in timed code."
      />
    </section>
  );
}
