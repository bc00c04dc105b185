// A stored trade as answers and streams show it.

import { toUnits } from '../lib/decimal.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { TokenRecord, TradeRecord } from '../model/market-record.ts';
import type { OutputOf } from './operation.ts';
import type { getTrades } from './operations/get-trades.ts';
import type { getWalletTrades } from './operations/get-wallet-trades.ts';

type TradeAnswer = OutputOf<typeof getTrades>['trades'][number];

interface KnownOfTrade {
  /** The trade's token and its quote asset. */
  readonly tokens: ReadonlyMap<Address, Pick<TokenRecord, 'symbol' | 'decimals'>>;
  readonly finalizedBlock: number;
  readonly addresses: AddressCodec;
}

export function buildTradeAnswer(
  chain: ChainSlug,
  trade: TradeRecord,
  known: KnownOfTrade,
): TradeAnswer {
  const { addresses } = known;
  const decimals = known.tokens.get(trade.token)?.decimals ?? null;
  const quote = known.tokens.get(trade.quoteToken);
  const quoteDecimals = quote?.decimals ?? null;
  return {
    id: `${chain}:${trade.txHash}:${trade.index}`,
    txHash: trade.txHash,
    block: trade.block,
    index: trade.index,
    timestamp: trade.timestampMs,
    side: trade.side,
    wallet: addresses.toShown(trade.wallet),
    venue: trade.venue,
    pool: addresses.toShown(trade.pool),
    amountRaw: trade.amountRaw.toString(),
    amount: decimals === null ? null : toUnits(trade.amountRaw, decimals),
    quote: {
      mint: addresses.toShown(trade.quoteToken),
      symbol: quote?.symbol ?? null,
      decimals: quoteDecimals,
      amountRaw: trade.quoteAmountRaw.toString(),
      amount: quoteDecimals === null ? null : toUnits(trade.quoteAmountRaw, quoteDecimals),
    },
    priceNative: trade.priceNative,
    priceUsd: trade.priceUsd,
    valueNative: trade.valueNative,
    valueUsd: trade.valueUsd,
    outlier: trade.outlier,
    finality: trade.block <= known.finalizedBlock ? 'finalized' : 'confirmed',
  };
}

/** With the token that it is of. */
export function buildNamedTrade(
  chain: ChainSlug,
  trade: TradeRecord,
  known: KnownOfTrade,
): OutputOf<typeof getWalletTrades>['trades'][number] {
  const { symbol = null, decimals = null } = known.tokens.get(trade.token) ?? {};
  const token = { chain, mint: known.addresses.toShown(trade.token), symbol, decimals };
  return { token, ...buildTradeAnswer(chain, trade, known) };
}
