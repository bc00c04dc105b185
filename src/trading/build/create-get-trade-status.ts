// GET /trade/status: the node has the status of a transaction, our index its trades.

import type { MinedTransaction } from '../../chains/chain-transactions.ts';
import type { ChainFamily } from '../../chains/family.ts';
import type { InputOf, OutputOf } from '../../contract/operation.ts';
import type { getTradeStatus } from '../../contract/operations/get-trade-status.ts';
import { buildNotReadyError, parseFollowedChain } from '../../contract/parse-reference.ts';
import { buildInvalidInputError } from '../../errors/app-error.ts';
import { sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { TransactionId } from '../../model/ids.ts';
import type { MarketStore } from '../../store/store.ts';
import { askNode } from './ask-node.ts';
import type { BuildChains } from './build-chain.ts';
import { readTransactionTrades } from './read-transaction-trades.ts';

type StatusAnswer = OutputOf<typeof getTradeStatus>;

interface StatusParts {
  readonly followed: () => readonly ChainSlug[];
  readonly builders: BuildChains;
  readonly store: MarketStore;
}

function parseTxHash({ transactionIds }: ChainFamily, text: string): TransactionId {
  const id = transactionIds.parse(text);
  if (id !== null) return id;
  throw buildInvalidInputError([{ path: 'txHash', message: transactionIds.rule }]);
}

/** Combines our index with a block that the node has; the two may differ. */
async function readMinedAnswer(
  parts: StatusParts,
  chain: ChainSlug,
  mined: MinedTransaction & { readonly txHash: TransactionId },
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
    const txHash = parseTxHash(parts.builders.findFamily(slug), input.txHash);
    const chain = parts.builders.find(slug);
    if (chain === null) throw buildNotReadyError(slug);
    const asked = { chain: slug, node: chain, sleep };
    const fate = await askNode(asked, () => chain.readTransaction(txHash));
    if (fate.state !== 'mined') return { status: fate.state, block: null, tradeIds: [] };
    return readMinedAnswer(parts, slug, { ...fate, txHash });
  };
}
