// Judges pools of factories that nobody listed, by what they do. A pair and its factory name each
// other, the pair holds its reserves, and it swaps like a constant product with one fee; what is no
// pair may be like a pool of V3 (`range-forks.ts`). What pools of one factory with the same code do
// is found out once (`fork-verdicts.ts`).

import type { Hex } from 'viem';
import { decodeFunctionResult, encodeFunctionData, keccak256, parseAbi } from 'viem/utils';
import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { toPoolContract } from '../data/evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  toQuantity,
  uintAt,
} from '../data/hex-data.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { type ContractCall, callContracts } from '../rpc/multicall.ts';
import { BALANCE_OF_SELECTOR } from '../tokens/read-token-metadata.ts';
import { FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR } from '../venues/factory-pools.ts';
import { FORK_VENUE_PREFIXES } from '../venues/owns-venue.ts';
import { GET_PAIR_SELECTOR, GET_RESERVES_SELECTOR } from '../venues/uniswap-v2/pair-selectors.ts';
import { callProbe, INABILITY, type ProbeNode } from './call-probe.ts';
import { CODE as FORK_PROBE_CODE } from './fork-probe.gen.ts';
import { ForkVerdicts } from './fork-verdicts.ts';
import { RangeForks } from './range-forks.ts';

// Finds out what an unknown V2-like pair charges, by swapping in it: the node runs the pair's own
// code with fake tokens in place of its tokens, and our probe as the trader. Nothing is sent.
//
// For three sizes in both directions the probe searches the largest output that the pair lets out.
// Only a pair whose outputs all fit one fee is a constant product; any other is refused.

interface ProbedPair {
  readonly pair: Address;
  readonly token0: Address;
  readonly token1: Address;
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

/** `unable`: the node cannot run the probe, so nothing is known. */
type PairVerdict =
  | { readonly kind: 'fee'; readonly feePips: number }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unable' };

const ABI = parseAbi([
  'struct Try { address pair; address tokenIn; bool zeroForOne; uint256 amountIn; }',
  'function maxOut(Try one, uint256 reserveOut) returns (uint256 best, uint256 reserve0, uint256 reserve1)',
]);
/** A search takes some 110 tries of a swap. */
const GAS = '0x1c9c380';
const DIVISORS = [1n, 7n, 1000n];
const PIPS = 1_000_000n;
const FEE_MAX = 100_000;
const FEE_STEP = 10;
const SIDES = [true, false];

interface Sample {
  readonly zeroForOne: boolean;
  readonly amountIn: bigint;
  readonly reserveIn: bigint;
  readonly reserveOut: bigint;
}

function listSamples({ reserve0, reserve1 }: ProbedPair): Sample[] {
  return SIDES.flatMap((zeroForOne) => {
    const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0];
    return DIVISORS.map((divisor) => ({
      ...{ zeroForOne, reserveIn, reserveOut, amountIn: reserveIn / divisor },
    }));
  });
}

/** Null if the pair let nothing out; throws if the node cannot tell. */
async function measure(
  { pair, token0, token1, reserve0, reserve1 }: ProbedPair,
  { zeroForOne, amountIn, reserveIn, reserveOut }: Sample,
  node: ProbeNode,
): Promise<bigint | null> {
  const tokenIn = (zeroForOne ? token0 : token1) as Hex;
  const args = [{ pair: pair as Hex, tokenIn, zeroForOne, amountIn }, reserveOut] as const;
  const data = encodeFunctionData({ abi: ABI, functionName: 'maxOut', args });
  const held = [[token0, reserve0] as const, [token1, reserve1] as const];
  const result = await callProbe({ code: FORK_PROBE_CODE, data, gas: GAS, held }, node);
  const [best, after0, after1] = decodeFunctionResult({
    ...{ abi: ABI, functionName: 'maxOut', data: result },
  });
  const isKept = (zeroForOne ? after0 : after1) === reserveIn + amountIn;
  return best > 0n && isKept ? best : null;
}

/** What a constant product with this fee lets out. */
function computeOut({ amountIn, reserveIn, reserveOut }: Sample, feePips: number): bigint {
  const charged = amountIn * (PIPS - BigInt(feePips));
  return (charged * reserveOut) / (reserveIn * PIPS + charged);
}

