// Meteora DLMM: events as calls to itself.

import { toBinPrice } from '../../../../amm/bins/bin-price.ts';
import { readSelfEvents } from '../../data/self-events.ts';
import { toSolanaAddress } from '../../data/solana-ids.ts';
import { listInstructionIds, nameInstructionIds } from '../instruction-ids.ts';
import {
  describeLoad,
  describeSwap,
  type SolanaVenue,
  type SwapEvidence,
  type SwapReport,
} from '../solana-venue.ts';
import { DLMM_LAYOUT, listDlmmAccounts, readDlmmPool } from './dlmm-accounts.ts';
import { DLMM_ENCODER } from './encode-swap.ts';

/** Since 2026 each swap also has an event of a second kind, which is not counted. */
const SWAP_EVENT = '516ce3becdd00ac4';
const PLACES = { pool: 0, vaults: [2, 3], user: 10 } as const;

function readReports({ call }: SwapEvidence): SwapReport[] {
  return readSelfEvents(call, SWAP_EVENT).map((event) => ({
    ...{ pool: event.key(8), amountIn: event.u64(80), amountOut: event.u64(88), change: null },
    fold: (pool, { isZeroIn, nowSeconds }) => {
      if (pool.kind !== 'bins') return null;
      const activeId = event.i32(76);
      const priceX64 = toBinPrice(activeId, pool.terms.binStep);
      const amounts = { amountIn: event.u64(80), amountOut: event.u64(88) };
      const swap = { zeroForOne: isZeroIn, ...amounts, nowSeconds };
      return { poolKind: 'bins', set: { activeId, priceX64 }, swap };
    },
  }));
}

export const METEORA_DLMM: SolanaVenue = {
  name: 'meteora-dlmm',
  programs: [toSolanaAddress('LBUZKhRxPF3XUpBCjp4YzTKgLccjZhTSDM9YuVaPwxo')],
  discriminatorBytes: 8,
  swaps: {
    f8c69e91e17587c8: describeSwap('swap', PLACES),
    '414b3f4ceb5b5b88': describeSwap('swap2', PLACES),
    fa49652126cf4bb8: describeSwap('swap_exact_out', PLACES),
    '2bd7f784893cf351': describeSwap('swap_exact_out2', PLACES),
    '38ade6d0ade49ccd': describeSwap('swap_with_price_impact', PLACES),
    '4a62c0d6b1334b33': describeSwap('swap_with_price_impact2', PLACES),
  },
  creations: {
    '2d9aedd2dd0fa65c': { name: 'initialize_lb_pair', pool: 0 },
    '493b2478ed536cc6': { name: 'initialize_lb_pair2', pool: 0 },
    '6c66d555fb033515': { name: 'initialize_permission_lb_pair', pool: 1 },
    '2e2729876fb7c840': { name: 'initialize_customizable_permissionless_lb_pair', pool: 0 },
    f349817e3313f16b: { name: 'initialize_customizable_permissionless_lb_pair2', pool: 0 },
  },
  touches: {
    ...listInstructionIds(
      [
        ...['add_liquidity', 'add_liquidity2', 'add_liquidity_by_weight'],
        ...['add_liquidity_by_strategy', 'add_liquidity_by_strategy2'],
        ...['add_liquidity_by_strategy_one_side', 'add_liquidity_one_side'],
        ...['add_liquidity_one_side_precise', 'add_liquidity_one_side_precise2'],
        ...['remove_liquidity', 'remove_liquidity2', 'remove_all_liquidity'],
        ...['remove_liquidity_by_range', 'remove_liquidity_by_range2', 'rebalance_liquidity'],
      ],
      1,
    ),
    ...listInstructionIds(['go_to_a_bin', 'set_pair_status'], 0),
  },
  others: nameInstructionIds([
    ...['initialize_position', 'initialize_position2', 'initialize_position_pda'],
    ...['initialize_bin_array', 'initialize_bin_array_bitmap_extension', 'close_position'],
    ...['close_position2', 'close_position_if_empty', 'claim_fee', 'claim_fee2', 'claim_reward'],
    ...['claim_reward2', 'update_fees_and_rewards', 'update_fees_and_reward2'],
    ...['increase_oracle_length', 'withdraw_protocol_fee'],
  ]),
  readReports,
  listAccounts: listDlmmAccounts,
  layout: DLMM_LAYOUT,
  readPool: readDlmmPool,
  encoder: DLMM_ENCODER,
  findLoad: describeLoad('bins', {
    ...{ units: 100_000n, unitsPerTick: 12_000n, bytes: 348, sharedBytes: 96 },
    ...{ fixesOutput: true, receivesTokens: true },
    findStepBps: (pool) => (pool.kind === 'bins' ? pool.terms.binStep : null),
  }),
  folds: {
    kind: 'bins',
    stale: { poolKind: 'bins', set: {}, isStale: true },
    holdsVaults: true,
  },
  takesTransferFees: 'unchecked',
};
