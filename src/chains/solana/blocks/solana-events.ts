// The events of a block's transactions: what owners gained and lost, and the trades in known pools.

import type { MarketEvent, SwapEvent } from '../../../model/block-events.ts';
import type { Address, PoolId, TransactionId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { BlockFilter } from '../../adapter.ts';
import { parseSignature, toSolanaAddress } from '../data/solana-ids.ts';
import { foldPoolCall } from '../pools/fold-pool-call.ts';
import { foldPoolTrade } from '../pools/fold-pool-trade.ts';
import type { PoolSighting } from '../pools/read-pools.ts';
import type { SolanaBlockTransaction } from '../rpc/parse-solana-block.ts';
import { refuseReply, type SolanaNode } from '../rpc/solana-node.ts';
import type { PoolCall } from '../venues/pool-call.ts';
import type { VenueTrade } from '../venues/venue-trade.ts';
import { decodeTrades } from './decode-trades.ts';
import { type HolderChange, readHolderChanges } from './holder-changes.ts';
import { pairChanges } from './pair-changes.ts';
import type { UndecodedCalls } from './undecoded-calls.ts';

export interface DecodedTransaction {
  readonly txHash: TransactionId;
  /** Who paid for it. */
  readonly wallet: Address;
  readonly trades: readonly PlacedTrade[];
  readonly poolCalls: readonly PoolCall[];
  readonly changes: readonly HolderChange[];
}

interface PlacedTrade extends VenueTrade {
  readonly logIndex: number;
}

/** The most instructions that a transaction executes, its own and inner ones. */
const INSTRUCTIONS_MAX = 64;
/** A call swaps in two pools at most. */
const SWAPS_PER_CALL = 2;
const PLACES_PER_TRANSACTION = INSTRUCTIONS_MAX * (INSTRUCTIONS_MAX + 1) * SWAPS_PER_CALL;

/**
 * Orders swaps by transaction, call and inner call. It depends on nothing but the swap's place in
 * its block, so it is the same whether all of a block is read or a part.
 */
function computeLogIndex(
  index: number,
  place: { readonly outer: number; readonly inner: number; readonly ofCall: number },
): number {
  const { outer, inner, ofCall } = place;
  if (outer >= INSTRUCTIONS_MAX || inner >= INSTRUCTIONS_MAX || ofCall >= SWAPS_PER_CALL) {
    throw new RangeError(`a swap is at the instruction ${outer}.${inner}`);
  }
  const call = outer * (INSTRUCTIONS_MAX + 1) + inner + 1;
  return index * PLACES_PER_TRANSACTION + call * SWAPS_PER_CALL + ofCall;
}

/** Throws a RangeError if a trade is where no transaction can have one. */
function placeTrades(index: number, trades: readonly VenueTrade[]): PlacedTrade[] {
  const swapsOfCall = new Map<string, number>();
  return trades.map((trade) => {
    const { outer, inner } = trade;
    const call = `${outer} ${inner}`;
    const ofCall = swapsOfCall.get(call) ?? 0;
    swapsOfCall.set(call, ofCall + 1);
    return { ...trade, logIndex: computeLogIndex(index, { outer, inner, ofCall }) };
  });
}

type TransactionCalls = Pick<DecodedTransaction, 'trades' | 'poolCalls'>;

/** Anyone can send odd data to a program: it must neither stop the chain nor hide the transfers. */
function readCalls(
  { index, raw }: SolanaBlockTransaction,
  undecoded: UndecodedCalls,
): TransactionCalls {
  try {
    const { trades, poolCalls, unknown } = decodeTrades(raw);
    const placed = placeTrades(index, trades);
    for (const call of unknown) undecoded.add(call);
    return { trades: placed, poolCalls };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    undecoded.add({ venue: 'malformed', discriminator: '' });
    return { trades: [], poolCalls: [] };
  }
}

/** Null if it has nothing of interest. Transactions that cannot be decoded are counted. */
export function decodeTransaction(
  transaction: SolanaBlockTransaction,
  context: { readonly node: Pick<SolanaNode, 'name'>; readonly undecoded: UndecodedCalls },
): DecodedTransaction | null {
  const { node, undecoded } = context;
  const { raw } = transaction;
  try {
    const { trades, poolCalls } = readCalls(transaction, undecoded);
    const changes = readHolderChanges(raw);
    if (trades.length + poolCalls.length + changes.length === 0) return null;
    const txHash = trades[0]?.txHash ?? parseSignature(raw.transaction.signatures[0] ?? '');
    const [payer] = raw.transaction.message.accountKeys;
    if (txHash === null || payer === undefined) throw new RangeError('it has no signature');
    const wallet = toSolanaAddress(payer);
    return { txHash, wallet, trades, poolCalls, changes };
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) {
      return refuseReply(node, `a transaction is malformed: ${error.message}`);
    }
    if (!(error instanceof RangeError)) throw error;
    undecoded.add({ venue: 'malformed', discriminator: '' });
    return null;
  }
}

/** The pools of trades and other calls, with what is known of them. */
export function listNamedPools(
  transactions: readonly DecodedTransaction[],
): Map<PoolId, PoolSighting> {
  const pools = new Map<PoolId, PoolSighting>();
  for (const { trades, poolCalls } of transactions) {
    for (const call of poolCalls) {
      if (call.kind === 'touch' && call.isGuess) continue;
      const known = pools.get(call.pool) ?? {};
      pools.set(call.pool, 'mint' in call ? { mint: call.mint } : known);
    }
    for (const { pool, vaultIn, vaultOut, mintIn, mintOut, sighting } of trades) {
      if (sighting !== undefined) {
        pools.set(pool, { unpriced: sighting });
        continue;
      }
      // Some pools are themselves the vault of what they are paid with.
      const isVault = [vaultIn, vaultOut].some((vault) => (vault as string) === pool);
      const coin = (vaultIn as string) === pool ? mintOut : mintIn;
      pools.set(pool, isVault ? { mint: coin ?? undefined } : (pools.get(pool) ?? {}));
    }
  }
  return pools;
}

