// Which rows of a long table are near the screen.

export interface RowWindow {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** The first row on the screen. */
  readonly seen: number;
}

const OVERSCAN_ROWS = 12;

/** `top` is where the first row is, relative to the screen. */
export function computeRowWindow(view: {
  readonly top: number;
  readonly height: number;
  readonly count: number;
  readonly rowHeight: number;
}): RowWindow {
  const first = Math.floor(-view.top / view.rowHeight);
  const rows = Math.ceil(view.height / view.rowHeight);
  const from = Math.max(0, Math.min(view.count, first - OVERSCAN_ROWS));
  const to = Math.max(from, Math.min(view.count, first + rows + OVERSCAN_ROWS));
  return { from, to, seen: Math.max(from, Math.min(to, first)) };
}
