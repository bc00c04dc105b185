// A token's row, created by the first event that mentions it.

import type { Address } from '../../model/ids.ts';
import type { MarketState, TokenEntry } from './market-state.ts';

/** The token's row; created in the current block if missing. */
export function openTokenEntry(state: MarketState, token: Address): TokenEntry {
  const entry = state.tokens.get(token);
  if (entry !== undefined) return entry;
  const metadata = state.metadata.get(token);
  if (metadata === undefined) throw new Error(`metadata of ${token} was not loaded`);
  return state.createToken({
    token,
    symbol: metadata.symbol,
    name: metadata.name,
    decimals: metadata.decimals,
    firstSeenBlock: state.header.position,
    firstSeenAtMs: state.header.timestampMs,
    balanceSumRaw: 0n,
    holders: 0,
    balancesBroken: false,
    supplyRaw: null,
    supplyBlock: null,
    supplyBalanceSumRaw: null,
    priceNative: null,
    priceUsd: null,
    lastTradeAtMs: null,
    tradeCount: 0,
    liquidityUsdE18: null,
    pairedPool: null,
    pairedUsdE18: null,
  });
}
