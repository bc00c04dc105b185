// A pool with a feature that was never compared with its program is not exact, or not quoted, and
// the feature has a name.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { skipWithoutSolana as skip } from '../../../../test/solana-fixtures.ts';
import {
  type BytePatch,
  buildPoolRecord,
  createRecordedSwapPool,
  ofPool,
  patchPool,
  type RecordedPool,
  readPoolAt,
  readRecordedPool,
  withDiscriminator,
} from '../../../../test/solana-pools.ts';
import { ceiledProductKind } from '../../../amm/ceiled-product/ceiled-product-kind.ts';
import type { PoolDraft } from '../../../amm/pool-kind.ts';
import { kindOf } from '../../../amm/pool-kinds.ts';
import { pumpKind } from '../../../amm/pump/pump-kind.ts';
import { joinFlags } from '../../../amm/unchecked-flag.ts';
import type { PoolRecordOf } from '../../../model/pool.ts';

const CPMM_CONFIG = 'D4FPEruKEHrG5TenZ2mpDGEfu1iUvTiqBxvpU8HLBvC2';
const CLMM_TICKS = withDiscriminator('c09b55cd31f9812a');
const BIN_ARRAY = withDiscriminator('5c8e5cdc059446b5');

interface FlagCase {
  readonly folder: string;
  readonly flag: string;
  readonly isQuoted: boolean;
  readonly patches: readonly BytePatch[];
}

const CASES: readonly FlagCase[] = [
  {
    ...{ folder: 'raydium-cpmm-sol-usdc', flag: 'creatorFeeOnOutput', isQuoted: true },
    patches: [
      { account: ofPool, offset: 389, bytes: [1, 1] },
      { account: () => CPMM_CONFIG, offset: 108, bytes: [100] },
    ],
  },
  {
    ...{ folder: 'raydium-cpmm-sol-usdc', flag: 'closed', isQuoted: false },
    patches: [{ account: ofPool, offset: 329, bytes: [4] }],
  },
  {
    ...{ folder: 'raydium-v4-made-up', flag: 'closed', isQuoted: false },
    patches: [{ account: ofPool, offset: 0, bytes: [2] }],
  },
  {
    ...{ folder: 'raydium-v4-made-up', flag: 'orderBook', isQuoted: false },
    patches: [{ account: ofPool, offset: 0, bytes: [1] }],
  },
  {
    ...{ folder: 'raydium-clmm-local', flag: 'dynamicFee', isQuoted: false },
    patches: [{ account: ofPool, offset: 1096, bytes: [1] }],
  },
  {
    ...{ folder: 'raydium-clmm-local', flag: 'feeOnOutput', isQuoted: false },
    patches: [{ account: ofPool, offset: 390, bytes: [1] }],
  },
  {
    ...{ folder: 'raydium-clmm-local', flag: 'limitOrders', isQuoted: true },
    patches: [{ account: CLMM_TICKS, offset: 44 + 116, bytes: [1] }],
  },
  {
    ...{ folder: 'meteora-dlmm-lia-sol', flag: 'limitOrders', isQuoted: true },
    patches: [{ account: BIN_ARRAY, offset: 56 + 112, bytes: [1] }],
  },
  {
    ...{ folder: 'meteora-dlmm-lia-sol', flag: 'feeOnOutput', isQuoted: false },
    patches: [{ account: ofPool, offset: 36, bytes: [1] }],
  },
  {
    ...{ folder: 'meteora-damm-v2-sol-usdc', flag: 'compoundingFee', isQuoted: false },
    patches: [{ account: ofPool, offset: 484, bytes: [2] }],
  },
  {
    ...{ folder: 'whirlpool-sol-usdc', flag: 'feeUnknown', isQuoted: false },
    patches: [{ account: ofPool, offset: 43, bytes: [0, 4] }],
  },
];

describe('a feature that was never checked', { skip }, () => {
  for (const { folder, flag, isQuoted, patches } of CASES) {
    it(`${flag} of ${folder} makes it ${isQuoted ? 'inexact' : 'not quoted'}`, () => {
      const plain = readRecordedPool(folder);
      const changed = patchPool(plain, patches);
      const findFlags = (recorded: RecordedPool) => {
        const record = buildPoolRecord(readPoolAt(recorded));
        return kindOf(record).findFlags?.(record.state, record.terms);
      };
      assert.equal(findFlags(plain), '');
      assert.equal(findFlags(changed), flag);
      assert.equal(createRecordedSwapPool(changed) !== null, isQuoted);
    });
  }

  for (const [folder, offset, status] of [
    ['raydium-cpmm-sol-usdc', 329, 4],
    ['raydium-v4-made-up', 0, 2],
  ] as const) {
    it(`a closed pool keeps its reserves, and is read again after a swap: ${folder}`, () => {
      const plain = readRecordedPool(folder);
      const closed = patchPool(plain, [{ account: ofPool, offset, bytes: [status] }]);
      const [open, draft] = [plain, closed].map((recorded) => {
        const record = buildPoolRecord(readPoolAt(recorded)) as PoolRecordOf<'ceiledProduct'>;
        return { ...record } as PoolDraft<'ceiledProduct'>;
      });
      if (open === undefined || draft === undefined) assert.fail();
      assert.deepEqual({ ...draft.state, flags: '' }, open.state);
      const change = { poolKind: 'ceiledProduct', set: { reserve0: 1000n } } as const;
      const swapped = { amount0: 1n, amount1: -1n };
      ceiledProductKind.apply(draft, change, { ticks: null as never, swapped: null });
      assert.equal(draft.complete, true);
      ceiledProductKind.apply(draft, change, { ticks: null as never, swapped });
      assert.equal(draft.complete, false);
      const empty = { ...open, state: { ...open.state, reserve0: -1n } };
      assert.equal(ceiledProductKind.createSwapPool(empty, [], undefined), null);
    });
  }
});

describe('a mayhem coin', () => {
  it('is not quoted', () => {
    const state = {
      ...{ reserve0: 10n ** 15n, reserve1: 3n * 10n ** 10n, held0: 10n ** 14n, held1: 10n ** 9n },
      ...{ lpBps: 0, protocolBps: 95, creatorBps: 30, isComplete: false },
    };
    const build = (flags: string) =>
      pumpKind.createSwapPool(
        { terms: { stage: 'curve' }, state: { ...state, flags } } as never,
        [],
        undefined,
      );
    assert.notEqual(build(''), null);
    assert.equal(build(joinFlags(['mayhem'])), null);
  });
});
