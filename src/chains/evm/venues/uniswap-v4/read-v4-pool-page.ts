// A V4 pool's whole state, page by page, straight from the PoolManager's storage.

import { intWord } from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { readTickPage, type TickSource } from '../read-tick-page.ts';
import type { VenueProtocol } from '../venue-protocol.ts';
import { hasFixedFee } from './pool-key.ts';
import {
  BITS_128,
  computeEntrySlot,
  computeStateSlot,
  LIQUIDITY_OFFSET,
  parseSlot0,
  readSlots,
  TICK_BITMAP_OFFSET,
  TICKS_OFFSET,
} from './v4-storage.ts';

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

export const readPoolPage: VenueProtocol['readPoolPage'] = async (query, context) => {
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
  const page = await readTickPage(source, terms);
  if (page === null) return null;
  // If a hook sets the fee for each swap, the slot does not hold it.
  const isFixed = hasFixedFee({ ...description, feePips: lpFee }, custody.hooks ?? ZERO_ADDRESS);
  const state = { ...price, liquidity: liquidity & BITS_128 };
  return { ...page, state, feePips: isFixed ? lpFee : null };
};