/** The only fee that gives all outputs; null if there is none or more than one. */
export function fitFee(
  samples: readonly (Sample & { readonly amountOut: bigint })[],
): number | null {
  const fits: number[] = [];
  for (let fee = 0; fee <= FEE_MAX && fits.length < 2; fee += FEE_STEP) {
    if (samples.every((sample) => computeOut(sample, fee) === sample.amountOut)) fits.push(fee);
  }
  return fits.length === 1 ? (fits[0] ?? null) : null;
}

async function probePair(pair: ProbedPair, node: ProbeNode): Promise<PairVerdict> {
  const samples = [];
  try {
    for (const sample of listSamples(pair)) {
      const amountOut = await measure(pair, sample, node);
      if (amountOut === null) return { kind: 'refused' };
      samples.push({ ...sample, amountOut });
    }
  } catch (error) {
    if (isRpcError(error, 'reverted')) return { kind: 'refused' };
    if (isRpcError(error, ...INABILITY)) return { kind: 'unable' };
    throw error;
  }
  const feePips = fitFee(samples);
  return feePips === null ? { kind: 'refused' } : { kind: 'fee', feePips };
}

/** Below this, sizes differ too little to tell fees apart. */
const RESERVE_MIN = 10n ** 9n;
const CODE = /^0x[0-9a-f]+$/i;
const ASKS = [FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR, GET_RESERVES_SELECTOR];

interface ForkClaim extends ProbedPair {
  readonly factory: Address;
}

/** `notNow`: not accepted yet. `unable`: no node can run the probe, so nothing is known. */
type ForkOutcome =
  | { readonly kind: 'accepted'; readonly description: PoolDescription }
  | { readonly kind: 'refused' }
  | { readonly kind: 'notNow' }
  | { readonly kind: 'unable' };

export type ForkJudgement = ForkOutcome & {
  /** The block whose state was read. */
  readonly block: number;
};

const REFUSED = { kind: 'refused' } as const;
const NOT_NOW = { kind: 'notNow' } as const;

function parseClaim(pair: Address, answers: readonly (string | null)[]): ForkClaim | null {
  const [factory, token0, token1, reserves] = answers;
  const isWord = (one: string | null | undefined): one is string => one != null && hasWords(one, 1);
  if (!isWord(factory) || !isWord(token0) || !isWord(token1)) return null;
  if (reserves == null || !hasWords(reserves, 3)) return null;
  const claim = {
    ...{ pair, factory: decodeAddressAt(factory, 0) },
    ...{ token0: decodeAddressAt(token0, 0), token1: decodeAddressAt(token1, 0) },
    ...{ reserve0: uintAt(reserves, 0), reserve1: uintAt(reserves, 1) },
  };
  return claim.token0 < claim.token1 ? claim : null;
}

/** All reads of one judgement are of one block: a busy pair changes with every block. */
interface JudgedAt {
  readonly block: number;
  readonly signal: AbortSignal;
}

export class ForkFinder {
  readonly #client: RpcClient;
  readonly #multicall3: Address | null;
  readonly #listed: ReadonlySet<Address>;
  readonly #verdicts = new ForkVerdicts<PairVerdict>();
  readonly #ranges: RangeForks;

  constructor(client: RpcClient, deployment: EvmDeployment) {
    const { v2, v3, multicall3 } = deployment;
    this.#client = client;
    this.#multicall3 = multicall3;
    this.#listed = new Set([...v2, ...v3].map(({ factory }) => factory));
    this.#ranges = new RangeForks(deployment, this.#listed);
  }