/** Signed from the pool's side, in its order; null if the trade is not of its tokens. */
function orderAmounts(
  { mintIn, mintOut, amountIn, amountOut }: VenueTrade,
  { token0, token1 }: PoolDescription,
): Pick<SwapEvent, 'amount0' | 'amount1'> | null {
  const isZeroIn = mintIn === token0 || (mintIn === null && mintOut === token1);
  const [first, second] = isZeroIn ? [token0, token1] : [token1, token0];
  if ((mintIn ?? first) !== first || (mintOut ?? second) !== second) return null;
  if (mintIn === null && mintOut === null) return null;
  return isZeroIn
    ? { amount0: amountIn, amount1: -amountOut }
    : { amount0: -amountOut, amount1: amountIn };
}

interface EventContext {
  find(pool: PoolId): PoolDescription | undefined;
  /** What is wanted; null for all. */
  readonly only: BlockFilter | null;
  /** Quote assets, which bring no pools. */
  readonly quotes: ReadonlySet<Address>;
  /** Pools that were described earlier in the range; grows. */
  readonly described: Set<PoolId>;
  readonly undecoded: UndecodedCalls;
  /** The block's time. */
  readonly nowSeconds: number;
}

function isWanted(description: PoolDescription, { only, quotes }: EventContext): boolean {
  if (only === null || only.pools.has(description.pool)) return true;
  return [description.token0, description.token1].some(
    (token) => only.tokens.has(token) && !quotes.has(token),
  );
}

/** Null if the trade is not of the pool's tokens. */
function buildSwap(
  transaction: Pick<DecodedTransaction, 'txHash' | 'wallet'>,
  trade: PlacedTrade,
  place: {
    readonly index: number;
    readonly description: PoolDescription;
    readonly nowSeconds: number;
  },
): SwapEvent | null {
  const { txHash, wallet } = transaction;
  const { index, description, nowSeconds } = place;
  const amounts = orderAmounts(trade, description);
  if (amounts === null) return null;
  const { pool, logIndex } = trade;
  const moment = { isZeroIn: amounts.amount0 > 0n, nowSeconds };
  const change = foldPoolTrade(trade, description, moment);
  return { kind: 'swap', pool, txHash, logIndex, wallet, index, ...amounts, change };
}

/** What a call other than a swap changes. */
function buildPoolEvents(
  call: PoolCall,
  description: PoolDescription,
  isTraded: boolean,
): MarketEvent[] {
  // The first trade has a later state.
  const change = call.kind === 'birth' && isTraded ? null : foldPoolCall(call, description);
  return change === null ? [] : [{ kind: 'poolChanged', pool: call.pool, change }];
}

type TransactionStep =
  | { readonly call: PoolCall; readonly trade?: undefined }
  | { readonly call?: undefined; readonly trade: PlacedTrade; readonly index: number };

/** In the order of their execution. */
function listSteps({ trades, poolCalls }: DecodedTransaction): TransactionStep[] {
  const steps = [
    ...poolCalls.map((call) => ({ call })),
    ...trades.map((trade, index) => ({ trade, index })),
  ];
  if (poolCalls.length === 0) return steps;
  const placeOf = ({ call, trade }: TransactionStep) => call ?? trade;
  return steps.sort((a, b) => {
    const [first, second] = [placeOf(a), placeOf(b)];
    return first.outer - second.outer || first.inner - second.inner;
  });
}

export function buildTransactionEvents(
  transaction: DecodedTransaction,
  context: EventContext,
): MarketEvent[] {
  const { trades, changes } = transaction;
  const { only, described, undecoded } = context;
  const wanted = only === null ? changes : changes.filter(({ token }) => only.tokens.has(token));
  // A plain transfer does not name its token, so some of a watched one are not found.
  const marks = only === null ? {} : { isSample: true };
  const events: MarketEvent[] = pairChanges(wanted).map((event) => ({ ...event, ...marks }));
  for (const step of listSteps(transaction)) {
    const { call, trade } = step;
    const { pool } = call ?? trade;
    const description = context.find(pool);
    if (description === undefined || !isWanted(description, context)) continue;
    if (call?.kind === 'touch') {
      events.push(...buildPoolEvents(call, description, false));
      continue;
    }
    if (call !== undefined) {
      const isBirth = call.kind === 'birth';
      if (isBirth || !described.has(pool)) {
        events.push({ kind: 'poolCreated', description, complete: false, isBirth });
      }
      described.add(pool);
      const isTraded = trades.some((other) => other.pool === pool);
      events.push(...buildPoolEvents(call, description, isTraded));
      continue;
    }
    const place = { index: step.index, description, nowSeconds: context.nowSeconds };
    const swap = buildSwap(transaction, trade, place);
    if (swap === null) {
      undecoded.add({ venue: trade.venue, discriminator: trade.instruction });
      continue;
    }
    if (!described.has(pool)) {
      described.add(pool);
      events.push({ kind: 'poolCreated', description, complete: false });
    }
    events.push(swap);
  }
  return events;
}
