// Judges V3-like pools of factories that nobody listed, by what they do: the pool and its factory
// name each other, the pool holds tokens, and it swaps as our maths says on the ticks that it has.

import type { Hex } from 'viem';
import { concentratedKind } from '../../../../amm/concentrated/concentrated-kind.ts';
import type { SwapPool } from '../../../../amm/swap-pool.ts';
import type { Address } from '../../../../model/ids.ts';
import type { PoolDescriptionOf, PoolRecordOf } from '../../../../model/pool.ts';
import type { PoolPage } from '../../../adapter.ts';
import { toPoolContract } from '../../data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  int24At,
  intWord,
  uintAt,
  uintWord,
} from '../../data/hex-data.ts';
import type { CallContracts } from '../../rpc/multicall.ts';
import { BALANCE_OF_SELECTOR } from '../../tokens/read-token-metadata.ts';
import { FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR } from '../factory-pools.ts';
import { type ForkJudging, type ForkProtocol, NOT_NOW, REFUSED } from '../fork-protocol.ts';
import { listRangeSwaps } from './decode-uniswap-v3.ts';
import {
  FEE_SELECTOR,
  GET_POOL_BY_SPACING_SELECTOR,
  GET_POOL_SELECTOR,
  TICK_SPACING_SELECTOR,
} from './pool-selectors.ts';
import { probeRange } from './probe-range.ts';
import { readPoolPage } from './read-v3-pool-page.ts';
import { toRangeDetails } from './v3-layouts.ts';

const PIPS = 1_000_000n;
const SPACING_MAX = 16_384;
/** A pool that holds less is not probed: its swaps would be too small to compare. */
const HELD_MIN = 10n ** 9n;
const WORD_COUNT_MAX = 200;
/** Enough for the whole bitmap of a pool with a tick spacing of 1. */
const PAGES_MAX = 40;
/** An immutable in a contract's code: the byte that puts 32 bytes on the stack, and those. */
const PUSHED_WORD = /7f([0-9a-f]{64})/g;
const ASKS = [
  ...[FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR, FEE_SELECTOR, TICK_SPACING_SELECTOR],
];

interface ClaimedRange {
  readonly contract: Address;
  readonly factory: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly feePips: number;
  readonly tickSpacing: number;
}

function parseRange(contract: Address, answers: readonly (string | null)[]): ClaimedRange | null {
  const words = answers.flatMap((one) => (one !== null && hasWords(one, 1) ? [one] : []));
  const [factory, token0, token1, fee, spacing] = words;
  if (words.length < ASKS.length || !factory || !token0 || !token1 || !fee || !spacing) return null;
  const tickSpacing = int24At(spacing, 0);
  if (uintAt(fee, 0) >= PIPS || tickSpacing < 1 || tickSpacing > SPACING_MAX) return null;
  const found = {
    ...{ contract, factory: decodeAddressAt(factory, 0), feePips: Number(uintAt(fee, 0)) },
    ...{ token0: decodeAddressAt(token0, 0), token1: decodeAddressAt(token1, 0), tickSpacing },
  };
  return found.token0 < found.token1 ? found : null;
}

/** The code without what differs between the pools of a factory. */
function maskCode(code: Hex, claim: ClaimedRange): Hex {
  const { contract, factory, token0, token1, feePips, tickSpacing } = claim;
  const own = new Set([
    ...[contract, factory, token0, token1].map(addressWord),
    ...[uintWord(feePips), uintWord(tickSpacing)],
    // What a tick may hold at most follows from the spacing.
    uintWord(((1n << 128n) - 1n) / (2n * BigInt(Math.floor(887_272 / tickSpacing)) + 1n)),
  ]);
  const masked = code
    .slice(2)
    .replaceAll(PUSHED_WORD, (text, word: string) =>
      own.has(word) ? `7f${'0'.repeat(64)}` : text,
    );
  return `0x${masked}`;
}

