// GET /trade/status: the node has the status of a transaction, our index its trades.

import type { MinedTransaction } from '../../chains/chain-transactions.ts';
import type { ChainFamily } from '../../chains/family.ts';
import type { HandlerContext } from '../../contract/handler.ts';
import type { InputOf, OutputOf } from '../../contract/operation.ts';
import type { getTradeStatus } from '../../contract/operations/get-trade-status.ts';
import {
  buildNotReadyError,
  type ChainNames,
  parseFollowedChain,
} from '../../contract/parse-reference.ts';
import { buildInvalidInputError } from '../../errors/app-error.ts';
import { sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { TransactionId } from '../../model/ids.ts';
import type { MarketStore } from '../../store/store.ts';
import { askNode } from './ask-node.ts';
import type { BuildChains } from './build-chain.ts';
import { readTransactionTrades } from './read-transaction-trades.ts';
import type { StatusWaits } from './status-waits.ts';

type StatusAnswer = OutputOf<typeof getTradeStatus>;

/** The same for all who ask about a transaction, whatever they know of it. */
export interface NodeAnswer extends StatusAnswer {
  /** If no node knows the transaction: the height up to which it was looked for. */
  readonly searchedHeight: number | null;
}

interface StatusParts {
  readonly chains: ChainNames;
  readonly builders: BuildChains;
  readonly store: MarketStore;
  readonly waits: StatusWaits<NodeAnswer>;
  /** Another value after each commit of a chain. */
  readonly readVersion: (chain: ChainSlug) => number;
}

/** A request that waits must end before its time limit of 30 s, even if the node hangs. */
const ASK_MAX_MS = 4000;

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
    if (mined.isReverted) {
      return { status: 'reverted', block, tradeIds: [], reason: mined.reason ?? null };
    }
    const isFinal = isIndexed && block <= checkpoint.finalizedBlock;
    const trades = isIndexed ? await readTransactionTrades(reader, chain, mined) : [];
    return {
      status: isFinal ? 'finalized' : 'confirmed',
      block,
      tradeIds: trades.map(({ txHash, index }) => `${chain}:${txHash}:${index}`),
      reason: null,
    };
  });
}

function differ(a: StatusAnswer, b: StatusAnswer): boolean {
  const isSameBlock = a.status === b.status && a.block === b.block;
  return !isSameBlock || a.tradeIds.join() !== b.tradeIds.join();
}

/** A transaction that no node knows is pending as long as it can be executed. */
function toAnswer(
  { searchedHeight, ...answer }: NodeAnswer,
  lastValidBlockHeight: number | undefined,
): StatusAnswer {
  const isAlive =
    searchedHeight !== null &&
    lastValidBlockHeight !== undefined &&
    searchedHeight <= lastValidBlockHeight;
  return isAlive ? { ...answer, status: 'pending' } : answer;
}

export function createGetTradeStatus(parts: StatusParts) {
  return async (
    input: InputOf<typeof getTradeStatus>,
    context: Pick<HandlerContext, 'identity' | 'watchClient'>,
  ): Promise<StatusAnswer> => {
    const { waitMs, knownStatus, lastValidBlockHeight } = input;
    const slug = parseFollowedChain(parts.chains, input.chain);
    const txHash = parseTxHash(parts.builders.findFamily(slug), input.txHash);
    const chain = parts.builders.find(slug);
    if (chain === null) throw buildNotReadyError(slug);
    const ask = async (budgetMs?: number): Promise<NodeAnswer> => {
      const limit = budgetMs === undefined ? {} : { budgetMs };
      const asked = { chain: slug, node: chain, sleep, ...limit };
      const fate = await askNode(asked, () => chain.readTransaction(txHash));
      if (fate.state === 'mined') {
        const answer = await readMinedAnswer(parts, slug, { ...fate, txHash });
        return { ...answer, searchedHeight: null };
      }
      const searchedHeight = fate.state === 'unknown' ? (fate.searchedHeight ?? null) : null;
      return { status: fate.state, block: null, tradeIds: [], reason: null, searchedHeight };
    };
    const adapt = (answer: NodeAnswer) => toAnswer(answer, lastValidBlockHeight);
    if (waitMs === 0) return adapt(await ask());
    const { identity } = context;
    const isNews = (answer: StatusAnswer, first: StatusAnswer) =>
      answer.status !== (knownStatus ?? first.status) || differ(answer, first);
    const last = await parts.waits.wait({
      ...{ waitMs, caller: `${identity.kind} ${identity.key}`, signal: context.watchClient?.() },
      name: `${slug} ${txHash}`,
      readVersion: () => parts.readVersion(slug),
      ask: () => ask(ASK_MAX_MS),
      isNews: (answer, first) => isNews(adapt(answer), adapt(first)),
    });
    return adapt(last);
  };
}
