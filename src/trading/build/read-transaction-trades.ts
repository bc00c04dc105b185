// The indexed trades of one transaction.

import type { ChainTransactions, NodeFaults } from '../../chains/chain-transactions.ts';
import type { ChainFamily } from '../../chains/family.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Sleep } from '../../lib/retry.ts';
import type { BlockHeader } from '../../model/block-header.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, PoolId, TransactionId } from '../../model/ids.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { MarketReader } from '../../store/store.ts';
import type { StreamReads } from '../../store/stream-reads.ts';

// Calls a chain's node for a waiting user: with a total timeout and a `Retry-After`.

/** The total time for all calls to the node. */
const BUDGET_MS = 8000;

interface Asked {
  readonly chain: ChainSlug;
  readonly node: NodeFaults;
  readonly sleep: Sleep;
  readonly budgetMs?: number;
}

/** A failing node is reported as unavailable, not as the caller's error. */
export async function askNode<T>(asked: Asked, work: () => Promise<T>): Promise<T> {
  const { chain, node, sleep, budgetMs = BUDGET_MS } = asked;
  const buildUnavailableError = (cause?: unknown) =>
    new AppError(
      'UPSTREAM_UNAVAILABLE',
      { upstream: `The node of ${chain}` },
      { retryAfterSeconds: node.retryAfterSeconds(), cause },
    );
  const done = new AbortController();
  const late = sleep(budgetMs, done.signal).then(() => {
    throw buildUnavailableError();
  });
  try {
    // Pending calls have their own timeouts, and nobody waits for them.
    return await Promise.race([work(), late]);
  } catch (error) {
    throw node.isUnavailable(error) ? buildUnavailableError(error) : error;
  } finally {
    done.abort();
    late.catch(() => undefined);
  }
}

// The followed chains for building transactions.

export interface BuildChains {
  findFamily(slug: ChainSlug): ChainFamily;
  /** Null while the chain is being prepared. */
  find(slug: ChainSlug): ChainTransactions | null;
}

type TradeReader = Pick<MarketReader, 'readPools'> & Pick<StreamReads, 'readTradesAfter'>;

interface IndexedTransaction {
  readonly txHash: TransactionId;
  readonly block: BlockHeader;
  /** Ids in its logs that may be pools; others are ignored. */
  readonly poolCandidates: readonly PoolId[];
}

const PAGE_LENGTH = 200;

/** After every event of a block. */
const EVENT_INDEX_MAX = 2 ** 31 - 1;

/**
 * A token's trades in a block. Searched by block and not by time: if block times step back, a trade
 * has the time of the token's previous trade, which is later than its block's.
 */
async function readBlockTrades(
  reader: TradeReader,
  chain: ChainSlug,
  { token, block }: { readonly token: Address; readonly block: BlockHeader },
): Promise<TradeRecord[]> {
  const found: TradeRecord[] = [];
  let after = { block: block.position - 1, logIndex: EVENT_INDEX_MAX };
  for (;;) {
    const wanted = { after, sinceMs: block.timestampMs, limit: PAGE_LENGTH };
    const page = await reader.readTradesAfter(chain, token, wanted);
    found.push(...page.filter((trade) => trade.block === block.position));
    const last = page.at(-1);
    if (last === undefined || last.block > block.position || page.length < PAGE_LENGTH) {
      return found;
    }
    after = last;
  }
}

/** In the order of the transaction's swaps. */
export async function readTransactionTrades(
  reader: TradeReader,
  chain: ChainSlug,
  { txHash, block, poolCandidates }: IndexedTransaction,
): Promise<TradeRecord[]> {
  if (poolCandidates.length === 0) return [];
  const pools = await reader.readPools(chain, poolCandidates);
  const tokens = new Set(pools.flatMap(({ token0, token1 }) => [token0, token1]));
  const found: TradeRecord[] = [];
  for (const token of tokens) {
    const trades = await readBlockTrades(reader, chain, { token, block });
    found.push(...trades.filter((trade) => trade.txHash === txHash));
  }
  return found.sort((a, b) => a.index - b.index);
}
