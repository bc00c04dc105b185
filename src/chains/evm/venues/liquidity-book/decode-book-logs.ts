// Logs of Liquidity Book's pairs. A swap emits one log for each bin, in a row: they are one trade.
// Amounts of both tokens share a word: X the low half, Y the high one.

import type { BinMove } from '../../../../amm/liquidity-book/liquidity-book-kind.ts';
import type { PoolId } from '../../../../model/ids.ts';
import type { PoolChange } from '../../../../model/pool.ts';
import { toPoolId } from '../../data/evm-ids.ts';
import type { DecodedEvent, DecodedSwap, EvmLog, LogDecoder } from '../../data/evm-log.ts';
import { hasWordAt, hasWords, uintAt } from '../../data/hex-data.ts';
import { buildUnpricedSwap } from '../unpriced-pools.ts';

export const BOOK_SWAP_TOPICS = {
  /** v2.1 and v2.2. */
  bins: '0xad7d6f97abf51ce18e17a38f4d70e975be9c0708474987bb3e26ad21bd93ca70',
  old: '0xc528cda9e500228b16ce84fadae290d9a49aecb17483110004c5af0a07f6fd73',
} as const;
const HALF_BITS = 128n;

interface Amounts {
  readonly x: bigint;
  readonly y: bigint;
}

function amountsAt(data: string, word: number): Amounts {
  const packed = uintAt(data, word);
  return { x: BigInt.asUintN(Number(HALF_BITS), packed), y: packed >> HALF_BITS };
}

/** What the log before tells of the same swap; undefined if this one begins it. */
function findStart(
  { address, txHash, logIndex }: EvmLog,
  isZeroIn: boolean,
  out: readonly DecodedEvent[],
): DecodedSwap | undefined {
  const before = out.at(-1);
  if (before?.kind !== 'swap' || before.pool !== toPoolId(address)) return undefined;
  // Between two swaps of a pair at least one transfer is logged.
  const isNext = before.txHash === txHash && before.logIndex === logIndex - 1;
  return isNext && before.amount0 > 0n === isZeroIn ? before : undefined;
}

const decodeBins: LogDecoder = (log, out) => {
  const { address, topics, data, txHash, logIndex } = log;
  if (topics.length !== 3 || !hasWords(data, 6)) return;
  // What stayed in the bin, fee included, and what of the fee went to the protocol.
  const [kept, paid, protocol] = [1, 2, 5].map((word) => amountsAt(data, word));
  if (kept === undefined || paid === undefined || protocol === undefined) return;
  const isZeroIn = kept.x > 0n;
  if (isZeroIn === kept.y > 0n || (isZeroIn ? paid.x : paid.y) !== 0n) return;
  const move: BinMove = {
    id: Number(uintAt(data, 0)),
    ...{ x: kept.x - paid.x, y: kept.y - paid.y },
  };
  const start = findStart(log, isZeroIn, out);
  const known = start?.change?.poolKind === 'liquidityBook' ? start.change : null;
  const bins = known?.type === 'swapped' ? [...known.bins, move] : [move];
  if (start !== undefined) out.pop();
  out.push({
    // The last log's index: the next bin's follows it.
    ...{ kind: 'swap', txHash, logIndex, pool: toPoolId(address) },
    amount0: (start?.amount0 ?? 0n) + move.x + protocol.x,
    amount1: (start?.amount1 ?? 0n) + move.y + protocol.y,
    change: {
      ...{ poolKind: 'liquidityBook', type: 'swapped', bins },
      volatility: Number(uintAt(data, 3)),
    },
  });
};

/** v2.0: the fee is not in the input. */
const decodeOldSwap: LogDecoder = (log, out) => {
  const { address, topics, data } = log;
  if (topics.length !== 4 || !hasWords(data, 5)) return;
  const isZeroIn = uintAt(data, 0) === 1n;
  const start = findStart(log, isZeroIn, out);
  const [paidBefore = 0n, receivedBefore = 0n] =
    start === undefined
      ? []
      : isZeroIn
        ? [start.amount0, -start.amount1]
        : [start.amount1, -start.amount0];
  const paid = paidBefore + uintAt(data, 1) + uintAt(data, 4);
  const received = receivedBefore + uintAt(data, 2);
  if (start !== undefined) out.pop();
  out.push(buildUnpricedSwap(log, toPoolId(address), { isZeroIn, paid, received }));
};

/** Bins and what each gained or lost; null if the data is no two lists of one length. */
function readMoves(data: string, sign: bigint): BinMove[] | null {
  if (!hasWordAt(data, 2) || uintAt(data, 0) !== 64n) return null;
  const count = Number(uintAt(data, 2));
  if (!hasWords(data, 4 + 2 * count) || uintAt(data, 1) !== BigInt(32 * (3 + count))) return null;
  if (uintAt(data, 3 + count) !== BigInt(count)) return null;
  return Array.from({ length: count }, (_, index) => {
    const { x, y } = amountsAt(data, 4 + count + index);
    return { id: Number(uintAt(data, 3 + index)), x: sign * x, y: sign * y };
  });
}

