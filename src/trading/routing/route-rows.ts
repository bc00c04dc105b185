// Every row of lanes from the input asset to the output asset.

import { NODE_IN, NODE_OUT, type RouteField, type RouteLane } from './route-field.ts';

/** One lane, or a first and a last lane, with or without one in between. */
export interface LaneRow {
  readonly first: RouteLane;
  readonly middle: RouteLane | null;
  readonly last: RouteLane | null;
  readonly lanes: readonly RouteLane[];
  /** The lanes' indices; -1 if there is none. */
  readonly firstIndex: number;
  readonly middleIndex: number;
  readonly lastIndex: number;
}

function buildRow(first: RouteLane, middle: RouteLane | null, last: RouteLane | null): LaneRow {
  return {
    first,
    middle,
    last,
    lanes: [first, middle, last].filter((lane) => lane !== null),
    firstIndex: first.index,
    middleIndex: middle?.index ?? -1,
    lastIndex: last?.index ?? -1,
  };
}

export function findRows(field: RouteField, hopCountMax: number): LaneRow[] {
  const { lanesLeaving } = field;
  const lasts = lanesLeaving.map((lanes, node) =>
    node === NODE_IN ? null : (lanes.find(({ to }) => to === NODE_OUT) ?? null),
  );
  const rows: LaneRow[] = [];
  for (const first of lanesLeaving[NODE_IN] ?? []) {
    if (first.to === NODE_OUT) rows.push(buildRow(first, null, null));
    if (first.to === NODE_OUT || hopCountMax < 2) continue;
    const last = lasts[first.to] ?? null;
    if (last !== null) rows.push(buildRow(first, null, last));
    if (hopCountMax < 3) continue;
    for (const middle of lanesLeaving[first.to] ?? []) {
      const end = middle.to === NODE_OUT ? null : (lasts[middle.to] ?? null);
      if (end !== null) rows.push(buildRow(first, middle, end));
    }
  }
  return rows;
}
