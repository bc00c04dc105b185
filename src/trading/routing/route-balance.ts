// Divides an input anew among given routes, where not all that were meant can be used.
//
// Routes that share a pool come there one after the other, so what one more unit on a route brings
// is what it adds at the route's end less what it takes from the routes that come later. In every
// round input goes from the routes that bring least to those that bring most, each by as much as
// its rate is thought to need and by a part of itself at most: where liquidity ends, rates fall off
// at once, and they are known a little way ahead and back only. Floating point throughout: what is
// found is executed exactly before it is believed.

import type { CurvePoint, RouteCurve } from './route-curve.ts';
import type { PathFlow } from './route-legs.ts';

const ROUND_COUNT_MAX = 40;
/** The part of itself that a route may gain or lose in one round: at first, at most, at least. */
const REACH_START = 0.25;
const REACH_MAX = 0.5;
const REACH_MIN = 2e-3;
/** Rates are taken over this part of a route's amount at most. */
const LOOK_SHARE_MAX = 0.05;
/** Rounds that gain less than this are counted, and after some of them it is enough. */
const GAIN_MIN = 1e-6;
const IDLE_COUNT_MAX = 2;
const HALVING_COUNT = 30;
const TINY = 1e-300;

export class RouteBalance {
  readonly #paths: readonly PathFlow[];
  /** By route: where its hops begin; one more entry at the end. */
  readonly #starts: Int32Array;
  /** By hop: its curve and the number of its pool. */
  readonly #curves: readonly RouteCurve[];
  readonly #slots: Int32Array;
  readonly #amounts: Float64Array;
  readonly #wanted: Float64Array;
  readonly #total: number;
  /** By hop: rates a little ahead and back, right there, where the route before stood, the bend. */
  readonly #ahead: Float64Array;
  readonly #back: Float64Array;
  readonly #slopes: Float64Array;
  readonly #slopesBefore: Float64Array;
  readonly #bends: Float64Array;
  /** By route: what one unit more brings and one less costs, and how fast that falls. */
  readonly #gains: Float64Array;
  readonly #losses: Float64Array;
  readonly #falls: Float64Array;
  /** By pool: what has gone in and come out, and the rate or the blame that goes with it. */
  readonly #ins: Float64Array;
  readonly #outs: Float64Array;
  readonly #marks: Float64Array;
  readonly #point: CurvePoint = { out: 0, slope: 0, bend: 0 };

