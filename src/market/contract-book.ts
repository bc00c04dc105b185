// What contracts of tokens show of themselves: read in the background when somebody asks, and kept.

import { BoundedMap } from '../lib/bounded-map.ts';
import { HeldSlots } from '../lib/held-slots.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { TokenFacts } from '../model/contract-facts.ts';
import type { Address } from '../model/ids.ts';
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
export type ContractReading =
  | { readonly kind: 'read'; readonly facts: TokenFacts }
  | { readonly kind: 'pending' | 'failed' | 'noCode' | 'unsupported' };

type AskedChain = Pick<MarketChain, 'slug' | 'readContractFacts'>;

interface KeptReading {
  readonly reading: ContractReading;
  readonly readMs: number;
}

const KEPT_MAX = 20_000;
const CALLS_MAX = 2;
const TIMEOUT_MS = 5000;
/** An owner may change, and a proxy's code. */
const LIFE_MS = 15 * 60_000;
const RETRY_MS = 10_000;

export class ContractBook {
  readonly #nowMs: () => number;
  readonly #kept = new BoundedMap<string, KeptReading>(KEPT_MAX);
  readonly #reading = new Set<string>();
  readonly #calls = createNodeSlots(CALLS_MAX);

  constructor(options: { readonly nowMs: () => number }) {
    this.#nowMs = options.nowMs;
  }

  /** What was read last; asks the node again if that is old. */
  find(market: AskedChain, token: Address): ContractReading {
    if (market.readContractFacts === undefined) return { kind: 'unsupported' };
    const key = `${market.slug} ${token}`;
    const kept = this.#kept.get(key);
    const lifeMs = kept?.reading.kind === 'failed' ? RETRY_MS : LIFE_MS;
    const isOld = kept === undefined || this.#nowMs() - kept.readMs >= lifeMs;
    if (isOld && !this.#reading.has(key)) void this.#read(key, market, token);
    return kept?.reading ?? { kind: 'pending' };
  }

  async #read(key: string, market: AskedChain, token: Address): Promise<void> {
    const { slug, readContractFacts } = market;
    if (readContractFacts === undefined) return;
    this.#reading.add(key);
    const read = await callNode(this.#calls, slug, async () => {
      return { facts: await readContractFacts(token, AbortSignal.timeout(TIMEOUT_MS)) };
    });
    this.#reading.delete(key);
    const last = this.#kept.get(key)?.reading;
    // What is known stays when the node does not answer.
    if (read === null && last?.kind === 'read') return;
    this.#kept.set(key, { reading: toReading(read), readMs: this.#nowMs() });
  }
}

function toReading(read: { readonly facts: TokenFacts | null } | null): ContractReading {
  if (read === null) return { kind: 'failed' };
  return read.facts === null ? { kind: 'noCode' } : { kind: 'read', facts: read.facts };
}
