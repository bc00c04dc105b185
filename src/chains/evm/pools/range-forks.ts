// Judges V3-like pools of factories that nobody listed, by what they do: the pool and its factory
// name each other, the pool holds tokens, and it swaps as our maths says on the ticks that it has.

import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import { concentratedKind } from '../../../amm/concentrated/concentrated-kind.ts';
import type { SwapPool } from '../../../amm/swap-pool.ts';
import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolDescriptionOf, PoolRecordOf } from '../../../model/pool.ts';
import type { PoolPage } from '../../adapter.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { toPoolContract } from '../data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  int24At,
  intWord,
  uintAt,
  uintWord,
} from '../data/hex-data.ts';
import type { CallContracts } from '../rpc/multicall.ts';
import { BALANCE_OF_SELECTOR } from '../tokens/read-token-metadata.ts';
import { FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR } from '../venues/factory-pools.ts';
import { FORK_VENUE_PREFIXES } from '../venues/owns-venue.ts';
import {
  FEE_SELECTOR,
  GET_POOL_BY_SPACING_SELECTOR,
  GET_POOL_SELECTOR,
  TICK_SPACING_SELECTOR,
} from '../venues/uniswap-v3/pool-selectors.ts';
import { uniswapV3 } from '../venues/uniswap-v3/uniswap-v3.ts';
import { toRangeDetails } from '../venues/uniswap-v3/v3-layouts.ts';
import { ForkVerdicts } from './fork-verdicts.ts';
import { probeRange, type RangeVerdict } from './probe-range.ts';

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

interface RangeJudging {
  readonly client: RpcClient;
  readonly block: number;
  readonly signal: AbortSignal;
  readonly callContracts: CallContracts;
  /** Null for an address without code. */
  readCodes(addresses: readonly Address[]): Promise<(Hex | null)[]>;
}

interface RangeClaim {
  readonly contract: Address;
  readonly factory: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly feePips: number;
  readonly tickSpacing: number;
}

type RangeOutcome =
  | { readonly kind: 'accepted'; readonly description: PoolDescriptionOf<'concentrated'> }
  | { readonly kind: 'refused' | 'notNow' | 'unable' };

const REFUSED = { kind: 'refused' } as const;
const NOT_NOW = { kind: 'notNow' } as const;

function parseClaim(contract: Address, answers: readonly (string | null)[]): RangeClaim | null {
  const words = answers.flatMap((one) => (one !== null && hasWords(one, 1) ? [one] : []));
  const [factory, token0, token1, fee, spacing] = words;
  if (words.length < ASKS.length || !factory || !token0 || !token1 || !fee || !spacing) return null;
  const tickSpacing = int24At(spacing, 0);
  if (uintAt(fee, 0) >= PIPS || tickSpacing < 1 || tickSpacing > SPACING_MAX) return null;
  const claim = {
    ...{ contract, factory: decodeAddressAt(factory, 0), feePips: Number(uintAt(fee, 0)) },
    ...{ token0: decodeAddressAt(token0, 0), token1: decodeAddressAt(token1, 0), tickSpacing },
  };
  return claim.token0 < claim.token1 ? claim : null;
}