type Change = Extract<PoolChange, { poolKind: 'liquidityBook' }>;

function push(out: DecodedEvent[], pool: PoolId, change: Change): void {
  out.push({ kind: 'poolChanged', pool, change });
}

function createMoveDecoder(sign: bigint): LogDecoder {
  return ({ address, topics, data }, out) => {
    const bins = topics.length === 3 ? readMoves(data, sign) : null;
    if (bins === null) return;
    push(out, toPoolId(address), { poolKind: 'liquidityBook', type: 'moved', bins });
  };
}

function createChangeDecoder(
  { topicCount, wordCount }: { readonly topicCount: number; readonly wordCount: number },
  read: (data: string) => Change,
): LogDecoder {
  return ({ address, topics, data }, out) => {
    if (topics.length !== topicCount || !hasWords(data, wordCount)) return;
    push(out, toPoolId(address), read(data));
  };
}

/** The fees of a flash loan stay in the active bin, as far as the protocol leaves them there. */
function readLoan(data: string): Change {
  const [fees, protocol] = [amountsAt(data, 2), amountsAt(data, 3)];
  const move = {
    id: Number(uintAt(data, 0)),
    ...{ x: fees.x - protocol.x, y: fees.y - protocol.y },
  };
  return { poolKind: 'liquidityBook', type: 'moved', bins: [move] };
}

export function decodeParameters(data: string, from = 0) {
  const [baseFactor = 0, filterSeconds = 0, decaySeconds = 0, ...rest] = Array.from(
    { length: 7 },
    (_, index) => Number(uintAt(data, from + index)),
  );
  const [reduction = 0, control = 0, protocolShare = 0, volatilityMax = 0] = rest;
  return {
    ...{ baseFactor, filterSeconds, decaySeconds, reduction },
    ...{ control, protocolShare, volatilityMax },
  };
}

/** Its bits 160 and 161: before and after a swap. */
export function isSwapHooked(parameters: bigint): boolean {
  return ((parameters >> 160n) & 3n) !== 0n;
}

export const PAIR_DECODERS: ReadonlyMap<string, LogDecoder> = new Map([
  [BOOK_SWAP_TOPICS.bins, decodeBins],
  // DepositedToBins, WithdrawnFromBins
  ['0x87f1f9dcf5e8089a3e00811b6a008d8f30293a3da878cb1fe8c90ca376402f8a', createMoveDecoder(1n)],
  ['0xa32e146844d6144a22e94c586715a1317d58a8aa3581ec33d040113ddcb24350', createMoveDecoder(-1n)],
  // CompositionFees: what bins gain is in the deposit's log
  [
    '0x3f0b46725027bb418b2005f4683538eccdbcdf1de2b8649a29dbd9c507d16ff4',
    createChangeDecoder({ topicCount: 2, wordCount: 3 }, (data) => ({
      ...{ poolKind: 'liquidityBook', type: 'composed', id: Number(uintAt(data, 0)) },
    })),
  ],
  // FlashLoan
  [
    '0xd126bd9d94daca8e55ffd8283fac05394aec8326c6b1639e1e8a445fbe8bbc7d',
    createChangeDecoder({ topicCount: 3, wordCount: 4 }, readLoan),
  ],
  // StaticFeeParametersSet
  [
    '0xd09e5ddc721ff14c5c1e66a305cbba1fd70b82c5232bc391aad6f55e62e4b046',
    createChangeDecoder({ topicCount: 2, wordCount: 7 }, (data) => ({
      ...{ poolKind: 'liquidityBook', type: 'parameters', set: decodeParameters(data) },
    })),
  ],
  // HooksParametersSet
  [
    '0x4d24d81a1a6e09c37497747b4c9d67d858ce80438b54df0fa361a24dc742d934',
    createChangeDecoder({ topicCount: 2, wordCount: 1 }, (data) => ({
      ...{ poolKind: 'liquidityBook', type: 'hooks', isCalled: isSwapHooked(uintAt(data, 0)) },
    })),
  ],
  // ForcedDecay: the log has the references from before
  [
    '0x282afaeeae84c1d85ad1424a3aa2ddbedaeefca3b1e53d889d15265fe44db7fc',
    createChangeDecoder({ topicCount: 2, wordCount: 2 }, () => ({
      ...{ poolKind: 'liquidityBook', type: 'decayed' },
    })),
  ],
]);

export const OLD_PAIR_DECODERS: ReadonlyMap<string, LogDecoder> = new Map([
  [BOOK_SWAP_TOPICS.old, decodeOldSwap],
]);
