// GET /trade/status: the node has the status of a transaction, our index its trades.

import type { BalanceChange, MinedTransaction } from '../../chains/chain-transactions.ts';
import type { ChainFamily } from '../../chains/family.ts';
import { buildNamedTrade } from '../../contract/build-trade-answer.ts';
import type { HandlerContext } from '../../contract/handler.ts';
import type { InputOf, OutputOf } from '../../contract/operation.ts';
import type { getTrade } from '../../contract/operations/get-trade.ts';
import type { getTradeStatus } from '../../contract/operations/get-trade-status.ts';
import { buildNotReadyError, parseFollowedChain } from '../../contract/parse-reference.ts';
import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import { toUnits } from '../../lib/decimal.ts';
import { sleep } from '../../lib/retry.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address, TransactionId } from '../../model/ids.ts';
import type { TradeRecord } from '../../model/market-record.ts';
import type { MarketReader, MarketStore } from '../../store/store.ts';
import type { TradeChain, TradeChains } from '../quote/trade-chain.ts';
import { askNode, type BuildChains, readTransactionTrades } from './read-transaction-trades.ts';
import type { StatusWaits } from './status-waits.ts';

// GET /trade: the node has the block of a trade's transaction, our index the trade.

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

// What the sender of a transaction paid and received in its trades.

interface ExchangedAmounts {
  readonly paid: BalanceChange | null;
  readonly received: BalanceChange | null;
}

/**
 * Only what the trades are about counts: anybody may have sent other tokens along. Of several the
 * one is meant that is only an end of the trades, as a hop may leave a rest of what is between.
 */
function pickOne(
  changes: readonly BalanceChange[],
  { own, other }: { readonly own: ReadonlySet<Address>; readonly other: ReadonlySet<Address> },
  toAsset: (token: Address) => Address,
): BalanceChange | null {
  const traded = changes.filter(({ token }) => own.has(toAsset(token)));
  const ends = traded.filter(({ token }) => !other.has(toAsset(token)));
  const [one, ...more] = traded.length > 1 ? ends : traded;
  return one === undefined || more.length > 0 ? null : one;
}

/** An amount is null if the changes do not tell it. `toAsset` takes the native coin as wrapped. */
export function pickExchanged(
  changes: readonly BalanceChange[],
  trades: readonly Pick<TradeRecord, 'side' | 'token' | 'quoteToken'>[],
  toAsset: (token: Address) => Address,
): ExchangedAmounts {
  const inputs = new Set<Address>();
  const outputs = new Set<Address>();
  for (const { side, token, quoteToken } of trades) {
    inputs.add(toAsset(side === 'buy' ? quoteToken : token));
    outputs.add(toAsset(side === 'buy' ? token : quoteToken));
  }
  const losses = changes.filter(({ deltaRaw }) => deltaRaw < 0n);
  const gains = changes.filter(({ deltaRaw }) => deltaRaw > 0n);
  return {
    paid: pickOne(losses, { own: inputs, other: outputs }, toAsset),
    received: pickOne(gains, { own: outputs, other: inputs }, toAsset),
  };
}

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
