// Instructions of the curve stand-in.

import {
  discriminate,
  encodeText,
  findAddress,
  findTokenAccount,
  keyBytes,
  type MintRef,
  PUMP,
  PUMP_FEES,
  SYSTEM,
  u64,
} from './instructions.ts';
import { TOKEN_2022 } from './token-balance.ts';
import { type Instruction, use } from './wire-transaction.ts';

const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const MAYHEM = 'MAyhSmzXzV1pTf7LsNkrNwkWKTo4ougAJ1PPg47MD4e';

export const PUMP_GLOBAL = findAddress(PUMP, ['global']);
export const PUMP_FEE_CONFIG = findAddress(PUMP_FEES, ['fee_config', keyBytes(PUMP)]);
const EVENT_AUTHORITY = findAddress(PUMP, ['__event_authority']);
const MINT_AUTHORITY = findAddress(PUMP, ['mint-authority']);
const GLOBAL_VOLUME = findAddress(PUMP, ['global_volume_accumulator']);

/** A coin on a curve: always of Token-2022, with six decimals. */
export interface CurveCoin extends MintRef {
  readonly creator: string;
  readonly curve: string;
}

export function describeCurve(mint: string, creator: string): CurveCoin {
  const curve = findAddress(PUMP, ['bonding-curve', keyBytes(mint)]);
  return { mint, program: TOKEN_2022, creator, curve };
}

/** It must exist before the first trade: fees are too small to open it. */
export function findCreatorVault(creator: string): string {
  return findAddress(PUMP, ['creator-vault', keyBytes(creator)]);
}

export function createCurve(
  user: string,
  coin: CurveCoin,
  texts: { readonly name: string; readonly symbol: string; readonly uri: string },
): Instruction {
  const { name, symbol, uri } = texts;
  return {
    program: PUMP,
    accounts: [
      ...[use.payer(coin.mint), use.readonly(MINT_AUTHORITY), use.writable(coin.curve)],
      use.writable(findTokenAccount(coin.curve, coin)),
      ...[use.readonly(PUMP_GLOBAL), use.payer(user)],
      ...[SYSTEM, TOKEN_2022, ASSOCIATED].map(use.readonly),
      // Of the mayhem program, which this chain does not have.
      ...Array.from({ length: 5 }, () => use.readonly(MAYHEM)),
      ...[EVENT_AUTHORITY, PUMP].map(use.readonly),
    ],
    data: Buffer.concat([
      discriminate('global', 'create_v2'),
      ...[name, symbol, uri].map(encodeText),
      keyBytes(coin.creator),
      Uint8Array.of(0),
    ]),
  };
}

type CurveOrder =
  | { readonly kind: 'buy'; readonly tokens: bigint; readonly mostLamports: bigint }
  | { readonly kind: 'buy_exact_sol_in'; readonly lamports: bigint; readonly leastTokens: bigint }
  | { readonly kind: 'sell'; readonly tokens: bigint; readonly leastLamports: bigint };

function listAmounts(order: CurveOrder): readonly [bigint, bigint] {
  if (order.kind === 'buy') return [order.tokens, order.mostLamports];
  if (order.kind === 'sell') return [order.tokens, order.leastLamports];
  return [order.lamports, order.leastTokens];
}

export function tradeCurve(
  user: string,
  trade: { readonly coin: CurveCoin; readonly feeRecipient: string; readonly order: CurveOrder },
): Instruction {
  const { coin, feeRecipient, order } = trade;
  const vault = use.writable(findCreatorVault(coin.creator));
  const token = use.readonly(coin.program);
  const isSale = order.kind === 'sell';
  const volume = findAddress(PUMP, ['user_volume_accumulator', keyBytes(user)]);
  return {
    program: PUMP,
    accounts: [
      ...[use.readonly(PUMP_GLOBAL), use.writable(feeRecipient), use.readonly(coin.mint)],
      ...[coin.curve, findTokenAccount(coin.curve, coin)].map(use.writable),
      ...[use.writable(findTokenAccount(user, coin)), use.payer(user), use.readonly(SYSTEM)],
      ...(isSale ? [vault, token] : [token, vault]),
      ...[EVENT_AUTHORITY, PUMP].map(use.readonly),
      ...(isSale ? [] : [use.readonly(GLOBAL_VOLUME), use.writable(volume)]),
      ...[PUMP_FEE_CONFIG, PUMP_FEES].map(use.readonly),
    ],
    data: Buffer.concat([discriminate('global', order.kind), ...listAmounts(order).map(u64)]),
  };
}

/** Hands the funds of a sold-out curve to the authority, for a pool that is opened next. */
export function migrateCurve(authority: string, coin: CurveCoin, pool: string): Instruction {
  return {
    program: PUMP,
    accounts: [
      ...[use.readonly(PUMP_GLOBAL), use.payer(authority), use.readonly(coin.mint)],
      ...[coin.curve, findTokenAccount(coin.curve, coin)].map(use.writable),
      ...[use.writable(findTokenAccount(authority, coin)), use.readonly(coin.program)],
      ...[pool, EVENT_AUTHORITY, PUMP].map(use.readonly),
    ],
    data: discriminate('global', 'migrate'),
  };
}
