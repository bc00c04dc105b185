// The PoolManager's storage: `extsload` gives hundreds of slots for one call. The layout is that of
// `StateLibrary` in v4-core.

import { keccak256 } from 'viem/utils';
import type { Address, PoolId } from '../../../../model/ids.ts';
import { encodeCallData, hasWords, uintAt, uintWord } from '../../data/hex-data.ts';
import type { CallContracts } from '../../rpc/multicall.ts';

/** Of `StateView`. */
export const GET_SLOT0_SELECTOR = '0xc815641c';

const EXTSLOAD_SELECTOR = '0xdbd035ff';

const POOLS_SLOT = 6;
export const LIQUIDITY_OFFSET = 3n;
export const TICKS_OFFSET = 4n;
export const TICK_BITMAP_OFFSET = 5n;

/** Slots that are asked for in one call. */
const SLOTS_MAX = 200;
const BITS_24 = 0xff_ffffn;
export const BITS_128 = (1n << 128n) - 1n;
const BITS_160 = (1n << 160n) - 1n;

/** The slot of a mapping's entry. */
export function computeEntrySlot(key: string, slot: bigint | number): bigint {
  return BigInt(keccak256(`0x${key}${uintWord(slot)}`));
}

/** Null if the contract does not answer. */
export async function readSlots(
  poolManager: Address,
  slots: readonly bigint[],
  callContracts: CallContracts,
): Promise<bigint[] | null> {
  const parts: (readonly bigint[])[] = [];
  for (let start = 0; start < slots.length; start += SLOTS_MAX) {
    parts.push(slots.slice(start, start + SLOTS_MAX));
  }
  const answers = await callContracts(
    parts.map((part) => ({
      to: poolManager,
      data: encodeCallData(
        EXTSLOAD_SELECTOR,
        uintWord(0x20),
        uintWord(part.length),
        ...part.map(uintWord),
      ),
    })),
  );
  const values: bigint[] = [];
  for (const [index, part] of parts.entries()) {
    const answer = answers[index] ?? null;
    // An offset and a length come before the words.
    if (answer === null || !hasWords(answer, part.length + 2)) return null;
    for (let word = 0; word < part.length; word += 1) values.push(uintAt(answer, word + 2));
  }
  return values;
}

export function parseSlot0(slot0: bigint) {
  return {
    sqrtPriceX96: slot0 & BITS_160,
    tick: Number(BigInt.asIntN(24, slot0 >> 160n)),
    protocolFee: Number((slot0 >> 184n) & BITS_24),
    lpFee: Number((slot0 >> 208n) & BITS_24),
  };
}

export function computeStateSlot(pool: PoolId): bigint {
  return computeEntrySlot(pool.slice(2), POOLS_SLOT);
}
