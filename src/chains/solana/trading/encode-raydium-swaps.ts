// Swaps of Raydium's three programs.

import { findProgramAddress, toSeed } from '../accounts/program-address.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../solana-ids.ts';
import { listClmmSwapArrays } from '../venues/raydium-clmm/clmm-accounts.ts';
import { findVaultOwner } from '../venues/vault-owners.ts';
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

const CPMM_SWAP = '8fbe5adac41e33de';
const CPMM_SWAP_OUT = '37d96256a34ab4ad';
const CLMM_SWAP = '2b04ed0b1ac91e62';
/** `swap_base_in` without the accounts of the order book. */
const V4_SWAP = '10';
const V4_SWAP_OUT = '11';
const NO_PRICE_LIMIT = Buffer.alloc(16);

/** The vaults in the direction of the swap. */
function orderVaults(order: SwapOrder, places: { mint0: number; vault0: number; vault1: number }) {
  const { data, mintIn } = order;
  const vaults = [data.key(places.vault0), data.key(places.vault1)] as const;
  const isZeroIn = data.key(places.mint0) === mintIn;
  return {
    isZeroIn,
    vaultIn: isZeroIn ? vaults[0] : vaults[1],
    vaultOut: isZeroIn ? vaults[1] : vaults[0],
  };
}

function encodeCpmm(order: SwapOrder): ProgramInstruction {
  const { data, pool, user } = order;
  const { vaultIn, vaultOut } = orderVaults(order, { mint0: 168, vault0: 72, vault1: 104 });
  return {
    program: order.program,
    accounts: [
      ...[
        asSigner(user),
        asReadonly(findVaultOwner('raydium-cpmm', pool)),
        asReadonly(data.key(8)),
        asWritable(pool),
      ],
      ...[
        asWritable(order.accountIn),
        asWritable(order.accountOut),
        asWritable(vaultIn),
        asWritable(vaultOut),
      ],
      ...[asReadonly(order.tokenProgramIn), asReadonly(order.tokenProgramOut)],
      ...[asReadonly(order.mintIn), asReadonly(order.mintOut), asWritable(data.key(296))],
    ],
    data: encodeCall(
      order.fixed === 'input' ? CPMM_SWAP : CPMM_SWAP_OUT,
      encodeU64(order.amountIn, order.amountOut),
    ),
  };
}

function encodeV4(order: SwapOrder): ProgramInstruction {
  const { data, pool, user } = order;
  return {
    program: order.program,
    accounts: [
      ...[
        asReadonly(TOKEN_PROGRAM),
        asWritable(pool),
        asReadonly(findVaultOwner('raydium-v4', pool)),
      ],
      ...[asWritable(data.key(336)), asWritable(data.key(368))],
      ...[asWritable(order.accountIn), asWritable(order.accountOut), asSigner(user)],
    ],
    data: encodeCall(
      order.fixed === 'input' ? V4_SWAP : V4_SWAP_OUT,
      encodeU64(order.amountIn, order.amountOut),
    ),
  };
}

function encodeClmm(order: SwapOrder): ProgramInstruction {
  const { data, pool, program, user } = order;
  const places = { mint0: 73, vault0: 137, vault1: 169 };
  const { isZeroIn, vaultIn, vaultOut } = orderVaults(order, places);
  const arrays = listClmmSwapArrays({ data, pool, program, zeroForOne: isZeroIn });
  const bitmap = findProgramAddress(program, ['pool_tick_array_bitmap_extension', toSeed(pool)]);
  return {
    program,
    accounts: [
      ...[asSigner(user), asReadonly(data.key(9)), asWritable(pool)],
      ...[
        asWritable(order.accountIn),
        asWritable(order.accountOut),
        asWritable(vaultIn),
        asWritable(vaultOut),
      ],
      ...[
        asWritable(data.key(201)),
        asReadonly(TOKEN_PROGRAM),
        asReadonly(TOKEN_2022_PROGRAM),
        asReadonly(MEMO_PROGRAM),
      ],
      ...[
        asReadonly(order.mintIn),
        asReadonly(order.mintOut),
        asReadonly(bitmap),
        ...arrays.map(asWritable),
      ],
    ],
    data: encodeCall(
      CLMM_SWAP,
      encodeExactFirst(order),
      NO_PRICE_LIMIT,
      Buffer.from([order.fixed === 'input' ? 1 : 0]),
    ),
  };
}

/** By venue. */
export const RAYDIUM_ENCODERS: Readonly<Record<string, VenueSwapEncoder>> = {
  'raydium-cpmm': { encode: encodeCpmm },
  'raydium-v4': { encode: encodeV4, isOutputUnproven: true },
  'raydium-clmm': { encode: encodeClmm, isOutputUnproven: true },
};