  async judge(pool: PoolId, signal: AbortSignal): Promise<ForkJudgement> {
    const block = await this.#client.at((endpoint) => endpoint.readBlockNumber(signal), { signal });
    return { ...(await this.#judgeAt(pool, { block, signal })), block };
  }

  /** The blocks above this one are gone, and what pairs did there. */
  forgetAbove(position: number): void {
    this.#verdicts.forgetAbove(position);
    this.#ranges.forgetAbove(position);
  }

  async #judgeAt(pool: PoolId, at: JudgedAt): Promise<ForkOutcome> {
    const claim = await this.#readClaim(toPoolContract(pool), at);
    if (claim === null) return this.#judgeRange(pool, at);
    if (this.#listed.has(claim.factory)) return REFUSED;
    const isDeep = claim.reserve0 >= RESERVE_MIN && claim.reserve1 >= RESERVE_MIN;
    if (!isDeep || !(await this.#holdsReserves(claim, at))) return NOT_NOW;
    const named = await this.#readNamedPair(claim, at);
    if (named !== claim.pair) return named === ZERO_ADDRESS ? NOT_NOW : REFUSED;
    const verdict = await this.#findVerdict(claim, at);
    if (verdict.kind !== 'fee') return verdict;
    const { pair: vault, factory, token0, token1 } = claim;
    const description: PoolDescription = {
      ...{ pool, vault, token0, token1, venue: `${FORK_VENUE_PREFIXES.pairs}${factory}` },
      ...{ kind: 'constantProduct', feePips: verdict.feePips, terms: { isFeeUnchecked: true } },
    };
    return { kind: 'accepted', description };
  }

  #judgeRange(pool: PoolId, at: JudgedAt): Promise<ForkOutcome> {
    return this.#ranges.judge(pool, {
      ...{ client: this.#client, ...at },
      callContracts: (calls) => this.#call(calls, at),
      readCodes: (addresses) => this.#readCodes(addresses, at),
    });
  }

  async #readClaim(pair: Address, at: JudgedAt): Promise<ForkClaim | null> {
    const asks = ASKS.map((data) => ({ to: pair, data }));
    return parseClaim(pair, await this.#call(asks, at));
  }

  /** The pair that the factory names for the two tokens; the zero address if it names none. */
  async #readNamedPair(claim: ForkClaim, at: JudgedAt): Promise<Address> {
    const { factory: to, token0, token1 } = claim;
    const data = encodeCallData(GET_PAIR_SELECTOR, addressWord(token0), addressWord(token1));
    const [answer = null] = await this.#call([{ to, data }], at);
    return answer !== null && hasWords(answer, 1) ? decodeAddressAt(answer, 0) : ZERO_ADDRESS;
  }

  /** The probe replaces both tokens, so it does not show whether the pair holds any of them. */
  async #holdsReserves(
    { pair, token0, token1, reserve0, reserve1 }: ForkClaim,
    at: JudgedAt,
  ): Promise<boolean> {
    const data = encodeCallData(BALANCE_OF_SELECTOR, addressWord(pair));
    const asks = [token0, token1].map((to) => ({ to, data }));
    const balances = await this.#call(asks, at);
    return [reserve0, reserve1].every((reserve, index) => {
      const balance = balances[index] ?? null;
      return balance !== null && hasWords(balance, 1) && uintAt(balance, 0) >= reserve;
    });
  }

  #call(calls: readonly ContractCall[], at: JudgedAt): Promise<(string | null)[]> {
    return callContracts(calls, { client: this.#client, multicall3: this.#multicall3, ...at });
  }

  async #findVerdict(claim: ForkClaim, at: JudgedAt): Promise<PairVerdict | typeof NOT_NOW> {
    const { pair, factory, token0, token1 } = claim;
    const [code = null, ...ofTokens] = await this.#readCodes([pair, token0, token1], at);
    if (code === null || ofTokens.includes(null)) return REFUSED;
    const key = `${factory} ${keccak256(code)}`;
    const known = this.#verdicts.find(key);
    if (known !== undefined) return known;
    const verdict = await probePair(claim, { client: this.#client, ...at });
    // Its block may have been reorganised away meanwhile.
    at.signal.throwIfAborted();
    const { block } = at;
    if (verdict.kind === 'unable') return verdict;
    return this.#verdicts.keep(key, verdict, { pool: pair, block }) ? verdict : NOT_NOW;
  }

  /** Null for addresses without code. A precompile answers calls, too, but has none. */
  async #readCodes(
    addresses: readonly Address[],
    { block: minBlock, signal }: JudgedAt,
  ): Promise<(Hex | null)[]> {
    const calls = addresses.map((address) => ({
      ...{ method: 'eth_getCode' as const, params: [address, toQuantity(minBlock)] },
    }));
    return await this.#client.at(
      async (endpoint) => {
        const outcomes = await endpoint.batch(calls, { signal });
        return outcomes.map((outcome) => {
          const code = endpoint.unwrap(outcome);
          return typeof code === 'string' && CODE.test(code) ? (code as Hex) : null;
        });
      },
      { minBlock, signal },
    );
  }
}
