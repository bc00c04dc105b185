// What contracts of tokens show of themselves, and who owns the shares of their pools: read in the
// background when somebody asks, and kept.

import { BoundedMap } from '../lib/bounded-map.ts';
import { HeldSlots } from '../lib/held-slots.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { TokenFacts } from '../model/contract-facts.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { LiquidityOwners } from '../model/liquidity-owners.ts';
import type { PoolDescription } from '../model/pool.ts';
import type { MarketChain } from './market-parts.ts';

/**
 * Asks a chain's node; null without a call if the chain has as many calls already, or if the call
 * fails.
 */
export async function callNode<T>(
  slots: HeldSlots,
  chain: ChainSlug,
  call: () => Promise<T>,
): Promise<T | null> {
  const free = slots.take(chain, null);
  if (free === null) return null;
  try {
    return await call();
  } catch {
    return null;
  } finally {
    free();
  }
}

/** For `callNode`: so many calls of each chain at a time. */
export function createNodeSlots(callsMax: number): HeldSlots {
  return new HeldSlots({ totalMax: Number.POSITIVE_INFINITY, perHolderMax: callsMax });
}

/** Facts, or why there are none. */
type NodeReading<Facts> =
  | { readonly kind: 'read'; readonly facts: Facts }
  | { readonly kind: 'pending' | 'failed' | 'noCode' | 'unsupported' };

export type ContractReading = NodeReading<TokenFacts>;
/** By pool: null for one without shares. */
type OwnersReading = NodeReading<ReadonlyMap<PoolId, LiquidityOwners | null>>;

type AskedChain = Pick<MarketChain, 'slug' | 'readContractFacts'>;
type OwnedChain = Pick<MarketChain, 'slug' | 'readLiquidityOwners'>;

interface KeptReading<Facts> {
  readonly reading: NodeReading<Facts>;
  readonly readMs: number;
}

const KEPT_MAX = 20_000;
/** Each takes a node some twenty calls. */
const OWNED_MAX = 5;
const CALLS_MAX = 2;
const TIMEOUT_MS = 5000;
/** An owner may change, and a proxy's code. */
const LIFE_MS = 15 * 60_000;
const RETRY_MS = 10_000;

/** Reads in the background, and keeps what was read. */
class NodeReadings<Facts> {
  readonly #nowMs: () => number;
  readonly #kept = new BoundedMap<string, KeptReading<Facts>>(KEPT_MAX);
  readonly #reading = new Set<string>();
  readonly #calls = createNodeSlots(CALLS_MAX);

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** What was read last; asks the node again if that is old. `read` gives null for nothing. */
  find(
    chain: ChainSlug,
    subject: string,
    read: (signal: AbortSignal) => Promise<Facts | null>,
  ): NodeReading<Facts> {
    const key = `${chain} ${subject}`;
    const kept = this.#kept.get(key);
    const lifeMs = kept?.reading.kind === 'failed' ? RETRY_MS : LIFE_MS;
    const isOld = kept === undefined || this.#nowMs() - kept.readMs >= lifeMs;
    if (isOld && !this.#reading.has(key)) void this.#read(key, chain, read);
    return kept?.reading ?? { kind: 'pending' };
  }

  async #read(
    key: string,
    chain: ChainSlug,
    read: (signal: AbortSignal) => Promise<Facts | null>,
  ): Promise<void> {
    this.#reading.add(key);
    const answer = await callNode(this.#calls, chain, async () => {
      return { facts: await read(AbortSignal.timeout(TIMEOUT_MS)) };
    });
    this.#reading.delete(key);
    const last = this.#kept.get(key)?.reading;
    // What is known stays when the node does not answer.
    if (answer === null && last?.kind === 'read') return;
    this.#kept.set(key, { reading: toReading(answer), readMs: this.#nowMs() });
  }
}

export class ContractBook {
  readonly #contracts: NodeReadings<TokenFacts>;
  readonly #owners: NodeReadings<ReadonlyMap<PoolId, LiquidityOwners | null>>;

  constructor(options: { readonly nowMs: () => number }) {
    this.#contracts = new NodeReadings(options.nowMs);
    this.#owners = new NodeReadings(options.nowMs);
  }

  /** Of a token's contract or mint. */
  find({ slug, readContractFacts }: AskedChain, token: Address): ContractReading {
    if (readContractFacts === undefined) return { kind: 'unsupported' };
    return this.#contracts.find(slug, token, (signal) => readContractFacts(token, signal));
  }

  /** Who owns the shares of the pools of a token, of which the deepest are read. */
  findOwners(
    { slug, readLiquidityOwners }: OwnedChain,
    token: Address,
    pools: readonly PoolDescription[],
  ): OwnersReading {
    if (readLiquidityOwners === undefined) return { kind: 'unsupported' };
    return this.#owners.find(slug, token, async (signal) => {
      const read = pools.slice(0, OWNED_MAX);
      const owners = await readLiquidityOwners(read, signal);
      return new Map(read.map(({ pool }, index) => [pool, owners[index] ?? null]));
    });
  }
}

function toReading<Facts>(read: { readonly facts: Facts | null } | null): NodeReading<Facts> {
  if (read === null) return { kind: 'failed' };
  return read.facts === null ? { kind: 'noCode' } : { kind: 'read', facts: read.facts };
}
