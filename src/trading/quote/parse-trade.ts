// Untrusted input of a trade → a request that can be priced, or the list of its errors.

import type { Priority, PriorityLevel } from '../../chains/priority.ts';
import { parseAddress, parseFollowedChain } from '../../contract/parse-reference.ts';
import { AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import { type ChainInfo, findFamilyName } from '../../model/chain.ts';
import type { TradeSide } from '../../model/market-record.ts';
import type { TradeRequest } from './priced-trade.ts';
import type { TradeChains } from './trade-chain.ts';

type PriorityInput =
  | PriorityLevel
  | { readonly microLamports: string }
  | { readonly maxPriorityFeePerGas: string };

export interface TradeInput {
  readonly chain: string;
  readonly mint: string;
  readonly side: TradeSide;
  /** Exactly one of the two. */
  readonly amountInRaw?: string;
  readonly amountOutRaw?: string;
  readonly slippageBps: number | 'auto';
  readonly quoteMint?: string;
  readonly priority: PriorityInput;
}

/** How many bits a token amount has. */
const AMOUNT_BITS: Readonly<Record<ChainInfo['family'], number>> = { evm: 256, solana: 64 };
/** The number of digits of 2^256. */
const DIGITS_MAX = 78;

function findAmountFault(text: string, bits: number): string | null {
  if (!/^\d+$/.test(text)) {
    return 'must be a whole number in decimal digits, in the smallest unit';
  }
  if (/^0+$/.test(text)) return 'must be above 0';
  if (text.startsWith('0')) return 'must not begin with 0';
  const isTooLarge = text.length > DIGITS_MAX || BigInt(text) >= 2n ** BigInt(bits);
  if (isTooLarge) return `must be below 2^${bits}`;
  return null;
}

function parseAmount({ amountInRaw, amountOutRaw }: TradeInput, bits: number) {
  const given = [
    ...(amountInRaw === undefined ? [] : [['amountInRaw', 'input', amountInRaw] as const]),
    ...(amountOutRaw === undefined ? [] : [['amountOutRaw', 'output', amountOutRaw] as const]),
  ];
  const [first, second] = given;
  if (first === undefined || second !== undefined) {
    const message = 'give exactly one of amountInRaw and amountOutRaw';
    throw buildInvalidInputError([{ path: second?.[0] ?? 'amountInRaw', message }]);
  }
  const [path, fixed, text] = first;
  const fault = findAmountFault(text, bits);
  if (fault !== null) throw buildInvalidInputError([{ path, message: fault }]);
  return { fixed, amountRaw: BigInt(text) };
}

/** How a price for a unit is named, and the most that is taken: more is taken for a mistake. */
const UNIT_PRICES: Readonly<
  Record<ChainInfo['family'], { readonly name: string; readonly max: bigint }>
> = {
  evm: { name: 'maxPriorityFeePerGas', max: 10n ** 13n },
  solana: { name: 'microLamports', max: 10n ** 8n },
};

function parsePriority(priority: PriorityInput, family: ChainInfo['family']): Priority {
  if (typeof priority === 'string') return priority;
  const { name, max } = UNIT_PRICES[family];
  const [[given, text] = ['', '']] = Object.entries(priority) as [string, string][];
  const refuse = (path: string, message: string): never => {
    throw buildInvalidInputError([{ path, message }]);
  };
  if (given !== name) refuse('priority', `must be low, medium, high or {${name}} on this chain`);
  if (!/^(0|[1-9]\d{0,20})$/.test(text)) {
    refuse(`priority.${name}`, 'must be a whole number in decimal digits');
  }
  const unitPrice = BigInt(text);
  return unitPrice > max ? refuse(`priority.${name}`, `must be at most ${max}`) : { unitPrice };
}

export function parseTrade(
  chains: Pick<TradeChains, 'known' | 'list' | 'findAddresses' | 'canTrade'>,
  input: TradeInput,
): TradeRequest {
  const chain = parseFollowedChain(chains, input.chain);
  const addresses = chains.findAddresses(chain);
  const mint = parseAddress(addresses, { chain, text: input.mint, field: 'mint' });
  const quoteMint =
    input.quoteMint === undefined
      ? addresses.native
      : parseAddress(addresses, { chain, text: input.quoteMint, field: 'quoteMint' });
  if (!chains.canTrade(chain)) throw new AppError('TRADING_NOT_SUPPORTED', { chain });
  const { side, slippageBps } = input;
  const family = findFamilyName(chain);
  const amount = parseAmount(input, AMOUNT_BITS[family]);
  const priority = parsePriority(input.priority, family);
  return { chain, mint, side, quoteMint, ...amount, slippageBps, priority };
}
