// Finds out why no route was found: no market, not enough liquidity, too small an amount, or pools
// that no single router reaches.

import { AppError } from '../../errors/app-error.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import { listOutputFields, OutputPaths } from './exact-out-route.ts';
import { createField, type FieldPlan, HOP_COUNT_MAX } from './route-field.ts';
import { computeAmountInMax } from './route-parts.ts';
import { FREE, findBestSingle } from './route-single.ts';
import type { SearchWork } from './search-work.ts';
import { createRoom } from './trade-cost.ts';
import type { TaxPlan, TradePlan } from './trade-plan.ts';
import { isUntaxed } from './trade-plan.ts';

/**
 * `tooLong`: no route fits into one transaction. The last three: there are routes, but none that
 * can be told what to pay.
 */
export type NoRouteReason =
  | 'tooMuch'
  | 'tooLittle'
  | 'noMarket'
  | 'severalRouters'
  | 'taxedRouter'
  | 'tooLong'
  | 'taxedOutput'
  | 'hookedOutput'
  | 'openOutput';

/** The factor of each step, in bits; enough steps to cross all 256 bits. */
const STEP_BITS = 8n;
const BITS_MAX = 256n;

function findPaths(field: FieldPlan, work: SearchWork): OutputPaths {
  return new OutputPaths(createField(field), { reserveBps: 0, cost: FREE, work });
}

/** Whether a path pays this output or a smaller one. */
function canPaySome(field: FieldPlan, { size }: TradePlan, work: SearchWork): boolean {
  const paths = findPaths(field, work);
  for (let amount = size.amountRaw; amount > 0n; amount >>= STEP_BITS) {
    if (paths.findCheapest(amount) !== null) return true;
  }
  return false;
}

/** Why plans that pay enough cannot be told what to pay. */
function explainOpen(plans: readonly TaxPlan[]): 'hookedOutput' | 'openOutput' {
  const pools = plans.flatMap(({ field }) => field.pools);
  return pools.some(({ pool }) => pool.hook?.class === 'after') ? 'hookedOutput' : 'openOutput';
}

/** If the pools that can be told what to pay have less: whether others have enough. */
function explainShortage(
  able: readonly FieldPlan[],
  untaxed: readonly TaxPlan[],
  canPay: (field: FieldPlan) => boolean,
): NoRouteReason {
  if (able.some(canPay)) return 'tooMuch';
  const enough = untaxed.filter(({ field }) => canPay(field));
  return enough.length === 0 ? 'tooMuch' : explainOpen(enough);
}

/** Why no route pays a given output: the pools have less, or cannot be told what to pay. */
function explainNoOutput(plan: TradePlan, work: SearchWork): NoRouteReason {
  const { hasBytesFor } = createRoom(plan.costs, 'whole');
  const isTooLong = (field: FieldPlan) => {
    const path = findPaths(field, work).findCheapest(plan.size.amountRaw);
    return path !== null && !hasBytesFor(path.edges);
  };
  const paysSome = (field: FieldPlan) => canPaySome(field, plan, work);
  const paysAll = (field: FieldPlan) =>
    findPaths(field, work).findCheapest(plan.size.amountRaw) !== null;
  const untaxed = plan.planLevel('any').filter(({ taxes }) => isUntaxed(taxes));
  const able = untaxed.flatMap(listOutputFields).map(({ field }) => field);
  if (able.some(isTooLong)) return 'tooLong';
  if (able.some(paysSome)) return explainShortage(able, untaxed, paysAll);
  const { all, ofRouters } = plan.planRefusal();
  if (!paysSome(all)) return 'noMarket';
  const open = untaxed.filter(({ field }) => paysSome(field));
  if (open.length > 0) return explainOpen(open);
  return ofRouters === null || ofRouters.some(paysSome) ? 'taxedOutput' : 'severalRouters';
}

type FieldReason = 'tooMuch' | 'tooLittle' | 'tooLong' | 'noMarket';

