// SPDX-License-Identifier: MIT
// What graph and list share the height by: moved with the mouse, or with the arrow keys.
import { useRef } from "preact/hooks";
import { graphShare, USUAL_SHARE } from "../state";

const LEAST = 10;
const MOST = 90;
const STEP = 4;

function share(percent: number): void {
  graphShare.value = Math.round(Math.min(MOST, Math.max(LEAST, percent)));
}

export function Divider() {
  const element = useRef<HTMLDivElement>(null);
  const dragged = (event: PointerEvent) => {
    const box = element.current!.parentElement!.getBoundingClientRect();
    share((100 * (event.clientY - box.top)) / box.height);
  };
  const onKey = (event: KeyboardEvent) => {
    const to = {
      ArrowUp: graphShare.value - STEP, ArrowDown: graphShare.value + STEP, Home: LEAST, End: MOST, Enter: USUAL_SHARE,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    share(to);
  };
  return (
    <div
      ref={element}
      class="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="horizontal"
      aria-label="Height of the graph"
      aria-valuenow={graphShare.value}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      title="Drag, or use the arrow keys; a double click sets it back"
      onKeyDown={onKey}
      onDblClick={() => share(USUAL_SHARE)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) dragged(event);
      }}
    />
  );
}
