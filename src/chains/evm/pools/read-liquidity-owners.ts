// Who owns the shares of pairs: what lies at burn addresses and in known lockers, all of one block.

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

/** What a locker holds of a pair's shares that cannot be taken out yet. */
async function readShare(
  { locker, shares, heldRaw }: { locker: EvmLocker; shares: Address; heldRaw: bigint },
  { call, nowS }: { readonly call: CallContracts; readonly nowS: bigint },
): Promise<LockerShare> {
  const { address: to, listsLocks } = locker;
  const untold = { locker, raw: heldRaw, untilMs: null };
  if (!listsLocks) return untold;
  const ask = { to, data: encodeCallData(LOCK_COUNT_SELECTOR, addressWord(shares)) };
  const count = decodeUint((await call([ask]))[0] ?? null);
  if (count === null || count > LOCKS_MAX) return untold;
  const answers = await call(
    Array.from({ length: Number(count) }, (_, index) => ({
      to,
      data: encodeCallData(TOKEN_LOCKS_SELECTOR, addressWord(shares), uintWord(index)),
    })),
  );
  const locks = answers.flatMap((answer) => {
    if (answer === null || !hasWords(answer, LOCK_WORDS)) return [];
    return [{ raw: uintAt(answer, AMOUNT_WORD), untilS: uintAt(answer, UNLOCK_WORD) }];
  });
  if (locks.length < answers.length) return untold;
  const open = locks.filter(({ untilS }) => untilS > nowS);
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
