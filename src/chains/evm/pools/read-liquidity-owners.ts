// Who owns the shares of pairs: what lies at burn addresses and in known lockers, all of one block.

import type { Hex } from 'viem';
import { decodeAbiParameters, parseAbiParameters } from 'viem/utils';
import type { Address } from '../../../model/ids.ts';
import type { LiquidityOwners } from '../../../model/liquidity-owners.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { BURN_ADDRESSES } from '../data/burn-addresses.ts';
import { addressWord, encodeCallData, hasWords, uintAt, uintWord } from '../data/hex-data.ts';
import { type CallContracts, callContracts } from '../rpc/multicall.ts';
import { decodeUint, readBalances, readContractSupplies } from '../tokens/read-token-metadata.ts';
import type { EvmLocker } from './lockers.ts';

/** Of Multicall3: the block that it runs in. */
export const GET_BLOCK_NUMBER_SELECTOR = '0x42cbb15c';
export const GET_BLOCK_TIME_SELECTOR = '0x0f28c97d';
/** Of UNCX's lockers of version 2: `(lockDate, amount, initialAmount, unlockDate, id, owner)`. */
export const LOCK_COUNT_SELECTOR = '0x1f2a1d2f';
export const TOKEN_LOCKS_SELECTOR = '0xccebfa3f';
/** Of PinkLock's. */
export const PINK_COUNT_SELECTOR = '0xe3676f88';
export const PINK_LOCKS_SELECTOR = '0x332f26d7';
const PINK_LOCKS_1 = parseAbiParameters([
  'Lock[] locks',
  'struct Lock { uint256 id; address token; address owner; uint256 amount; uint256 lockDate; uint256 unlockDate; }',
]);
const PINK_LOCKS_2 = parseAbiParameters([
  'Lock[] locks',
  'struct Lock { uint256 id; address token; address owner; uint256 amount; uint256 lockDate; uint256 tgeDate; uint256 tgeBps; uint256 cycle; uint256 cycleBps; uint256 unlockedAmount; string description; }',
]);
type PinkLock = Record<
  'amount' | 'tgeDate' | 'tgeBps' | 'cycle' | 'cycleBps' | 'unlockedAmount',
  bigint
>;
const BPS = 10_000n;

const LOCK_WORDS = 6;
const AMOUNT_WORD = 1;
const UNLOCK_WORD = 3;
/** Of more locks it is not said when they end. */
const LOCKS_MAX = 20n;
const MS_PER_SECOND = 1000;
/** A time beyond this is no time: a lock that never ends. */
const UNTIL_MAX_S = 10n ** 11n;

interface LockerShare {
  readonly locker: EvmLocker;
  readonly raw: bigint;
  /** Null if the locker does not tell. */
  readonly untilMs: number | null;
}

/** What of it cannot be taken out yet, and when the next part can. */
interface OpenLock {
  readonly raw: bigint;
  readonly untilS: bigint;
}

interface LocksQuery {
  readonly to: Address;
  readonly shares: Address;
  readonly call: CallContracts;
  readonly nowS: bigint;
}

/** Null if it cannot be told. */
type ReadLocks = (query: LocksQuery) => Promise<readonly OpenLock[] | null>;

async function countLocks({ to, shares, call }: LocksQuery, selector: string) {
  const ask = { to, data: encodeCallData(selector, addressWord(shares)) };
  const count = decodeUint((await call([ask]))[0] ?? null);
  return count === null || count > LOCKS_MAX ? null : Number(count);
}

const readUncxLocks: ReadLocks = async (query) => {
  const { to, shares, call } = query;
  const count = await countLocks(query, LOCK_COUNT_SELECTOR);
  if (count === null) return null;
  const answers = await call(
    Array.from({ length: count }, (_, index) => ({
      to,
      data: encodeCallData(TOKEN_LOCKS_SELECTOR, addressWord(shares), uintWord(index)),
    })),
  );
  const locks = answers.flatMap((answer) => {
    if (answer === null || !hasWords(answer, LOCK_WORDS)) return [];
    return [{ raw: uintAt(answer, AMOUNT_WORD), untilS: uintAt(answer, UNLOCK_WORD) }];
  });
  return locks.length < answers.length ? null : locks;
};

/** After the first part, one more part with each cycle; without parts all of it at once. */
function findVestedLock(lock: PinkLock, nowS: bigint): OpenLock {
  const { amount, tgeDate, tgeBps, cycle, cycleBps, unlockedAmount } = lock;
  if (nowS < tgeDate) return { raw: amount - unlockedAmount, untilS: tgeDate };
  if (tgeBps === 0n || cycle === 0n) return { raw: 0n, untilS: tgeDate };
  const cycles = (nowS - tgeDate) / cycle;
  const due = (amount * tgeBps) / BPS + cycles * ((amount * cycleBps) / BPS);
  const gone = due > unlockedAmount ? due : unlockedAmount;
  return { raw: gone < amount ? amount - gone : 0n, untilS: tgeDate + (cycles + 1n) * cycle };
}

