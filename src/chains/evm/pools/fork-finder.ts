// Judges pairs of factories that nobody listed, by what they do: the pair and its factory name each
// other, the pair holds its reserves, and it swaps like a constant product with one fee. What pairs
// of one factory with the same code do is found out once. A refusal counts for all of them only
// after a second one, of another pair or at another block.

import type { Hex } from 'viem';
import { keccak256 } from 'viem/utils';
import { BoundedMap } from '../../../lib/bounded-map.ts';
import type { Address, PoolId } from '../../../model/ids.ts';
import type { PoolDescription } from '../../../model/pool.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { EvmDeployment } from '../evm-deployment.ts';
import { toPoolContract } from '../evm-ids.ts';
import {
  addressWord,
  decodeAddressAt,
  encodeCallData,
  hasWords,
  toQuantity,
  uintAt,
} from '../hex-data.ts';
import { type ContractCall, callContracts } from '../multicall.ts';
import { type PairVerdict, type ProbedPair, probePair } from '../probe/probe-fork.ts';
import { BALANCE_OF_SELECTOR } from '../tokens/read-token-metadata.ts';
import { FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR } from '../venues/factory-pools.ts';
import { FORK_VENUE_PREFIX } from '../venues/owns-venue.ts';
import { GET_PAIR_SELECTOR, GET_RESERVES_SELECTOR } from '../venues/uniswap-v2/pair-selectors.ts';
import { ZERO_ADDRESS } from '../zero-address.ts';

const VERDICTS_MAX = 10_000;
/** Below this, sizes differ too little to tell fees apart. */
const RESERVE_MIN = 10n ** 9n;
const CODE = /^0x[0-9a-f]+$/i;
const ASKS = [FACTORY_SELECTOR, TOKEN0_SELECTOR, TOKEN1_SELECTOR, GET_RESERVES_SELECTOR];

interface ForkClaim extends ProbedPair {
  readonly factory: Address;
}

/** `notNow`: not accepted yet. `unable`: no node can run the probe, so nothing is known. */
type ForkOutcome =
  | { readonly kind: 'pair'; readonly description: PoolDescription }
  | { readonly kind: 'refused' }
  | { readonly kind: 'notNow' }
  | { readonly kind: 'unable' };

export type ForkJudgement = ForkOutcome & {
  /** The block whose state was read. */
  readonly block: number;
};

interface DatedVerdict {
  readonly verdict: PairVerdict;
  readonly block: number;
}

/** Where a code of a factory was refused once. */
interface Doubt {
  readonly pair: Address;
  readonly block: number;
}

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
  readonly #verdicts = new BoundedMap<string, DatedVerdict>(VERDICTS_MAX);
  readonly #doubts = new BoundedMap<string, Doubt>(VERDICTS_MAX);

  constructor(
    client: RpcClient,
    { v2, v3, multicall3 }: Pick<EvmDeployment, 'v2' | 'v3' | 'multicall3'>,
  ) {
    this.#client = client;
    this.#multicall3 = multicall3;
    this.#listed = new Set([...v2, ...v3].map(({ factory }) => factory));
  }

  async judge(pool: PoolId, signal: AbortSignal): Promise<ForkJudgement> {
    const block = await this.#client.at((endpoint) => endpoint.readBlockNumber(signal), { signal });
    return { ...(await this.#judgeAt(pool, { block, signal })), block };
  }

  /** The blocks above this one are gone, and what pairs did there. */
  forgetAbove(position: number): void {
    for (const known of [this.#verdicts, this.#doubts]) {
      for (const [key, { block }] of known) if (block > position) known.delete(key);
    }
  }

  async #judgeAt(pool: PoolId, at: JudgedAt): Promise<ForkOutcome> {
    const claim = await this.#readClaim(toPoolContract(pool), at);
    if (claim === null || this.#listed.has(claim.factory)) return REFUSED;
    const isDeep = claim.reserve0 >= RESERVE_MIN && claim.reserve1 >= RESERVE_MIN;
    if (!isDeep || !(await this.#holdsReserves(claim, at))) return NOT_NOW;
    const named = await this.#readNamedPair(claim, at);
    if (named !== claim.pair) return named === ZERO_ADDRESS ? NOT_NOW : REFUSED;
    const verdict = await this.#findVerdict(claim, at);
    if (verdict.kind !== 'fee') return verdict;
    const { pair: vault, factory, token0, token1 } = claim;
    const description: PoolDescription = {
      ...{ pool, vault, token0, token1, venue: `${FORK_VENUE_PREFIX}${factory}` },
      ...{ kind: 'constantProduct', feePips: verdict.feePips, terms: { isFeeUnchecked: true } },
    };
    return { kind: 'pair', description };
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
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known.verdict;
    const verdict = await probePair(claim, { client: this.#client, ...at });
    // Its block may have been reorganised away meanwhile.
    at.signal.throwIfAborted();
    const { block } = at;
    if (verdict.kind === 'unable') return verdict;
    if (verdict.kind === 'refused' && !this.#isConfirmed(key, { pair, block })) return NOT_NOW;
    this.#verdicts.set(key, { verdict, block });
    return verdict;
  }

  /** Whether a code that is refused was refused before, in another pair or at another block. */
  #isConfirmed(key: string, { pair, block }: Doubt): boolean {
    const first = this.#doubts.get(key);
    if (first === undefined) this.#doubts.set(key, { pair, block });
    return first !== undefined && (first.pair !== pair || first.block !== block);
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
