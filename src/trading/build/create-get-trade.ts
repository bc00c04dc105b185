// GET /trade: the node has the block of a trade's transaction, our index the trade.

import { buildNamedTrade } from '../../contract/build-trade-answer.ts';
import type { InputOf, OutputOf } from '../../contract/operation.ts';
import type { getTrade } from '../../contract/operations/get-trade.ts';
import { buildNotReadyError, parseFollowedChain } from '../../contract/parse-reference.ts';
import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import { sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';
import type { MarketStore } from '../../store/store.ts';
import type { TradeChains } from '../quote/trade-chain.ts';
import { askNode } from './ask-node.ts';
import type { BuildChains } from './build-chain.ts';
import { readTransactionTrades } from './read-transaction-trades.ts';

interface TradeParts {
  readonly chains: Pick<TradeChains, 'known' | 'list'>;
  readonly builders: BuildChains;
  readonly store: MarketStore;
  readonly pauses: { isPaused(chain: ChainSlug, token: Address): boolean };
}

const FORM = /^([^:]+):([^:]+):(0|[1-9]\d{0,8})$/;

function parseId({ chains, builders }: TradeParts, text: string) {
  const [, chainName, hash = '', index] = FORM.exec(text) ?? [];
  const chain = chainName === undefined ? null : parseFollowedChain(chains, chainName, 'id');
  const family = chain && builders.findFamily(chain);
  const txHash = family?.transactionIds.parse(hash) ?? null;
  if (chain === null || family === null || txHash === null) {
    throw buildInvalidInputError([{ path: 'id', message: 'must be chain:txHash:index' }]);
  }
  return { chain, addresses: family.addresses, txHash, index: Number(index) };
}

export function createGetTrade(parts: TradeParts) {
  return async ({ id }: InputOf<typeof getTrade>): Promise<OutputOf<typeof getTrade>> => {
    const { chain, addresses, txHash, index } = parseId(parts, id);
    const node = parts.builders.find(chain);
    if (node === null) throw buildNotReadyError(chain);
    const fate = await askNode({ chain, node, sleep }, () => node.readTransaction(txHash));
    const notFound = new AppError('TRADE_NOT_FOUND', { id: `${chain}:${txHash}:${index}` });
    if (fate.state !== 'mined') throw notFound;
    return parts.store.snapshot(async (reader) => {
      const checkpoint = await reader.readCheckpoint(chain);
      const trades = await readTransactionTrades(reader, chain, { ...fate, txHash });
      const trade = trades.find((one) => one.index === index);
      if (trade === undefined || checkpoint === null) throw notFound;
      if (parts.pauses.isPaused(chain, trade.token)) {
        throw new AppError('TOKEN_PAUSED', { chain, mint: addresses.toShown(trade.token) });
      }
      const rows = await reader.readTokens(chain, [trade.token, trade.quoteToken]);
      const tokens = new Map(rows.map((row) => [row.token, row]));
      const { block, blockHash, timestampMs: timestamp, finalizedBlock } = checkpoint;
      return {
        ...buildNamedTrade(chain, trade, { tokens, finalizedBlock, addresses }),
        asOf: { block, blockHash, timestamp, finalizedBlock },
      };
    });
  };
}