function decodePinkLocks(answer: Hex, count: number, nowS: bigint): OpenLock[] {
  // The structs of version 1 are of fixed length: nothing stands between and behind them.
  if (hasWords(answer, 2 + count * LOCK_WORDS)) {
    const [locks] = decodeAbiParameters(PINK_LOCKS_1, answer);
    return locks.map(({ amount, unlockDate }) => ({ raw: amount, untilS: unlockDate }));
  }
  const [locks] = decodeAbiParameters(PINK_LOCKS_2, answer);
  return locks.map((lock) => findVestedLock(lock, nowS));
}

const readPinkLocks: ReadLocks = async (query) => {
  const { to, shares, call, nowS } = query;
  const count = await countLocks(query, PINK_COUNT_SELECTOR);
  if (count === null || count === 0) return count === null ? null : [];
  const words = [addressWord(shares), uintWord(0), uintWord(count - 1)];
  const [answer = null] = await call([{ to, data: encodeCallData(PINK_LOCKS_SELECTOR, ...words) }]);
  try {
    return answer === null ? null : decodePinkLocks(answer as Hex, count, nowS);
  } catch {
    // Not a list of locks.
    return null;
  }
};

const READERS = { uncx: readUncxLocks, pink: readPinkLocks } as const;

/** What a locker holds of a pair's shares that cannot be taken out yet. */
async function readShare(
  { locker, shares, heldRaw }: { locker: EvmLocker; shares: Address; heldRaw: bigint },
  { call, nowS }: { readonly call: CallContracts; readonly nowS: bigint },
): Promise<LockerShare> {
  const { address: to, tells } = locker;
  const locks = tells === null ? null : await READERS[tells]({ to, shares, call, nowS });
  if (locks === null) return { locker, raw: heldRaw, untilMs: null };
  const open = locks.filter(({ raw, untilS }) => raw > 0n && untilS > nowS);
  const raw = open.reduce((sum, lock) => sum + lock.raw, 0n);
  const first = open.map(({ untilS }) => untilS).sort((a, b) => (a < b ? -1 : 1))[0] ?? null;
  const untilMs = first === null || first > UNTIL_MAX_S ? null : Number(first) * MS_PER_SECOND;
  return { locker, raw: raw < heldRaw ? raw : heldRaw, untilMs };
}

interface OwnersQuery {
  /** The tokens of the pairs' shares; null for a pool without one. */
  readonly shares: readonly (Address | null)[];
  readonly lockers: readonly EvmLocker[];
  /** Null if the chain has none: then nothing is read. */
  readonly multicall3: Address | null;
}

/** Null for a pool without shares, or whose contract does not answer. */
export async function readLiquidityOwners(
  client: Pick<RpcClient, 'at'>,
  { shares, lockers, multicall3 }: OwnersQuery,
  signal: AbortSignal,
): Promise<(LiquidityOwners | null)[]> {
  const nothing = shares.map(() => null);
  if (multicall3 === null || shares.every((one) => one === null)) return nothing;
  const selectors = [GET_BLOCK_NUMBER_SELECTOR, GET_BLOCK_TIME_SELECTOR];
  const now = await callContracts(
    selectors.map((data) => ({ to: multicall3, data })),
    { client, multicall3, block: null, signal },
  );
  const [block = null, nowS = null] = now.map(decodeUint);
  if (block === null || nowS === null) return nothing;
  const at = { client, multicall3, block: Number(block), minBlock: Number(block), signal };
  const call: CallContracts = (calls) => callContracts(calls, at);
  const burns = [...BURN_ADDRESSES];
  const owners = [...burns, ...lockers.map(({ address }) => address)];
  const readOne = async (token: Address): Promise<LiquidityOwners | null> => {
    const [supply] = await readContractSupplies([token], call);
    const held = await readBalances(
      owners.map((owner) => ({ token, owner })),
      call,
    );
    const sharesRaw = supply?.supplyRaw ?? null;
    if (sharesRaw === null || sharesRaw === 0n || held.includes(null)) return null;
    const sum = (amounts: readonly (bigint | null)[]) =>
      amounts.reduce<bigint>((total, one) => total + (one ?? 0n), 0n);
    const locks = await Promise.all(
      lockers.flatMap((locker, index) => {
        const heldRaw = held[burns.length + index] ?? 0n;
        return heldRaw === 0n
          ? []
          : [readShare({ locker, shares: token, heldRaw }, { call, nowS })];
      }),
    );
    const locked = locks.filter(({ raw }) => raw > 0n);
    const ends = locked.map(({ untilMs }) => untilMs);
    return {
      ...{ sharesRaw, burnedRaw: sum(held.slice(0, burns.length)), block: Number(block) },
      lockedRaw: sum(locked.map(({ raw }) => raw)),
      lockers: locked.map(({ locker: { name, address } }) => ({ name, address })),
      untilMs: ends.length === 0 || ends.includes(null) ? null : Math.min(...(ends as number[])),
    };
  };
  return Promise.all(shares.map((token) => (token === null ? null : readOne(token))));
}
