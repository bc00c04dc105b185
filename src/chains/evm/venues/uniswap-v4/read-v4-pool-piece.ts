// A V4 pool's whole state, piece by piece, straight from the PoolManager's storage: `extsload`
// gives hundreds of slots for one call. The layout is that of `StateLibrary` in v4-core.

import { keccak256 } from 'viem/utils';
import type { Address, PoolId } from '../../../../model/ids.ts';
import { readTickPiece, type TickSource } from '../../adopt/read-tick-piece.ts';
import { encodeCallData, hasWords, intWord, uintAt, uintWord } from '../../hex-data.ts';
import { hasFixedFee } from '../../pools/pool-reference.ts';
import { ZERO_ADDRESS } from '../../zero-address.ts';
import type { CallContracts, VenueProtocol } from '../venue-protocol.ts';

const EXTSLOAD_SELECTOR = '0xdbd035ff';

const POOLS_SLOT = 6;
const LIQUIDITY_OFFSET = 3n;
const TICKS_OFFSET = 4n;
const TICK_BITMAP_OFFSET = 5n;

/** Slots that are asked for in one call. */
const SLOTS_MAX = 200;
const BITS_24 = 0xff_ffffn;
const BITS_128 = (1n << 128n) - 1n;
const BITS_160 = (1n << 160n) - 1n;

/** The slot of a mapping's entry. */
function computeEntrySlot(key: string, slot: bigint | number): bigint {
  return BigInt(keccak256(`0x${key}${uintWord(slot)}`));
}

/** Null if the contract does not answer. */
async function readSlots(
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

function createTickSource(
  stateSlot: bigint,
  readAll: (slots: readonly bigint[]) => Promise<bigint[] | null>,
): TickSource {
  return {
    async readWords(words) {
      const slots = words.map((word) =>
        computeEntrySlot(intWord(word), stateSlot + TICK_BITMAP_OFFSET),
      );
      return (await readAll(slots)) ?? words.map(() => null);
    },
    async readTicks(ticks) {
      const slots = ticks.map((tick) => computeEntrySlot(intWord(tick), stateSlot + TICKS_OFFSET));
      const values = (await readAll(slots)) ?? ticks.map(() => null);
      return values.map((value) =>
        value === null
          ? null
          : {
              liquidityGross: value & BITS_128,
              liquidityNet: BigInt.asIntN(128, value >> 128n),
            },
      );
    },
  };
}

function parseSlot0(slot0: bigint) {
  return {
    sqrtPriceX96: slot0 & BITS_160,
    tick: Number(BigInt.asIntN(24, slot0 >> 160n)),
    protocolFee: Number((slot0 >> 184n) & BITS_24),
    lpFee: Number((slot0 >> 208n) & BITS_24),
  };
}

function computeStateSlot(pool: PoolId): bigint {
  return computeEntrySlot(pool.slice(2), POOLS_SLOT);
}

export const readPoolPiece: VenueProtocol['readPoolPiece'] = async (query, context) => {
  const { description, covered, wordCountMax } = query;
  const { v4 } = context.deployment;
  if (v4 === null || description.kind !== 'concentrated') return null;
  const { tickSpacing, custody } = description.terms;
  if (custody.kind !== 'singleton') return null;
  const stateSlot = computeStateSlot(description.pool);
  const readAll = (slots: readonly bigint[]) =>
    readSlots(v4.poolManager, slots, context.callContracts);
  const [slot0, liquidity] = (await readAll([stateSlot, stateSlot + LIQUIDITY_OFFSET])) ?? [];
  if (slot0 === undefined || liquidity === undefined) return null;
  const { lpFee, ...price } = parseSlot0(slot0);
  // A pool that was never initialised has no price.
  if (price.sqrtPriceX96 === 0n) return null;
  const source = createTickSource(stateSlot, readAll);
  const terms = { tick: price.tick, tickSpacing, covered, wordCountMax };
  const piece = await readTickPiece(source, terms);
  if (piece === null) return null;
  // If a hook sets the fee for each swap, the slot does not hold it.
  const isFixed = hasFixedFee({ ...description, feePips: lpFee }, custody.hooks ?? ZERO_ADDRESS);
  const state = { ...price, liquidity: liquidity & BITS_128 };
  return { ...piece, state, feePips: isFixed ? lpFee : null };
};