type Fits = Parameters<typeof findBestSingle>[1]['hasBytesFor'];

/** Tries amounts that could be traded: smaller and larger than requested. */
function explainAmount(
  refusal: FieldPlan,
  amountIn: bigint,
  search: { readonly work: SearchWork; readonly hasBytesFor?: Fits },
): 'tooMuch' | 'tooLittle' | 'noMarket' {
  const most = computeAmountInMax(refusal);
  if (most === null) return 'noMarket';
  const field = createField(refusal);
  const canTrade = (amountIn: bigint) =>
    findBestSingle(field, { ...search, amountIn, hopCountMax: HOP_COUNT_MAX, cost: FREE }) !== null;
  // Amounts above the capacity of all pools need not be tried.
  const isBeyond = amountIn > most;
  const start = isBeyond ? most : amountIn;
  for (let bits = isBeyond ? 0n : STEP_BITS; bits <= BITS_MAX; bits += STEP_BITS) {
    const less = start >> bits;
    if (less > 0n && canTrade(less)) return 'tooMuch';
    const more = start << bits;
    if (!isBeyond && more <= most && canTrade(more)) return 'tooLittle';
    if (less === 0n && (isBeyond || more > most)) break;
  }
  return 'noMarket';
}

/** If no amount can be traded within a transaction: whether a longer one could. */
function explainField(refusal: FieldPlan, plan: TradePlan, work: SearchWork): FieldReason {
  const { amountRaw } = plan.size;
  const { hasBytesFor } = createRoom(plan.costs, 'whole');
  const reason = explainAmount(refusal, amountRaw, { work, hasBytesFor });
  if (reason !== 'noMarket') return reason;
  return explainAmount(refusal, amountRaw, { work }) === 'noMarket' ? 'noMarket' : 'tooLong';
}

/** A reason that a router has counts more than that the pools of all together would do. */
export function explainNoRoute(plan: TradePlan, work: SearchWork): NoRouteReason {
  if (plan.size.fixed === 'output') return explainNoOutput(plan, work);
  const { all, ofRouters, isTaxRefused } = plan.planRefusal();
  const reason = explainField(all, plan, work);
  if (reason === 'noMarket') return reason;
  if (isTaxRefused) return 'taxedRouter';
  if (ofRouters === null) return reason;
  const reasons = ofRouters.map((field) => explainField(field, plan, work));
  const own = reasons.find((one) => one === 'tooMuch') ?? reasons.find((one) => one !== 'noMarket');
  return own ?? 'severalRouters';
}

// The error that says why no route was found.

const OUTPUT_REASONS = {
  taxedOutput: 'a token deducts a part of its transfers',
  hookedOutput: 'hooks of the pools may change what they pay',
  openOutput: 'the exchanges can only be told what is spent',
} as const;

export function refuseRoute(
  reason: NoRouteReason,
  trade: {
    readonly chain: ChainSlug;
    readonly addresses: AddressCodec;
    readonly tokenIn: Address;
    readonly tokenOut: Address;
  },
): AppError {
  const from = trade.addresses.toShown(trade.tokenIn);
  const to = trade.addresses.toShown(trade.tokenOut);
  switch (reason) {
    case 'tooMuch':
      return new AppError('INSUFFICIENT_LIQUIDITY', { from, to });
    case 'tooLittle':
      return new AppError('AMOUNT_TOO_SMALL', { to });
    case 'noMarket':
      return new AppError('NO_MARKET', { chain: trade.chain, from, to });
    case 'tooLong':
      return new AppError('ROUTE_TOO_LONG', { from, to });
    case 'taxedRouter':
      return new AppError('TAX_NOT_SUPPORTED', { chain: trade.chain, from, to });
    case 'severalRouters':
      return new AppError('NO_SINGLE_ROUTER', { chain: trade.chain, from, to });
    default:
      return new AppError('EXACT_OUTPUT_NOT_SUPPORTED', {
        ...{ from, to, reason: OUTPUT_REASONS[reason] },
      });
  }
}
