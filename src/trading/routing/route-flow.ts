// Splits an input among all routes at once, as well as possible.
//
// Parallel pools count as one lane. Only the flows in the lanes matter, since an asset is the same
// wherever it came from: what each first lane pays goes directly to the output asset or through one
// more lane first. The output is a concave function of the flows, so exchanges converge to the best
// split: repeatedly, some input is taken from the route whose last unit bought least and given to
// the one whose next unit would buy most, exactly as much as makes the two rates equal. Two
// intermediate assets may be swapped in both directions at once if their pools differ in price; in
// the best split no single pool is, because its fee would be paid twice. Everything is computed on
// the curves, in floating point; the result is executed exactly before it is used.

import type { CurvePoint } from './route-curve.ts';
import { NODE_IN, NODE_OUT, type RouteField, type RouteLane } from './route-field.ts';
import type { SearchWork } from './search-work.ts';

// Every row of lanes from the input asset to the output asset.

/** One lane, or a first and a last lane, with or without one in between. */
interface LaneRow {
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

function findRows(field: RouteField, hopCountMax: number): LaneRow[] {
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

/** The input is first allocated in this many parts, each to the route that pays most for it. */
const PART_COUNT = 16;
const ROUND_COUNT_MAX = 200;
/** One round closes the widest gap and those at most this many times narrower. */
const WIDTH_MAX = 4;
/** Rates that differ by less are considered equal. */
const RATE_TOLERANCE = 1e-4;
/** An exchange must close all but this share of the gap; later exchanges close the rest. */
const GAP_LEFT_MAX = 0.05;
const TRIAL_COUNT_MAX = 12;
/**
 * Rates are read this share of a flow ahead or behind. Where a pool's liquidity ends its rate
 * drops, and a flow right at that point should be neither increased nor reduced.
 */
const LOOK_SHARE = 1e-4;
/** What is left after a flow is removed completely is a rounding error. */
const REST_MAX = 1e-9;

/**
 * The best and the worst of some rows: the highest rate for one more unit, the lowest for the last
 * one.
 */
class RowExtremes {
  #best: LaneRow | null = null;
  #worst: LaneRow | null = null;
  #most = 0;
  #least = 0;

  clear(): void {
    this.#best = null;
    this.#worst = null;
  }

  addTaker(row: LaneRow, rate: number): void {
    if (this.#best !== null && rate <= this.#most) return;
    this.#best = row;
    this.#most = rate;
  }

  addGiver(row: LaneRow, rate: number): void {
    if (this.#worst !== null && rate >= this.#least) return;
    this.#worst = row;
    this.#least = rate;
  }

  /** The difference of the two rates, relative to the better one. */
  get gap(): number {
    if (this.#best === null || this.#worst === null || this.#most <= 0) return 0;
    return this.#best === this.#worst ? 0 : 1 - this.#least / this.#most;
  }

  get pair(): { giver: LaneRow; taker: LaneRow } | null {
    if (this.#best === null || this.#worst === null) return null;
    return { giver: this.#worst, taker: this.#best };
  }
}

function toKey({ from, to }: RouteLane): string {
  return `${from} ${to}`;
}

export class RouteFlow {
  readonly #lanes: readonly RouteLane[];
  readonly #rows: readonly LaneRow[];
  /** By lane: its input. */
  readonly flows: Float64Array;
  /** By node: what goes from there directly to the output, of what came from the input. */
  readonly #directs: Float64Array;
  /** By lane: its output, what one more unit would add, and what one unit less would remove. */
  readonly #outs: Float64Array;
  readonly #slopesUp: Float64Array;
  readonly #slopesDown: Float64Array;
  readonly #overall = new RowExtremes();
  /** By lane: the rows that have it first, and those that have it last. */
  readonly #leaving: readonly RowExtremes[];
  readonly #arriving: readonly RowExtremes[];
  readonly #ends: readonly RowExtremes[];
  readonly #point: CurvePoint = { out: 0, slope: 0, bend: 0 };
  readonly #work: SearchWork;

  constructor(field: RouteField, hopCountMax: number, work: SearchWork) {
    const { lanes } = field;
    this.#work = work;
    this.#lanes = lanes;
    this.#rows = findRows(field, hopCountMax);
    this.flows = new Float64Array(lanes.length);
    this.#directs = new Float64Array(field.nodeCount);
    this.#outs = new Float64Array(lanes.length);
    this.#slopesUp = new Float64Array(lanes.length);
    this.#slopesDown = new Float64Array(lanes.length);
    this.#leaving = lanes.map(() => new RowExtremes());
    this.#arriving = lanes.map(() => new RowExtremes());
    this.#ends = [this.#overall, ...this.#leaving, ...this.#arriving];
    for (const lane of lanes) this.#set(lane, 0);
  }

  /** The total output. */
  get amountOut(): number {
    const lasts = new Set(this.#rows.map((row) => row.last ?? row.first));
    let sum = 0;
    for (const { index } of lasts) sum += this.#outs[index] ?? 0;
    return sum;
  }

  /**
   * False if the two assets are not connected. If `before`, a flow in a field with a few more
   * pools, is given, it starts from there.
   */
  divide(amountIn: number, before: RouteFlow | null = null): boolean {
    const isBegun = before !== null && this.#resume(amountIn, before);
    if (!isBegun && !this.#deal(amountIn)) return false;
    for (let round = 0; round < ROUND_COUNT_MAX && !this.#work.isSpent; round += 1) {
      this.#compareRows();
      const widest = this.#ends.reduce((gap, ends) => Math.max(gap, ends.gap), 0);
      if (widest <= RATE_TOLERANCE) break;
      for (const ends of this.#ends) if (ends.gap * WIDTH_MAX >= widest) this.#exchange(ends);
    }
    return true;
  }

  /** The output of a row's first lane that belongs to the row; nothing if it is unused. */
  #findFirstOut({ first, middle, last }: LaneRow): number {
    if ((this.flows[first.index] ?? 0) <= 0) return 0;
    if (last === null) return this.#outs[first.index] ?? 0;
    if (middle === null) return this.#directs[first.to] ?? 0;
    return this.flows[middle.index] ?? 0;
  }

  #set({ index, curve }: RouteLane, flow: number): void {
    this.#work.add(3);
    const before = this.flows[index] ?? 0;
    const after = flow > before * REST_MAX ? flow : 0;
    this.flows[index] = after;
    curve.read(after * (1 + LOOK_SHARE), this.#point);
    this.#slopesUp[index] = this.#point.slope;
    curve.read(after * (1 - LOOK_SHARE), this.#point);
    this.#slopesDown[index] = this.#point.slope;
    this.#outs[index] = curve.computeOut(after);
  }

  #deal(amountIn: number): boolean {
    const part = amountIn / PART_COUNT;
    for (let dealt = 0; dealt < PART_COUNT; dealt += 1) {
      const row = this.#findBestFor(part);
      if (row === null) return false;
      this.#move(row, part);
    }
    return true;
  }

  /** Splits at each asset as another division did, among the remaining lanes. */
  #resume(amountIn: number, before: RouteFlow): boolean {
    const flows = new Map(
      before.#lanes.map((lane) => [toKey(lane), before.flows[lane.index] ?? 0]),
    );
    const findWeight = (lane: RouteLane) => flows.get(toKey(lane)) ?? 0;
    const byFirst = Map.groupBy(this.#rows, ({ first }) => first);
    const sum = [...byFirst.keys()].reduce((all, first) => all + findWeight(first), 0);
    if (sum <= 0) return false;
    for (const [first, rows] of byFirst) {
      this.#set(first, (amountIn * findWeight(first)) / sum);
      const weights = rows.map(({ middle, last }) => {
        if (middle !== null) return findWeight(middle);
        return last === null ? 0 : (before.#directs[first.to] ?? 0);
      });
      const total = weights.reduce((all, weight) => all + weight, 0);
      const out = this.#outs[first.index] ?? 0;
      for (const [index, row] of rows.entries()) {
        const share = total > 0 ? (weights[index] ?? 0) / total : index === 0 ? 1 : 0;
        if (share > 0) this.#moveRest(row, out * share);
      }
    }
    return true;
  }

  /** The row that pays most for a part, after everything allocated so far. */
  #findBestFor(part: number): LaneRow | null {
    let best: LaneRow | null = null;
    let most = 0;
    this.#work.add(this.#rows.length * 2);
    for (const row of this.#rows) {
      let amount = part;
      for (const { index, curve } of row.lanes) {
        amount = curve.computeOut((this.flows[index] ?? 0) + amount) - (this.#outs[index] ?? 0);
      }
      // If no row pays more, the rest of the input must still go somewhere.
      if (best !== null && amount <= most) continue;
      most = amount;
      best = row;
    }
    return best;
  }

  /**
   * Finds the rows whose rates differ most: among all, and among those that share their first or
   * last lane, which is then ignored, since its flow does not change.
   */
  #compareRows(): void {
    const [up, down] = [this.#slopesUp, this.#slopesDown];
    this.#work.add(this.#rows.length + this.#ends.length);
    for (const ends of this.#ends) ends.clear();
    for (const row of this.#rows) {
      const { firstIndex: f, middleIndex: m, lastIndex: l } = row;
      const leaving = this.#leaving[f] ?? this.#overall;
      const arriving = this.#arriving[l] ?? this.#overall;
      const firstUp = up[f] ?? 0;
      const middleUp = m < 0 ? 1 : (up[m] ?? 0);
      const lastUp = l < 0 ? 1 : (up[l] ?? 0);
      this.#overall.addTaker(row, firstUp * middleUp * lastUp);
      if (l >= 0) {
        leaving.addTaker(row, middleUp * lastUp);
        arriving.addTaker(row, firstUp * middleUp);
      }
      if (this.#findFirstOut(row) <= 0) continue;
      const firstDown = down[f] ?? 0;
      const middleDown = m < 0 ? 1 : (down[m] ?? 0);
      const lastDown = l < 0 ? 1 : (down[l] ?? 0);
      this.#overall.addGiver(row, firstDown * middleDown * lastDown);
      if (l >= 0) {
        leaving.addGiver(row, middleDown * lastDown);
        arriving.addGiver(row, firstDown * middleDown);
      }
    }
  }

  /** Adds to a row, or removes from it if the amount is negative. */
  #move(row: LaneRow, amount: number): void {
    this.#moveRest(row, this.#moveLane(row.first, amount));
  }

  /** Like `#move`, for the part after the first lane. */
  #moveRest({ first, middle, last }: LaneRow, amount: number): void {
    if (last === null) return;
    if (middle === null) {
      const before = this.#directs[first.to] ?? 0;
      const after = before + amount;
      this.#directs[first.to] = after > before * REST_MAX ? after : 0;
      this.#moveLane(last, amount);
    } else {
      this.#moveLane(last, this.#moveLane(middle, amount));
    }
  }

  /** Returns the change at the lane's other end. */
  #moveLane(lane: RouteLane, amount: number): number {
    const before = this.#outs[lane.index] ?? 0;
    this.#set(lane, (this.flows[lane.index] ?? 0) + amount);
    return (this.#outs[lane.index] ?? 0) - before;
  }

  /** Moves as much from one row to another as makes their rates equal, or everything. */
  #exchange({ pair, gap }: RowExtremes): void {
    if (pair === null) return;
    const { giver, taker } = pair;
    // Two rows with the same first lane differ from the asset at its end on.
    const isParted = giver.first === taker.first;
    const from = isParted ? giver.lanes.slice(1) : giver.lanes;
    const to = isParted ? taker.lanes.slice(1) : taker.lanes;
    const amount = this.#findEven({ from, to, gap, most: this.#computeMost(giver, isParted) });
    if (amount === 0) return;
    if (isParted) {
      this.#moveRest(giver, -amount);
      this.#moveRest(taker, amount);
    } else {
      this.#move(giver, -amount);
      this.#move(taker, amount);
    }
  }

  /** The maximum that can be taken from a row. */
  #computeMost(giver: LaneRow, isParted: boolean): number {
    const beyond = this.#findFirstOut(giver);
    if (isParted) return beyond;
    const { index, curve } = giver.first;
    const flow = this.flows[index] ?? 0;
    const out = this.#outs[index] ?? 0;
    return out <= beyond ? flow : Math.max(0, flow - curve.computeInFor(out - beyond));
  }

  /** The amount at which both rates are equal, or the maximum if the taker's rate stays better. */
  #findEven(shift: Shift): number {
    const { most } = shift;
    let low = 0;
    let lowBy = this.#computeAdvantage(shift, 0);
    // Another exchange of the same round has already closed the gap.
    if (lowBy <= 0) return 0;
    const enough = lowBy * GAP_LEFT_MAX;
    let high = Math.min(most, most * 2 * shift.gap);
    let highBy = this.#computeAdvantage(shift, high);
    while (highBy > 0 && high < most) {
      low = high;
      lowBy = highBy;
      high = Math.min(most, high * 4);
      highBy = this.#computeAdvantage(shift, high);
    }
    if (highBy >= 0) return most;
    // The secant between the ends of the bracket; an end that does not move counts half (Illinois
    // method).
    let side = 0;
    for (let trial = 0; trial < TRIAL_COUNT_MAX && high - low > high * REST_MAX; trial += 1) {
      const amount = low + ((high - low) * lowBy) / (lowBy - highBy);
      const by = this.#computeAdvantage(shift, amount);
      if (Math.abs(by) <= enough) return amount;
      if (by > 0) {
        low = amount;
        lowBy = by;
        if (side === 1) highBy /= 2;
        side = 1;
      } else {
        high = amount;
        highBy = by;
        if (side === -1) lowBy /= 2;
        side = -1;
      }
    }
    return low;
  }

  /** How much better the taker's rate still is after moving an amount. */
  #computeAdvantage({ from, to }: Shift, amount: number): number {
    const point = this.#point;
    this.#work.add(from.length + to.length);
    let given = -amount;
    let taken = amount;
    let giverRate = 1;
    let takerRate = 1;
    for (let hop = 0; hop < from.length - 1; hop += 1) {
      given = this.#readAt(from[hop], given);
      giverRate *= point.slope;
    }
    for (let hop = 0; hop < to.length - 1; hop += 1) {
      taken = this.#readAt(to[hop], taken);
      takerRate *= point.slope;
    }
    const [giverEnd, takerEnd] = [from.at(-1), to.at(-1)];
    // A last lane that both share changes little and counts the same for both.
    if (giverEnd === takerEnd) return takerRate - giverRate;
    this.#readAt(giverEnd, given);
    giverRate *= point.slope;
    this.#readAt(takerEnd, taken);
    return takerRate * point.slope - giverRate;
  }

  /** Reads a lane's curve as if this much more went in; returns the change at its end. */
  #readAt(lane: RouteLane | undefined, change: number): number {
    if (lane === undefined) return 0;
    lane.curve.read(Math.max(0, (this.flows[lane.index] ?? 0) + change), this.#point);
    return this.#point.out - (this.#outs[lane.index] ?? 0);
  }
}

/** The lanes that an exchange takes from and gives to, and the maximum it may move. */
interface Shift {
  readonly from: readonly RouteLane[];
  readonly to: readonly RouteLane[];
  readonly most: number;
  readonly gap: number;
}