/** The code without what differs between the pools of a factory. */
function maskCode(code: Hex, claim: RangeClaim): Hex {
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
  context: { readonly deployment: EvmDeployment; readonly callContracts: CallContracts },
): Promise<SwapPool | 'tooMany' | null> {
  const ticks: PoolPage['ticks'][number][] = [];
  let covered: PoolPage['covered'] = null;
  for (let count = 0; count < PAGES_MAX; count += 1) {
    const query = { description, covered, callCountMax: WORD_COUNT_MAX };
    const sized = { ...query, wordCountMax: WORD_COUNT_MAX };
    const page: PoolPage | null = await uniswapV3.readPoolPage(sized, context);
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

export class RangeForks {
  readonly #deployment: EvmDeployment;
  readonly #listed: ReadonlySet<Address>;
  readonly #verdicts = new ForkVerdicts<RangeVerdict>();

  constructor(deployment: EvmDeployment, listed: ReadonlySet<Address>) {
    this.#deployment = deployment;
    this.#listed = listed;
  }

  forgetAbove(position: number): void {
    this.#verdicts.forgetAbove(position);
  }

  async judge(pool: PoolId, judging: RangeJudging): Promise<RangeOutcome> {
    const contract = toPoolContract(pool);
    const asks = ASKS.map((data) => ({ to: contract, data }));
    const claim = parseClaim(contract, await judging.callContracts(asks));
    if (claim === null || this.#listed.has(claim.factory)) return REFUSED;
    const { factory, token0, token1 } = claim;
    const held = await this.#readHeld(claim, judging);
    if (held === null) return NOT_NOW;
    if (!(await this.#isNamed(claim, judging))) return REFUSED;
    const description = {
      ...{ pool, vault: contract, token0, token1 },
      ...{ venue: `${FORK_VENUE_PREFIXES.ranges}${factory}`, ...toRangeDetails(claim) },
    } as PoolDescriptionOf<'concentrated'>;
    const verdict = await this.#findVerdict(description, { claim, held }, judging);
    return verdict.kind === 'same' ? { kind: 'accepted', description } : verdict;
  }

  /** Some forks name a pool by its fee, others by its spacing. */
  async #isNamed(claim: RangeClaim, { callContracts }: RangeJudging): Promise<boolean> {
    const { factory: to, token0, token1, feePips, tickSpacing, contract } = claim;
    const tokens = [addressWord(token0), addressWord(token1)];
    const answers = await callContracts([
      { to, data: encodeCallData(GET_POOL_SELECTOR, ...tokens, uintWord(feePips)) },
      { to, data: encodeCallData(GET_POOL_BY_SPACING_SELECTOR, ...tokens, intWord(tickSpacing)) },
    ]);
    return answers.some(
      (one) => one !== null && hasWords(one, 1) && decodeAddressAt(one, 0) === contract,
    );
  }

  /** Null if it holds hardly anything: the probe replaces its tokens, so it would not show that. */
  async #readHeld({ contract, token0, token1 }: RangeClaim, { callContracts }: RangeJudging) {
    const data = encodeCallData(BALANCE_OF_SELECTOR, addressWord(contract));
    const answers = await callContracts([token0, token1].map((to) => ({ to, data })));
    const [balance0 = 0n, balance1 = 0n] = answers.map((one) =>
      one !== null && hasWords(one, 1) ? uintAt(one, 0) : 0n,
    );
    return balance0 < HELD_MIN || balance1 < HELD_MIN ? null : { balance0, balance1 };
  }

  async #findVerdict(
    description: PoolDescriptionOf<'concentrated'>,
    found: { claim: RangeClaim; held: { balance0: bigint; balance1: bigint } },
    judging: RangeJudging,
  ): Promise<RangeVerdict> {
    const { claim, held } = found;
    const { contract: pool, factory, token0, token1 } = claim;
    const { block, signal, callContracts, client } = judging;
    const [code = null, ...ofTokens] = await judging.readCodes([pool, token0, token1]);
    if (code === null || ofTokens.includes(null)) return REFUSED;
    const key = `${factory} ${keccak256(maskCode(code, claim))}`;
    const known = this.#verdicts.find(key);
    if (known !== undefined) return known;
    const curve = await readCurve(description, { deployment: this.#deployment, callContracts });
    // A pool with too many ticks to read says nothing about its code.
    if (curve === 'tooMany') return NOT_NOW;
    const verdict: RangeVerdict =
      curve === null
        ? REFUSED
        : await probeRange({ pool, token0, token1, ...held, curve }, { client, block, signal });
    // Its block may have been reorganised away meanwhile.
    signal.throwIfAborted();
    if (verdict.kind === 'unable' || verdict.kind === 'notNow') return verdict;
    return this.#verdicts.keep(key, verdict, { pool, block }) ? verdict : NOT_NOW;
  }
}
