// Prices trades of tokens that the index does not have, or whose older pools it may not have: they
// are looked up on their chain, and the trade is priced again.

import { type LookupDesk, lookUpToken } from '../../contract/look-up-token.ts';
import { LOOKUP_COST } from '../../contract/operation.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Address } from '../../model/ids.ts';
import type { PriceTrade, TradeCaller, TradeRequest } from './priced-trade.ts';
import type { TradeChain, TradeChains } from './trade-chain.ts';

interface OnDemandParts {
  readonly chains: Pick<TradeChains, 'find'>;
  /** Absent if nothing is looked up. */
  readonly lookups?: LookupDesk | undefined;
}

interface PricedDemand {
  readonly lookups: LookupDesk;
  readonly chain: TradeChain;
  readonly request: TradeRequest;
  readonly caller: TradeCaller;
}

function isCode(error: unknown, code: AppError['code']): boolean {
  return error instanceof AppError && error.code === code;
}

function lookUp(demand: PricedDemand, token: Address, isKnown: boolean): Promise<boolean> {
  const { lookups, chain, caller } = demand;
  const mint = chain.addresses.toShown(token);
  return lookUpToken(
    lookups,
    { chain: chain.slug, token, mint, isKnown },
    {
      key: caller.key,
      identity: caller.identity,
      charge: () => caller.chargeAhead(LOOKUP_COST),
      refund: (cost) => caller.charge(-cost),
    },
  );
}

/** Looks up what the index does not have; false if it is no token. */
async function findUnknown(demand: PricedDemand): Promise<boolean> {
  const { chain, request } = demand;
  const ends = [request.mint, request.quoteMint].filter((one) => one !== chain.addresses.native);
  const known = await chain.tokens.read(ends);
  let isAnyFound = false;
  for (const token of new Set(ends)) {
    if (known.has(token)) continue;
    if (await lookUp(demand, token, false)) isAnyFound = true;
  }
  return isAnyFound;
}

/** Looks for older pools of a known token; false if that brings nothing. */
async function findOlderPools(demand: PricedDemand): Promise<boolean> {
  const { chain, request } = demand;
  // A chain that is indexed from its beginning has no older pools.
  if ((chain.readGraph()?.checkpoint.startBlock ?? 0) <= 1) return false;
  try {
    return await lookUp(demand, request.mint, true);
  } catch (error) {
    if (isCode(error, 'LOOKUP_PENDING')) throw error;
    return false;
  }
}

export function createPriceOnDemand(price: PriceTrade, parts: OnDemandParts): PriceTrade {
  const { lookups } = parts;
  if (lookups === undefined) return price;
  return async (request, caller, options) => {
    try {
      return await price(request, caller, options);
    } catch (error) {
      const isUnknown = isCode(error, 'TOKEN_NOT_FOUND');
      const chain = parts.chains.find(request.chain);
      // Older pools that are not known yet may lead there.
      const isUnreached = isCode(error, 'NO_MARKET') || isCode(error, 'NO_SINGLE_ROUTER');
      if (chain === null || (!isUnknown && !isUnreached)) throw error;
      const demand = { lookups, chain, request, caller };
      if (!(await (isUnknown ? findUnknown(demand) : findOlderPools(demand)))) throw error;
      await chain.settle();
      return await price(request, caller, options);
    }
  };
}
