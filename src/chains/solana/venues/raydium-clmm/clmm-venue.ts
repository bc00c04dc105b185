// Raydium CLMM and its forks: events in the log, with the pool's price and liquidity afterwards.

import { AccountBytes } from '../../data/account-bytes.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import { listInstructionIds, nameInstructionIds } from '../instruction-ids.ts';
import {
  describeLoad,
  describeSwap,
  type SolanaVenue,
  type SwapEvidence,
  type SwapReport,
} from '../solana-venue.ts';
import { BYREAL_PROGRAM, CLMM_LAYOUT, listClmmAccounts, readClmmPool } from './clmm-accounts.ts';
import { CLMM_ENCODER } from './encode-swap.ts';

/** CPMM's events have the same one: only the call that wrote it tells them apart. */
const SWAP_EVENT = '40c6cde8260871e2';
const PLACES = { pool: 2, vaults: [5, 6], user: 0 } as const;

function readReport(event: AccountBytes): SwapReport {
  const zeroForOne = event.u8(168) !== 0;
  const [amount0, amount1] = [event.u64(136), event.u64(152)];
  const set = { sqrtPriceX64: event.u128(169), liquidity: event.u128(185), tick: event.i32(201) };
  return {
    pool: event.key(8),
    amountIn: zeroForOne ? amount0 : amount1,
    amountOut: zeroForOne ? amount1 : amount0,
    change: { poolKind: 'rangeX64', set },
  };
}

function readReports({ logged }: SwapEvidence): SwapReport[] {
  return logged
    .map((bytes) => new AccountBytes(bytes))
    .filter((event) => event.discriminator() === SWAP_EVENT)
    .map(readReport);
}

/** What all of them have in common: by their IDLs, accounts, calls and events are the same. */
const SHARED: Omit<SolanaVenue, 'name' | 'programs'> = {
  discriminatorBytes: 8,
  swaps: {
    f8c69e91e17587c8: describeSwap('swap', PLACES),
    '2b04ed0b1ac91e62': describeSwap('swap_v2', PLACES),
  },
  creations: {
    e992d18ecf6840bc: { name: 'create_pool', pool: 2 },
    '2b44d4a7592fa401': { name: 'create_customizable_pool', pool: 2 },
  },
  touches: {
    ...listInstructionIds(['open_position', 'open_position_v2'], 5),
    ...listInstructionIds(['open_position_with_token22_nft'], 4),
    ...listInstructionIds(['increase_liquidity', 'increase_liquidity_v2'], 2),
    ...listInstructionIds(['decrease_liquidity', 'decrease_liquidity_v2'], 3),
    ...listInstructionIds(['update_pool_status'], 1),
  },
  others: nameInstructionIds([
    ...['close_position', 'collect_protocol_fee', 'collect_fund_fee', 'update_reward_infos'],
    ...['initialize_reward', 'set_reward_params', 'collect_remaining_rewards'],
  ]),
  readReports,
  listAccounts: listClmmAccounts,
  layout: CLMM_LAYOUT,
  readPool: readClmmPool,
  encoder: CLMM_ENCODER,
  takesTransferFees: 'unchecked',
};

export const BYREAL: SolanaVenue = {
  ...SHARED,
  name: 'byreal',
  programs: [BYREAL_PROGRAM],
};

export const PANCAKESWAP_CLMM: SolanaVenue = {
  ...SHARED,
  name: 'pancakeswap-clmm',
  programs: [toSolanaAddress('HpNfyc2Saw7RKkQd8nEL4khUcuPhQ7WwY1B2qjx8jxFq')],
};

export const RAYDIUM_CLMM: SolanaVenue = {
  ...SHARED,
  name: 'raydium-clmm',
  programs: [toSolanaAddress('CAMMCzo5YL8w4VFF8KVHrK22GGUsp5VTaW7grrKgrWqK')],
  findLoad: describeLoad('rangeX64', {
    ...{ units: 110_000n, unitsPerTick: 15_000n, bytes: 424, sharedBytes: 64 },
    ...{ fixesOutput: true, receivesTokens: true },
    findStepBps: (pool) => (pool.kind === 'rangeX64' ? pool.terms.tickSpacing : null),
  }),
  folds: {
    kind: 'rangeX64',
    stale: { poolKind: 'rangeX64', set: {}, isStale: true },
    holdsVaults: true,
  },
};
