// Swaps of Orca's and Meteora's programs.

import { listSwapArrays } from '../../../amm/range-x64/range-x64-pool.ts';
import { findProgramAddress } from '../accounts/program-address.ts';
import { listDlmmSwapArrays } from '../venues/meteora-dlmm/dlmm-accounts.ts';
import { findVaultOwner } from '../venues/vault-owners.ts';
import { findOracle, findTickArray } from '../venues/whirlpool/whirlpool-accounts.ts';
import {
  asReadonly,
  asSigner,
  asWritable,
  encodeCall,
  encodeU64,
  type ProgramInstruction,
} from './program-instruction.ts';
import { encodeExactFirst, type SwapOrder, type VenueSwapEncoder } from './swap-order.ts';
import { MEMO_PROGRAM } from './token-instructions.ts';

const ORCA_SWAP = '2b04ed0b1ac91e62';
const DLMM_SWAP = '414b3f4ceb5b5b88';
const DLMM_SWAP_OUT = '2bd7f784893cf351';
const METEORA_SWAP = 'f8c69e91e17587c8';
/** The exact amount, the limit of the other, then a mode. */
const METEORA_SWAP2 = '414b3f4ceb5b5b88';
const EXACT_OUT = Buffer.from([2]);
const NO_PRICE_LIMIT = Buffer.alloc(16);
/** No accounts of transfer hooks. */
const NO_SLICES = Buffer.alloc(4);

/** Both sides of a swap in the pool's order. */
function orderSides(order: SwapOrder, isFirstIn: boolean) {
  const sideIn = { account: order.accountIn, program: order.tokenProgramIn, mint: order.mintIn };
  const sideOut = {
    ...{ account: order.accountOut, program: order.tokenProgramOut, mint: order.mintOut },
  };
  return isFirstIn ? ([sideIn, sideOut] as const) : ([sideOut, sideIn] as const);
}

function encodeOrca(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user } = order;
  const isAToB = data.key(101) === order.mintIn;
  const [a, b] = orderSides(order, isAToB);
  const range = { tick: data.i32(81), tickSpacing: data.u16(41) };
  const arrays = listSwapArrays(range, isAToB).map((start) => findTickArray(program, pool, start));
  return {
    program,
    accounts: [
      ...[
        asReadonly(a.program),
        asReadonly(b.program),
        asReadonly(MEMO_PROGRAM),
        asSigner(user),
        asWritable(pool),
      ],
      ...[asReadonly(a.mint), asReadonly(b.mint), asWritable(a.account), asWritable(data.key(133))],
      ...[asWritable(b.account), asWritable(data.key(213)), ...arrays.map(asWritable)],
      asWritable(findOracle(program, pool)),
    ],
    data: encodeCall(
      ORCA_SWAP,
      encodeExactFirst(order),
      NO_PRICE_LIMIT,
      // Whether the amount is the input; the direction; no further accounts.
      Buffer.from([order.fixed === 'input' ? 1 : 0, isAToB ? 1 : 0, 0]),
    ),
  };
}

function encodeDlmm(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user } = order;
  const isXIn = data.key(88) === order.mintIn;
  const [x, y] = orderSides(order, isXIn);
  const arrays = listDlmmSwapArrays({ data, pool, program, zeroForOne: isXIn });
  return {
    program,
    accounts: [
      // An optional account that is not given is the program itself.
      ...[
        asWritable(pool),
        asReadonly(program),
        asWritable(data.key(152)),
        asWritable(data.key(184)),
      ],
      ...[
        asWritable(order.accountIn),
        asWritable(order.accountOut),
        asReadonly(x.mint),
        asReadonly(y.mint),
      ],
      ...[
        asWritable(data.key(552)),
        asReadonly(program),
        asSigner(user),
        asReadonly(x.program),
        asReadonly(y.program),
      ],
      ...[asReadonly(MEMO_PROGRAM), asReadonly(findProgramAddress(program, ['__event_authority']))],
      ...[asReadonly(program), ...arrays.map(asWritable)],
    ],
    data: encodeCall(
      order.fixed === 'input' ? DLMM_SWAP : DLMM_SWAP_OUT,
      encodeU64(order.amountIn, order.amountOut),
      NO_SLICES,
    ),
  };
}

/** DAMM v2 and DBC have the same instructions. */
function encodeMeteoraCall(order: SwapOrder): Buffer {
  return order.fixed === 'input'
    ? encodeCall(METEORA_SWAP, encodeExactFirst(order))
    : encodeCall(METEORA_SWAP2, encodeExactFirst(order), EXACT_OUT);
}

function encodeDamm(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user } = order;
  const [a, b] = orderSides(order, data.key(168) === order.mintIn);
  return {
    program,
    accounts: [
      ...[asReadonly(findVaultOwner('meteora-damm-v2', pool)), asWritable(pool)],
      ...[asWritable(order.accountIn), asWritable(order.accountOut)],
      ...[
        asWritable(data.key(232)),
        asWritable(data.key(264)),
        asReadonly(a.mint),
        asReadonly(b.mint),
        asSigner(user),
      ],
      ...[asReadonly(a.program), asReadonly(b.program), asReadonly(program)],
      ...[asReadonly(findProgramAddress(program, ['__event_authority'])), asReadonly(program)],
    ],
    data: encodeMeteoraCall(order),
  };
}

function encodeDbc(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user } = order;
  const isBaseIn = data.key(136) === order.mintIn;
  const [base, quote] = orderSides(order, isBaseIn);
  return {
    program,
    accounts: [
      asReadonly(findVaultOwner('meteora-dbc', pool)),
      ...[asReadonly(data.key(72)), asWritable(pool)],
      ...[asWritable(order.accountIn), asWritable(order.accountOut)],
      ...[
        asWritable(data.key(168)),
        asWritable(data.key(200)),
        asReadonly(base.mint),
        asReadonly(quote.mint),
        asSigner(user),
      ],
      // Nobody is paid for a referral: an optional account that is not given is the program itself.
      ...[asReadonly(base.program), asReadonly(quote.program), asReadonly(program)],
      ...[asReadonly(findProgramAddress(program, ['__event_authority'])), asReadonly(program)],
    ],
    data: encodeMeteoraCall(order),
  };
}

/** By venue. */
export const RANGE_ENCODERS: Readonly<Record<string, VenueSwapEncoder>> = {
  'orca-whirlpool': { encode: encodeOrca, isOutputUnproven: true },
  'meteora-dlmm': { encode: encodeDlmm, isOutputUnproven: true },
  'meteora-damm-v2': { encode: encodeDamm, isOutputUnproven: true },
  'meteora-dbc': { encode: encodeDbc, isOutputUnproven: true },
};