/** The pool with all its ticks; null if it does not answer like one. */
async function readCurve(
  description: PoolDescriptionOf<'concentrated'>,
  context: Pick<ForkJudging, 'deployment' | 'callContracts'>,
): Promise<SwapPool | 'tooMany' | null> {
  const ticks: PoolPage['ticks'][number][] = [];
  let covered: PoolPage['covered'] = null;
  for (let count = 0; count < PAGES_MAX; count += 1) {
    const query = { description, covered, callCountMax: WORD_COUNT_MAX };
    const sized = { ...query, wordCountMax: WORD_COUNT_MAX };
    const page: PoolPage | null = await readPoolPage(sized, context);
    if (page === null) return null;
    ticks.push(...page.ticks);
    covered = page.covered;
    if (!page.isLast) continue;
    const sorted = ticks.toSorted((a, b) => a.tick - b.tick);
    const state = concentratedKind.assembleState(page.state as never, sorted);
    if (state === null) return null;
    const row = { ...description, state, complete: true } as PoolRecordOf<'concentrated'>;
    const rows = sorted.map((tick) => ({ ...tick, pool: description.pool }));
    return concentratedKind.createSwapPool(row, rows, undefined);
  }
  return 'tooMany';
}

/** Some forks name a pool by its fee, others by its spacing. */
async function isNamed(range: ClaimedRange, callContracts: CallContracts): Promise<boolean> {
  const { factory: to, token0, token1, feePips, tickSpacing, contract } = range;
  const tokens = [addressWord(token0), addressWord(token1)];
  const answers = await callContracts([
    { to, data: encodeCallData(GET_POOL_SELECTOR, ...tokens, uintWord(feePips)) },
    { to, data: encodeCallData(GET_POOL_BY_SPACING_SELECTOR, ...tokens, intWord(tickSpacing)) },
  ]);
  return answers.some(
    (one) => one !== null && hasWords(one, 1) && decodeAddressAt(one, 0) === contract,
  );
}

async function readHeld(
  { contract, token0, token1 }: ClaimedRange,
  callContracts: CallContracts,
): Promise<{ readonly balance0: bigint; readonly balance1: bigint }> {
  const data = encodeCallData(BALANCE_OF_SELECTOR, addressWord(contract));
  const answers = await callContracts([token0, token1].map((to) => ({ to, data })));
  const [balance0 = 0n, balance1 = 0n] = answers.map((one) =>
    one !== null && hasWords(one, 1) ? uintAt(one, 0) : 0n,
  );
  return { balance0, balance1 };
}

export const RANGE_FORKS: ForkProtocol = {
  prefix: 'v3-like:',
  listSwapped: listRangeSwaps,
  async readClaim(pool, judging) {
    const { callContracts } = judging;
    const contract = toPoolContract(pool);
    const asks = ASKS.map((data) => ({ to: contract, data }));
    const range = parseRange(contract, await callContracts(asks));
    if (range === null) return null;
    const { factory, token0, token1 } = range;
    return {
      ...{ factory, token0, token1 },
      async confirm() {
        const held = await readHeld(range, callContracts);
        if (held.balance0 < HELD_MIN || held.balance1 < HELD_MIN) return NOT_NOW;
        if (!(await isNamed(range, callContracts))) return REFUSED;
        const details = toRangeDetails(range);
        return {
          kind: 'confirmed',
          maskCode: (code) => maskCode(code, range),
          async probe() {
            const venue = `${RANGE_FORKS.prefix}${factory}`;
            const place = { pool, vault: contract, token0, token1, venue };
            const description = { ...place, ...details } as PoolDescriptionOf<'concentrated'>;
            const curve = await readCurve(description, judging);
            // A pool with too many ticks to read says nothing about its code.
            if (curve === 'tooMany') return NOT_NOW;
            if (curve === null) return REFUSED;
            return await probeRange({ pool: contract, token0, token1, ...held, curve }, judging);
          },
          toDetails: () => details,
        };
      },
    };
  },
};