  constructor(paths: readonly PathFlow[], amountIn: number) {
    const edges = paths.flatMap(({ path }) => path);
    const numbers = new Map<RouteCurve, number>();
    for (const { curve } of edges) if (!numbers.has(curve)) numbers.set(curve, numbers.size);
    const sum = paths.reduce((all, { flow }) => all + flow, 0);
    this.#paths = paths;
    this.#total = amountIn;
    this.#starts = new Int32Array(paths.length + 1);
    for (const [k, { path }] of paths.entries()) {
      this.#starts[k + 1] = (this.#starts[k] ?? 0) + path.length;
    }
    this.#curves = edges.map(({ curve }) => curve);
    this.#slots = Int32Array.from(edges, ({ curve }) => numbers.get(curve) ?? 0);
    this.#amounts = Float64Array.from(paths, ({ flow }) => (flow / sum) * amountIn);
    const perRoute = () => new Float64Array(paths.length);
    const perHop = () => new Float64Array(edges.length);
    const perPool = () => new Float64Array(numbers.size);
    [this.#wanted, this.#gains, this.#losses, this.#falls] = [
      perRoute(),
      perRoute(),
      perRoute(),
      perRoute(),
    ];
    [this.#ahead, this.#back, this.#bends] = [perHop(), perHop(), perHop()];
    [this.#slopes, this.#slopesBefore] = [perHop(), perHop()];
    [this.#ins, this.#outs, this.#marks] = [perPool(), perPool(), perPool()];
  }

  /** Moves input between the routes as long as that pays more; tells what they pay then. */
  run(roundCountMax = ROUND_COUNT_MAX): number {
    let paid = this.#execute(this.#amounts);
    let reach = REACH_START;
    let idleCount = 0;
    for (let round = 0; round < roundCountMax && reach >= REACH_MIN; round += 1) {
      this.#look(Math.min(reach, LOOK_SHARE_MAX));
      this.#weigh();
      this.#shift(reach);
      const now = this.#execute(this.#wanted);
      if (now <= paid) {
        reach /= 2;
        continue;
      }
      idleCount = now > paid * (1 + GAIN_MIN) ? 0 : idleCount + 1;
      paid = now;
      this.#amounts.set(this.#wanted);
      if (idleCount > IDLE_COUNT_MAX) break;
      reach = Math.min(REACH_MAX, reach * 1.4);
    }
    return paid;
  }

  /** The same routes in the same order with the parts that they have now. */
  toPaths(): PathFlow[] {
    return this.#paths.map(({ path }, k) => ({ path, flow: this.#amounts[k] ?? 0 }));
  }

  /**
   * By route: what would be lost, about, were its part given to the others. All pay the same for
   * the last unit, so that is the more the faster a route's rate falls.
   */
  toWorths(): Float64Array {
    this.#look(LOOK_SHARE_MAX);
    this.#weigh();
    return this.#amounts.map((amount, k) => amount * amount * (this.#falls[k] ?? 0));
  }

  /** How many ticks are crossed on the way, about. */
  countTicks(): number {
    this.#execute(this.#amounts);
    const curves = new Map(this.#curves.map((curve, hop) => [curve, this.#slots[hop] ?? 0]));
    let count = 0;
    for (const [curve, slot] of curves) count += curve.countStretches(this.#ins[slot] ?? 0);
    return count;
  }

  /** What all routes pay, one after the other. */
  #execute(amounts: Float64Array): number {
    this.#ins.fill(0);
    this.#outs.fill(0);
    let sum = 0;
    for (let k = 0; k < amounts.length; k += 1) {
      let amount = amounts[k] ?? 0;
      for (let hop = this.#starts[k] ?? 0; hop < (this.#starts[k + 1] ?? 0); hop += 1) {
        const slot = this.#slots[hop] ?? 0;
        const into = (this.#ins[slot] ?? 0) + amount;
        const out = this.#curves[hop]?.toOut(into) ?? 0;
        amount = out - (this.#outs[slot] ?? 0);
        this.#ins[slot] = into;
        this.#outs[slot] = out;
      }
      sum += amount;
    }
    return sum;
  }

  /** Reads the rates of every hop where the routes stand now. */
  #look(share: number): void {
    const point = this.#point;
    this.#ins.fill(0);
    this.#outs.fill(0);
    for (let k = 0; k < this.#amounts.length; k += 1) {
      let amount = this.#amounts[k] ?? 0;
      for (let hop = this.#starts[k] ?? 0; hop < (this.#starts[k + 1] ?? 0); hop += 1) {
        const curve = this.#curves[hop];
        const slot = this.#slots[hop] ?? 0;
        const before = this.#ins[slot] ?? 0;
        if (curve === undefined) continue;
        curve.read(before + amount, point);
        const { out, slope, bend } = point;
        const step = amount * share;
        this.#slopes[hop] = slope;
        this.#bends[hop] = bend;
        this.#slopesBefore[hop] = before > 0 ? (this.#marks[slot] ?? 0) : slope;
        this.#ahead[hop] = step > 0 ? (curve.toOut(before + amount + step) - out) / step : slope;
        this.#back[hop] = step > 0 ? (out - curve.toOut(before + amount - step)) / step : slope;
        this.#marks[slot] = slope;
        this.#ins[slot] = before + amount;
        amount = out - (this.#outs[slot] ?? 0);
        this.#outs[slot] = out;
      }
    }
  }

  /** From the hops' rates to the routes', from the last route and its last hop backwards. */
  #weigh(): void {
    const blames = this.#marks;
    blames.fill(0);
    for (let k = this.#amounts.length - 1; k >= 0; k -= 1) {
      let [rate, gain, loss, fall] = [1, 1, 1, 0];
      for (let hop = (this.#starts[k + 1] ?? 0) - 1; hop >= (this.#starts[k] ?? 0); hop -= 1) {
        const slot = this.#slots[hop] ?? 0;
        const slope = this.#slopes[hop] ?? 0;
        const blame = blames[slot] ?? 0;
        // One unit more here moves every later route in this pool on, to where it gets less.
        blames[slot] = blame + rate * (slope - (this.#slopesBefore[hop] ?? 0));
        fall = fall * slope * slope + rate * (this.#bends[hop] ?? 0);
        rate = rate * slope + blame;
        gain = gain * (this.#ahead[hop] ?? 0) + blame;
        loss = loss * (this.#back[hop] ?? 0) + blame;
      }
      this.#gains[k] = gain;
      this.#losses[k] = loss;
      this.#falls[k] = Math.max(fall, TINY);
    }
  }

  /** How much a route gains or loses where routes that bring more than `rate` gain. */
  #toMove(k: number, rate: number, reach: number): number {
    const most = (this.#amounts[k] ?? 0) * reach;
    const more = (this.#gains[k] ?? 0) - rate;
    if (more > 0) return Math.min(most, more / (this.#falls[k] ?? 1));
    const less = rate - (this.#losses[k] ?? 0);
    return less > 0 ? -Math.min(most, less / (this.#falls[k] ?? 1)) : 0;
  }

  /** Finds the rate at which as much is gained as is lost. */
  #shift(reach: number): void {
    const count = this.#amounts.length;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < count; k += 1) {
      low = Math.min(low, this.#gains[k] ?? 0, this.#losses[k] ?? 0);
      high = Math.max(high, this.#gains[k] ?? 0, this.#losses[k] ?? 0);
    }
    for (let turn = 0; turn < HALVING_COUNT; turn += 1) {
      const rate = (low + high) / 2;
      let sum = 0;
      for (let k = 0; k < count; k += 1) sum += this.#toMove(k, rate, reach);
      if (sum > 0) low = rate;
      else high = rate;
    }
    const rate = (low + high) / 2;
    let sum = 0;
    for (let k = 0; k < count; k += 1) {
      const amount = (this.#amounts[k] ?? 0) + this.#toMove(k, rate, reach);
      this.#wanted[k] = amount;
      sum += amount;
    }
    for (let k = 0; k < count; k += 1)
      this.#wanted[k] = ((this.#wanted[k] ?? 0) * this.#total) / sum;
  }
}
