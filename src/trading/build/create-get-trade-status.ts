// GET /trade/status: the node has the status of a transaction, our index its trades.

import type { BalanceChange, MinedTransaction } from '../../chains/chain-transactions.ts';
import type { ChainFamily } from '../../chains/family.ts';
import type { HandlerContext } from '../../contract/handler.ts';
import type { InputOf, OutputOf } from '../../contract/operation.ts';
import type { getTradeStatus } from '../../contract/operations/get-trade-status.ts';
import { buildNotReadyError, parseFollowedChain } from '../../contract/parse-reference.ts';
import { buildInvalidInputError } from '../../errors/app-error.ts';
import { toUnits } from '../../lib/decimal.ts';
import { sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, TransactionId } from '../../model/ids.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { MarketReader, MarketStore } from '../../store/store.ts';
import type { TradeChain, TradeChains } from '../quote/trade-chain.ts';
import { askNode } from './ask-node.ts';
import type { BuildChains } from './build-chain.ts';
import { pickExchanged } from './pick-exchanged.ts';
import { readTransactionTrades } from './read-transaction-trades.ts';
import type { StatusWaits } from './status-waits.ts';

type StatusAnswer = OutputOf<typeof getTradeStatus>;

/** The same for all who ask about a transaction, whatever they know of it. */
export interface NodeAnswer extends StatusAnswer {
  /** If no node knows the transaction: the height up to which it was looked for. */
  readonly searchedHeight: number | null;
}

interface StatusParts {
  readonly chains: Pick<TradeChains, 'known' | 'list'> & {
    find(slug: ChainSlug): Pick<TradeChain, 'addresses' | 'coinUnit' | 'wrapped'> | null;
  };
  readonly builders: BuildChains;
  readonly store: MarketStore;
  readonly waits: StatusWaits<NodeAnswer>;
  /** Another value after each commit of a chain. */
  readonly readVersion: (chain: ChainSlug) => number;
}

/** Of a transaction without trades. */
const NOTHING = { tradeIds: [], paid: null, received: null, reason: null };

/** A request that waits must end before its time limit of 30 s, even if the node hangs. */
const ASK_MAX_MS = 4000;

function parseTxHash({ transactionIds }: ChainFamily, text: string): TransactionId {
  const id = transactionIds.parse(text);
  if (id !== null) return id;
  throw buildInvalidInputError([{ path: 'txHash', message: transactionIds.rule }]);
}

async function describeExchanged(
  { chains }: StatusParts,
  reader: Pick<MarketReader, 'readTokens'>,
  of: {
    readonly slug: ChainSlug;
    readonly changes: readonly BalanceChange[];
    readonly trades: readonly TradeRecord[];
  },
): Promise<Pick<StatusAnswer, 'paid' | 'received'>> {
  const chain = chains.find(of.slug);
  if (chain === null) return { paid: null, received: null };
  const { addresses, coinUnit, wrapped } = chain;
  const toAsset = (token: Address) => (token === addresses.native ? wrapped : token);
  const picked = pickExchanged(of.changes, of.trades, toAsset);
  const tokens = [picked.paid, picked.received].flatMap((change) => change?.token ?? []);
  const rows = await reader.readTokens(of.slug, tokens);
  const describe = (change: BalanceChange | null) => {
    if (change === null) return null;
    const isNative = change.token === addresses.native;
    const row = rows.find(({ token }) => token === change.token);
    const { symbol, decimals } = isNative ? coinUnit : { symbol: null, decimals: null, ...row };
    const amountRaw = change.deltaRaw < 0n ? -change.deltaRaw : change.deltaRaw;
    return {
      ...{ mint: addresses.toShown(change.token), symbol, decimals, native: isNative },
      amountRaw: amountRaw.toString(),
      amount: decimals === null ? null : toUnits(amountRaw, decimals),
    };
  };
  return { paid: describe(picked.paid), received: describe(picked.received) };
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
      return { status: 'reverted', block, ...NOTHING, reason: mined.reason ?? null };
    }
    const isFinal = isIndexed && block <= checkpoint.finalizedBlock;
    const trades = isIndexed ? await readTransactionTrades(reader, chain, mined) : [];
    const { changes } = mined;
    return {
      status: isFinal ? 'finalized' : 'confirmed',
      block,
      ...NOTHING,
      ...(await describeExchanged(parts, reader, { slug: chain, changes, trades })),
      tradeIds: trades.map(({ txHash, index }) => `${chain}:${txHash}:${index}`),
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
      return { status: fate.state, block: null, ...NOTHING, searchedHeight };
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
