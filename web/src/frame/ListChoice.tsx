// SPDX-License-Identifier: MIT
// What is listed below the graph.
import { Choice } from "../Choice";
import { list } from "../state";

export function ListChoice() {
  return (
    <Choice
      label="List"
      value={list.value}
      options={[
        ["methods", "Methods", "A row for each method"],
        ["tree", "Call tree", "Paths from the outermost call on"],
        ["bottom", "Bottom-up", "Methods by their own time, with the callers that led to it"],
      ]}
      onChange={(value) => (list.value = value)}
    />
  );
}
