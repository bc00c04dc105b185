// The trades that set a token's prices, when some of its trades were made or judged again.

import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { MarketReads } from '../../store/market-reads.ts';

const PAGE_SIZE = 100;
/** A token whose newest trades are all outliers keeps its price. */
const SEEN_MAX = 10_000;

type Prices = Pick<TradeRecord, 'priceNative' | 'priceUsd'>;

function compareNewest(left: TradeRecord, right: TradeRecord): number {
  return right.block - left.block || right.logIndex - left.logIndex;
}

/** The first clean one that has a price; of outliers alone, the oldest: as `applySwap` has it. */
function pickPrice(newestFirst: readonly TradeRecord[], of: keyof Prices, isWhole: boolean) {
  const priced = newestFirst.filter((trade) => trade[of] !== null);
  const clean = priced.find(({ outlier }) => !outlier);
  return (clean ?? (isWhole ? priced.at(-1) : undefined))?.[of] ?? null;
}

/** `changed` replace those that are stored. A price that no trade is seen to set stays `known`. */
export async function findLastPrices(
  reader: Pick<MarketReads, 'readTradePage'>,
  of: { readonly chain: ChainSlug; readonly token: Address; readonly known: Prices },
  changed: readonly TradeRecord[],
): Promise<Prices> {
  const toKey = ({ block, logIndex }: TradeRecord) => `${block} ${logIndex}`;
  // Any trade with a price has set one: without a known price no stored trade has it.
  const isSought = (price: keyof Prices) =>
    of.known[price] !== null || changed.some((trade) => trade[price] !== null);
  const seen = new Map<string, TradeRecord>();
  for (let after = null; ; ) {
    const page = await reader.readTradePage(of.chain, {
      ...{ token: of.token, pool: null, side: null, wallet: null, minUsd: null, after },
      ...{ range: { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }, order: 'newest' },
      limit: PAGE_SIZE,
    });
    for (const trade of page.trades) seen.set(toKey(trade), trade);
    after = page.next;
    const isWhole = after === null;
    const oldest = page.trades.at(-1);
    for (const trade of changed) {
      const isSeen = isWhole || oldest === undefined || compareNewest(trade, oldest) <= 0;
      if (isSeen) seen.set(toKey(trade), trade);
    }
    const trades = [...seen.values()].sort(compareNewest);
    const priceNative = pickPrice(trades, 'priceNative', isWhole);
    const priceUsd = pickPrice(trades, 'priceUsd', isWhole);
    const isFound =
      (priceNative !== null || !isSought('priceNative')) &&
      (priceUsd !== null || !isSought('priceUsd'));
    if (isFound || isWhole || seen.size >= SEEN_MAX) {
      return {
        priceNative: priceNative ?? of.known.priceNative,
        priceUsd: priceUsd ?? of.known.priceUsd,
      };
    }
  }
}
