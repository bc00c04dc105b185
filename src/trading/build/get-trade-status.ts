// Answers GET /trade/status: the node says what became of a transaction, our index which trades.

import {
  type MinedTransaction,
  readTransaction,
} from '../../chains/evm/transactions/read-transaction.ts';
import type { InputOf, OutputOf } from '../../contract/operation.ts';
import type { getTradeStatus } from '../../contract/operations/get-trade-status.ts';
import { parseFollowedChain, toNotReady } from '../../contract/parse-reference.ts';
import { toInvalidInput } from '../../errors/app-error.ts';
import { sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { MarketStore } from '../../store/store.ts';
import { askNode } from './ask-node.ts';
import type { BuildChains } from './build-chain.ts';
import { readTransactionTrades } from './read-transaction-trades.ts';

export type StatusAnswer = OutputOf<typeof getTradeStatus>;

export interface StatusParts {
  readonly followed: () => readonly ChainSlug[];
  readonly builders: BuildChains;
  readonly store: MarketStore;
}

const TX_HASH = /^0x[0-9a-fA-F]{64}$/;

function parseTxHash(text: string): string {
  if (TX_HASH.test(text)) return text.toLowerCase();
  throw toInvalidInput([{ path: 'txHash', message: 'must be 0x and 64 hex digits' }]);
}

/** What our index says of a block that the node has: the two are read apart and may differ. */
async function toMinedAnswer(
  parts: StatusParts,
  chain: ChainSlug,
  mined: MinedTransaction & { readonly txHash: string },
): Promise<StatusAnswer> {
  const block = mined.block.position;
  return parts.store.snapshot(async (reader) => {
    const checkpoint = await reader.readCheckpoint(chain);
    const isIndexed = checkpoint !== null && checkpoint.block >= block;
    if (mined.isReverted) return { status: 'reverted', block, tradeIds: [] };
    const isFinal = isIndexed && block <= checkpoint.finalizedBlock;
    const trades = isIndexed ? await readTransactionTrades(reader, chain, mined) : [];
    return {
      status: isFinal ? 'finalized' : 'confirmed',
      block,
      tradeIds: trades.map(({ txHash, index }) => `${chain}:${txHash}:${index}`),
    };
  });
}

export function createGetTradeStatus(parts: StatusParts) {
  return async (input: InputOf<typeof getTradeStatus>): Promise<StatusAnswer> => {
    const slug = parseFollowedChain(parts.followed(), input.chain);
    const txHash = parseTxHash(input.txHash);
    const chain = parts.builders.find(slug);
    if (chain === null) throw toNotReady(slug);
    const asked = { chain: slug, client: chain.client, sleep };
    const fate = await askNode(asked, () => readTransaction(chain.client, txHash));
    if (fate.state !== 'mined') return { status: fate.state, block: null, tradeIds: [] };
    return toMinedAnswer(parts, slug, { ...fate, txHash });
  };
}
