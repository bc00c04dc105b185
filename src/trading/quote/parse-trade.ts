// Untrusted input of a trade → a request that can be priced, or the list of its errors.

import { parseAddress, parseFollowedChain } from '../../contract/parse-reference.ts';
import { buildInvalidInputError } from '../../errors/app-error.ts';
import type { TradeSide } from '../../model/market-record.ts';
import type { TradeRequest } from './priced-trade.ts';
import type { TradeChains } from './trade-chain.ts';

export interface TradeInput {
  readonly chain: string;
  readonly mint: string;
  readonly side: TradeSide;
  readonly amountInRaw: string;
  readonly slippageBps: number;
  readonly quoteMint?: string;
}

const AMOUNT_END = 2n ** 256n;
/** The number of digits of 2^256. */
const DIGITS_MAX = 78;

function findAmountFault(text: string): string | null {
  if (!/^\d+$/.test(text)) {
    return 'must be a whole number in decimal digits, in the smallest unit of what is spent';
  }
  if (/^0+$/.test(text)) return 'must be above 0';
  if (text.startsWith('0')) return 'must not begin with 0';
  if (text.length > DIGITS_MAX || BigInt(text) >= AMOUNT_END) return 'must be below 2^256';
  return null;
}

export function parseTrade(
  chains: Pick<TradeChains, 'list' | 'findAddresses'>,
  input: TradeInput,
): TradeRequest {
  const chain = parseFollowedChain(chains.list(), input.chain);
  const addresses = chains.findAddresses(chain);
  const mint = parseAddress(addresses, { chain, text: input.mint, field: 'mint' });
  const quoteMint =
    input.quoteMint === undefined
      ? addresses.native
      : parseAddress(addresses, { chain, text: input.quoteMint, field: 'quoteMint' });
  const fault = findAmountFault(input.amountInRaw);
  if (fault !== null) throw buildInvalidInputError([{ path: 'amountInRaw', message: fault }]);
  const { side, slippageBps } = input;
  return { chain, mint, side, quoteMint, amountInRaw: BigInt(input.amountInRaw), slippageBps };
}
