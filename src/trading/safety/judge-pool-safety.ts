// Converts the views of a round trip to the safety of a pool's two tokens.

import type { RoundTripView, RoundTripViews, SwapMeasure } from '../../chains/chain-nodes.ts';
import { maxOf } from '../../lib/bigint-bounds.ts';
import type { Address, PoolId } from '../../model/ids.ts';
import type { PoolSafety, SideSafety } from '../../model/pool-safety.ts';

/** Not whole, yet less than a basis point: hardly a tax, but no promise to the unit either. */
const TRACE_BPS = 0.01;

/** Rounded, because contracts round differently. */
function computeLossBps(whole: bigint, left: bigint): number | null {
  if (whole === 0n) return null;
  if (left === whole) return 0;
  if (left > whole) return TRACE_BPS;
  const bps = Number(((whole - left) * 20_000n + whole) / (2n * whole));
  return Math.max(TRACE_BPS, bps);
}

/** If the transfer itself was refused, its loss is unknown. */
function computeInLossBps({ isDone, sent, arrived }: SwapMeasure): number | null {
  return !isDone && arrived === 0n ? null : computeLossBps(sent, arrived);
}

/** The worst of several sales; of the smaller ones a unit may be a rounding. */
function computeSalesLossBps(sales: readonly SwapMeasure[]): number | null {
  const largest = sales.map(({ sent }) => sent).reduce(maxOf, 0n);
  const losses = sales.map((sale) => {
    const isRounded = sale.sent < largest && sale.arrived > 0n && sale.arrived < sale.sent;
    return computeInLossBps(isRounded ? { ...sale, arrived: sale.arrived + 1n } : sale);
  });
  return losses.reduce<number | null>(pickWorse, null);
}

function findSellUnits(...sales: readonly SwapMeasure[]): Pick<SideSafety, 'sellUnits'> {
  const units = sales.map(({ unusualUnits }) => unusualUnits).reduce(maxOf, 0n);
  return units === 0n ? {} : { sellUnits: Number(units) };
}

interface TripSides {
  readonly spent: SideSafety;
  readonly bought: SideSafety;
}

const UNKNOWN: SideSafety = { outBps: null, inBps: null, sellable: null };

function judgeSides({ there, back, rest = [] }: RoundTripView): TripSides | null {
  if (there === null) return null;
  const isBought = there.isDone && there.received > 0n;
  const spentIn = { inBps: computeInLossBps(there), sellable: isBought, ...findSellUnits(there) };
  if (!isBought) return { spent: { outBps: null, ...spentIn }, bought: UNKNOWN };
  const outBps = computeLossBps(there.paid, there.received);
  if (back === null) {
    return {
      spent: { outBps: null, ...spentIn },
      bought: { outBps, inBps: null, sellable: false },
    };
  }
  const sales = [back, ...rest];
  const isSold = sales.every(({ isDone, received }) => isDone && received > 0n);
  return {
    spent: { outBps: isSold ? computeLossBps(back.paid, back.received) : null, ...spentIn },
    // The purchase added the stray coins to the reserves; a plain seller would still find them
    // there.
    bought: {
      outBps,
      inBps: pickWorse(computeSalesLossBps(sales), there.stray > 0n ? TRACE_BPS : null),
      sellable: isSold,
      ...findSellUnits(...sales),
    },
  };
}

function pickWorse(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  return b === null ? a : Math.max(a, b);
}

function mergeSides(a: SideSafety, b: SideSafety): SideSafety {
  const sellUnits = Math.max(a.sellUnits ?? 0, b.sellUnits ?? 0);
  return {
    outBps: pickWorse(a.outBps, b.outBps),
    inBps: pickWorse(a.inBps, b.inBps),
    sellable:
      a.sellable === null
        ? b.sellable
        : b.sellable === null
          ? a.sellable
          : a.sellable && b.sellable,
    ...(sellUnits === 0 ? {} : { sellUnits }),
  };
}

/** A contract's trip in one block shows neither what wallets nor what later sales meet. */
function withholdPromise({ spent, bought }: TripSides): TripSides {
  const inBps = pickWorse(bought.inBps, TRACE_BPS);
  const outBps = pickWorse(bought.outBps, TRACE_BPS);
  return { spent, bought: { ...bought, inBps, outBps } };
}

/** The worse of both; but if only a wallet can buy, the contract's view is ignored. */
function mergeViews(views: RoundTripViews, isVouched: boolean): TripSides | null {
  const asContract = views.asContract && judgeSides(views.asContract);
  const asWallet = views.asWallet && judgeSides(views.asWallet);
  if (asContract === null) return asWallet;
  if (asWallet === null) return isVouched ? asContract : withholdPromise(asContract);
  if (asWallet.spent.sellable && !asContract.spent.sellable) return asWallet;
  return {
    spent: mergeSides(asContract.spent, asWallet.spent),
    bought: mergeSides(asContract.bought, asWallet.bought),
  };
}

interface ProbedPool {
  readonly pool: PoolId;
  readonly token0: Address;
  readonly token1: Address;
  /** Whether token 0 was spent and token 1 bought. */
  readonly zeroForOne: boolean;
  /** Whether the chain's family vouches for the token that was bought. */
  readonly isVouched: boolean;
  readonly hookFees: PoolSafety['hookFees'];
  readonly checkedAtMs: number;
}

/** Null if the trip did not reach the pool. */
export function judgePoolSafety(probed: ProbedPool, views: RoundTripViews): PoolSafety | null {
  const { zeroForOne, isVouched, ...rest } = probed;
  const sides = mergeViews(views, isVouched);
  if (sides === null) return null;
  const [side0, side1] = zeroForOne ? [sides.spent, sides.bought] : [sides.bought, sides.spent];
  return { ...rest, side0, side1 };
}
