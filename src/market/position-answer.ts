// A position as it is answered: the stored fold, brought to what the wallet holds now.

import type { OutputOf } from '../contract/operation.ts';
import type { getWalletPositions } from '../contract/operations/get-wallet-positions.ts';
import { pow10, ratioToText, toUnits } from '../lib/decimal.ts';
import type { TokenRecord } from '../model/market-record.ts';
import type { PositionRecord, TradeFigures } from '../model/position.ts';
import { settlePosition } from '../positions/position-fold.ts';
import type { MarketChain } from './market-parts.ts';
import { findPrices } from './token-summary.ts';
import { computeValueE6, toUsdE6Text } from './usd-figures.ts';

type PositionAnswer = OutputOf<typeof getWalletPositions>['positions'][number];

type PositionFields = Omit<PositionAnswer, 'mint' | 'symbol' | 'decimals'>;

interface PositionParts {
  readonly position: PositionRecord;
  readonly token: TokenRecord;
  /** Of the trades that are shown. */
  readonly figures: TradeFigures;
  /** The indexed balance, which may be a part of what the wallet holds. */
  readonly balanceRaw: bigint;
  /** What the wallet holds; null if that is not known. */
  readonly amountRaw: bigint | null;
  /** After this time all balances of the token were known at each trade. */
  readonly balancesFromMs: number;
}

/** In 18 significant digits. */
function computeAverageCost(held: PositionRecord, decimals: number | null): string | null {
  if (held.boughtRaw === 0n || decimals === null) return null;
  return ratioToText({
    numerator: held.costUsdE6 * pow10(decimals),
    denominator: held.boughtRaw * pow10(6),
  });
}

export function buildPositionFields(market: MarketChain, parts: PositionParts): PositionFields {
  const { position, token, figures, amountRaw } = parts;
  const { decimals } = token;
  const isCoin = token.token === market.assets.coin;
  const held = isCoin ? position : settlePosition(position, parts.balanceRaw);
  const { priceUsd } = findPrices(market, token);
  return {
    amountRaw: amountRaw?.toString() ?? null,
    amount: amountRaw === null || decimals === null ? null : toUnits(amountRaw, decimals),
    averageCostUsd: computeAverageCost(held, decimals),
    costBasisUsd: toUsdE6Text(held.costUsdE6),
    unrealisedUsd:
      decimals === null || priceUsd === null
        ? null
        : toUsdE6Text(computeValueE6(held.boughtRaw, decimals, priceUsd) - held.costUsdE6),
    realisedUsd: toUsdE6Text(figures.realisedUsdE6),
    volumeUsd: toUsdE6Text(figures.volumeUsdE6),
    buys: figures.buys,
    sells: figures.sells,
    firstTradeAt: position.firstTradeAtMs,
    lastTradeAt: position.lastTradeAtMs,
    complete: held.isCostKnown && position.firstTradeAtMs > parts.balancesFromMs,
  };
}
