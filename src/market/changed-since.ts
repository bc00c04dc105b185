// The tokens whose listings have changed since a commit: those that are new, have new pools, or
// were traded. A deposit alone, or another price of what a pool holds, is not among them: it moves
// a token's points a little, and the next build of a segment reads everything.

import type { ChainSlug } from '../model/chain.ts';
import type { Address, PoolId } from '../model/ids.ts';
import type { NewsPosition } from '../model/news.ts';
import type { MarketSnapshot, MarketStore } from '../store/store.ts';

interface CommitPlace {
  readonly version: number;
  /** Blocks above it may have been replaced since. */
  readonly finalizedBlock: number;
}

/** With more trades than these, reading all tokens is cheaper. */
const TRADES_MAX = 100_000;
const NEWS_PER_READ = 1000;

interface NewSubjects {
  readonly tokens: Set<Address>;
  readonly pools: Set<PoolId>;
}

export interface ChangedTokens {
  readonly tokens: ReadonlySet<Address>;
  /** If not, they are at least those that are new. */
  readonly isWhole: boolean;
}

interface ChangeBounds {
  readonly countMax: number;
  /** Whether the new tokens alone are of use, if all changed ones are too many. */
  readonly isPartEnough: boolean;
}

async function readNews(
  reader: MarketSnapshot,
  chain: ChainSlug,
  of: ChangeBounds & { readonly version: number },
): Promise<NewSubjects | null> {
  const tokens = new Set<Address>();
  const pools = new Set<PoolId>();
  let after: NewsPosition = { version: of.version + 1, index: -1 };
  for (;;) {
    const news = await reader.readNewsAfter(chain, { after, limit: NEWS_PER_READ });
    for (const one of news) {
      if (one.kind === 'token') tokens.add(one.token);
      else if (one.kind !== 'alert') pools.add(one.pool);
    }
    const count = of.isPartEnough ? tokens.size : tokens.size + pools.size;
    if (count > of.countMax) return null;
    const last = news.at(-1);
    if (last === undefined || news.length < NEWS_PER_READ) return { tokens, pools };
    after = last;
  }
}

/** Null if that is not known, or if they are more than `countMax` and a part is not enough. */
export function listChangedSince(
  store: Pick<MarketStore, 'snapshot'>,
  chain: ChainSlug,
  of: ChangeBounds & { readonly since: CommitPlace },
): Promise<ChangedTokens | null> {
  const { since, countMax, isPartEnough } = of;
  return store.snapshot(async (reader) => {
    const epoch = await reader.readEpoch(chain);
    if (epoch === null || epoch.newsForgottenVersion > since.version) return null;
    const news = await readNews(reader, chain, { version: since.version, ...of });
    if (news === null) return null;
    const part = isPartEnough ? { tokens: news.tokens, isWhole: false } : null;
    if (news.tokens.size + news.pools.size > countMax) return part;
    const changed = new Set(news.tokens);
    for (const pool of await reader.readPools(chain, [...news.pools])) {
      changed.add(pool.token0).add(pool.token1);
    }
    let tradeCount = 0;
    for await (const page of reader.scanNewestTrades(chain)) {
      const newer = page.filter(({ block }) => block > since.finalizedBlock);
      for (const { token } of newer) changed.add(token);
      tradeCount += newer.length;
      if (changed.size > countMax || tradeCount > TRADES_MAX) return part;
      if (newer.length < page.length) break;
    }
    return { tokens: changed, isWhole: true };
  });
}
