// Answers GET /chains: what the indexer reports, and the price of each native coin.

import type { OutputOf } from '../contract/operation.ts';
import type { getChains } from '../contract/operations/get-chains.ts';
import type { ChainSlug } from '../model/chain.ts';
import { pickTokenLiquidity } from '../model/market-record.ts';
import type { ChainDirectory } from './chain-status.ts';
import { CommitCache } from './commit-cache.ts';
import type { MarketParts } from './market-parts.ts';

interface ChainsParts extends Pick<MarketParts, 'chains' | 'states'> {
  readonly store: Pick<MarketParts['store'], 'readTokens'>;
  readonly directory: ChainDirectory;
}

const CHAINS_MAX = 1000;

/** The coin is traded in several forms: wrapped, and on some venues itself. */
async function readPrice({ chains, store }: ChainsParts, chain: ChainSlug): Promise<string | null> {
  const market = chains.find(chain);
  if (market === null) return null;
  const rows = await store.readTokens(chain, [...market.assets.native]);
  const priced = rows.filter(({ priceUsd }) => priceUsd !== null);
  const weigh = (row: (typeof rows)[number]) => pickTokenLiquidity(row) ?? -1n;
  priced.sort((a, b) => (weigh(a) > weigh(b) ? -1 : 1));
  return priced[0]?.priceUsd ?? null;
}

export function createGetChains(parts: ChainsParts): () => Promise<OutputOf<typeof getChains>> {
  const prices = new CommitCache(parts.states, { entriesMax: CHAINS_MAX });
  const last = new Map<ChainSlug, string | null>();
  async function findPrice(chain: ChainSlug): Promise<string | null> {
    if (parts.states.current(chain) === null) return null;
    try {
      last.set(chain, await prices.get(chain, [chain], () => readPrice(parts, chain)));
    } catch {
      // The last one known is good enough here.
    }
    return last.get(chain) ?? null;
  }
  return async () => ({
    chains: await Promise.all(
      parts.directory.list().map(async ({ slug, answer }) => ({
        ...answer,
        native: { ...parts.chains.known.get(slug).native, priceUsd: await findPrice(slug) },
      })),
    ),
  });
}
