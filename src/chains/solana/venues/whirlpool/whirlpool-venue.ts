// Orca Whirlpools: events in the log since 2025, none before.

import { TICK_TABLES } from '../../../../amm/clmm-x64/tick-prices.ts';
import { AccountBytes } from '../../data/account-bytes.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import { listInstructionIds, nameInstructionIds } from '../instruction-ids.ts';
import {
  describeSwap,
  describeTwoSwaps,
  type SolanaVenue,
  type SwapEvidence,
  type SwapReport,
} from '../solana-venue.ts';
import { WHIRLPOOL_ENCODER } from './encode-swap.ts';
import { listWhirlpoolAccounts, readWhirlpool, WHIRLPOOL_LAYOUT } from './whirlpool-accounts.ts';

const TRADED_EVENT = 'e1ca49af932ba096';

function readReports({ logged }: SwapEvidence): SwapReport[] {
  return logged
    .map((bytes) => new AccountBytes(bytes))
    .filter((event) => event.discriminator() === TRADED_EVENT)
    .map((event) => {
      const sqrtPriceX64 = event.u128(57);
      const set = { sqrtPriceX64, tick: TICK_TABLES.orca.findTick(sqrtPriceX64) };
      return {
        pool: event.key(8),
        // A fee of the mint is in the amount, and does not reach the vault.
        amountIn: event.u64(73) - event.u64(89),
        amountOut: event.u64(81),
        change: { poolKind: 'rangeX64', set },
      };
    });
}

export const WHIRLPOOL: SolanaVenue = {
  name: 'orca-whirlpool',
  // The second is the twin of 2026 that cannot be upgraded.
  programs: [
    toSolanaAddress('whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc'),
    toSolanaAddress('iwhrLHdsgrvmnwU8GF2FSmyabSMjfHwFGJAX2ufJ3ZN'),
  ],
  discriminatorBytes: 8,
  swaps: {
    f8c69e91e17587c8: describeSwap('swap', { pool: 2, vaults: [4, 6], user: 1 }),
    '2b04ed0b1ac91e62': describeSwap('swap_v2', { pool: 4, vaults: [8, 10], user: 3 }),
    c360ed6c44a2dbe6: describeTwoSwaps('two_hop_swap', [
      { pool: 2, vaults: [5, 7], user: 1 },
      { pool: 3, vaults: [9, 11], user: 1 },
    ]),
    ba8fd11dfe02c275: describeTwoSwaps('two_hop_swap_v2', [
      { pool: 0, vaults: [9, 10], user: 14 },
      { pool: 1, vaults: [11, 12], user: 14 },
    ]),
  },
  creations: {
    '5fb40aac54aee828': { name: 'initialize_pool', pool: 4 },
    cf2d57f21b3fcc43: { name: 'initialize_pool_v2', pool: 6 },
    '8f5e604cac7c77c7': { name: 'initialize_pool_with_adaptive_fee', pool: 7 },
  },
  touches: {
    ...listInstructionIds(
      [
        ...['increase_liquidity', 'increase_liquidity_v2'],
        ...['decrease_liquidity', 'decrease_liquidity_v2'],
      ],
      0,
    ),
    ...listInstructionIds(['set_fee_rate'], 1),
  },
  others: nameInstructionIds([
    ...['open_position', 'open_position_with_metadata', 'open_position_with_token_extensions'],
    ...['close_position', 'close_position_with_token_extensions', 'update_fees_and_rewards'],
    ...['collect_fees', 'collect_fees_v2', 'collect_reward', 'collect_reward_v2'],
    ...['collect_protocol_fees', 'collect_protocol_fees_v2', 'initialize_tick_array'],
    ...['initialize_dynamic_tick_array', 'lock_position', 'open_bundled_position'],
    ...['close_bundled_position', 'reset_position_range', 'transfer_locked_position'],
  ]),
  readReports,
  listAccounts: listWhirlpoolAccounts,
  layout: WHIRLPOOL_LAYOUT,
  readPool: readWhirlpool,
  encoder: WHIRLPOOL_ENCODER,
  takesTransferFees: 'compared',
};
