// Answers GET /chains: what the indexer reports, and the price of each native coin.

import type { OutputOf } from '../contract/operation.ts';
import type { getChains } from '../contract/operations/get-chains.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainDirectory } from './chain-status.ts';
import type { MarketParts } from './market-parts.ts';
import { pickTokenLiquidity } from './rolling-stats/token-columns.ts';

interface ChainsParts extends Pick<MarketParts, 'chains' | 'states'> {
  readonly store: Pick<MarketParts['store'], 'readTokens'>;
  readonly directory: ChainDirectory;
}

interface KeptPrice {
  /** The commit that it was read at. */
  readonly version: number;
  readonly priceUsd: Promise<string | null>;
}

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
  const kept = new Map<ChainSlug, KeptPrice>();
  /** Read once per commit; if the store fails, the last one known is good enough here. */
  function findPrice(chain: ChainSlug): Promise<string | null> {
    const version = parts.states.current(chain)?.version ?? 0;
    const known = kept.get(chain);
    if (known?.version === version) return known.priceUsd;
    const priceUsd = readPrice(parts, chain).catch(() => {
      // The next request reads it again.
      if (kept.get(chain) === reading) {
        if (known === undefined) kept.delete(chain);
        else kept.set(chain, known);
      }
      return known?.priceUsd ?? null;
    });
    const reading = { version, priceUsd };
    kept.set(chain, reading);
    return priceUsd;
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
