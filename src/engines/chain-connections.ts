// The nodes of the followed chains as this thread uses them: opened once per chain, so that all
// uses share one pool of endpoints.

import { isDeepStrictEqual } from 'node:util';
import type { ChainMarket, ChainNodes } from '../chains/chain-nodes.ts';
import { createEndpointMemory } from '../chains/endpoint-memory.ts';
import type { ChainLog, ChainSource, FamilyMarkets } from '../chains/family.ts';
import type { Clock } from '../lib/clock.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import { findFamily, requireMarkets } from './chain-families.ts';

export interface ConnectedChain {
  readonly source: ChainSource;
  readonly addresses: AddressCodec;
  readonly rules: FamilyMarkets;
  readonly market: ChainMarket;
  readonly nodes: ChainNodes;
  /** The health of the endpoints, for other threads that use them. */
  readonly memory: SharedArrayBuffer;
}

export class ChainConnections {
  readonly #parts: { readonly clock: Clock; readonly log: ChainLog };
  readonly #connected = new Map<ChainSlug, ConnectedChain>();

  constructor(parts: { readonly clock: Clock; readonly log: ChainLog }) {
    this.#parts = parts;
  }

  /** The same object for as long as the source stays the same. */
  connect(source: ChainSource): ConnectedChain {
    const known = this.#connected.get(source.chain);
    if (known?.source === source) return known;
    if (known !== undefined && isDeepStrictEqual(known.source, source)) return known;
    // The devnet may restart at another port, or as another chain.
    known?.nodes.close();
    const { addresses } = findFamily(source.chain);
    const rules = requireMarkets(source.chain);
    const market = rules.describe(source);
    const memory = createEndpointMemory(source.endpoints.length);
    const shared = { memory, thread: 'main' } as const;
    const nodes = rules.open(source, { ...this.#parts, shared });
    const connected = { source, addresses, rules, market, nodes, memory };
    this.#connected.set(source.chain, connected);
    return connected;
  }

  /** Null if nothing has used the chain yet. */
  find(chain: ChainSlug): ConnectedChain | null {
    return this.#connected.get(chain) ?? null;
  }

  list(): ConnectedChain[] {
    return [...this.#connected.values()];
  }

  close(): void {
    for (const { nodes } of this.#connected.values()) nodes.close();
    this.#connected.clear();
  }
}
