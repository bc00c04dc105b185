// Weighted pools of Balancer V2: their rows are read from the contracts and follow the vault's
// logs, so that recorded swaps are computed to the unit.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestContracts, encodeTestLog } from '../../../../../test/evm-logs.ts';
import {
  listVaultAnswers,
  toPoolWord,
  type VaultPool,
} from '../../../../../test/fakes/vault-contracts.ts';
import { FollowedRows } from '../../../../../test/follow-vault-rows.ts';
import { address } from '../../../../../test/test-ids.ts';
import { readVenueFixture, skipWithoutVenues as skip } from '../../../../../test/venue-fixtures.ts';
import { weightedKind } from '../../../../amm/weighted/weighted-kind.ts';
import type { Address, PoolId } from '../../../../model/ids.ts';
import { createLogFilters } from '../../blocks/log-filters.ts';
import type { EvmLog } from '../../data/evm-log.ts';
import { EVM_DEPLOYMENTS } from '../../venues/deployments.ts';
import { buildRowId, listTokenPairs } from './vault-rows.ts';

const DEPLOYMENT = EVM_DEPLOYMENTS.ethereum ?? assert.fail();
const VAULT = DEPLOYMENT.balancer?.find(({ version }) => version === 2) ?? assert.fail();
const [FIRST = assert.fail()] = VAULT.weighted?.first ?? [];
const [LATER = assert.fail()] = VAULT.weighted?.later ?? [];
const CONTRACT = address(`0x${'9'.repeat(40)}`);
const WORD = toPoolWord(CONTRACT);
const TOKENS = ['1', '2', '3'].map((digit) => address(`0x${digit.repeat(40)}`));
const SWAP =
  'event Swap(bytes32 indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)';
const CHANGED =
  'event PoolBalanceChanged(bytes32 indexed pool, address indexed provider, address[] tokens, int256[] deltas, uint256[] fees)';
const MANAGED =
  'event PoolBalanceManaged(bytes32 indexed pool, address indexed manager, address indexed token, int256 cash, int256 managed)';
const FEE_CHANGED = 'event SwapFeePercentageChanged(uint256 swapFeePercentage)';
const PAUSED = 'event PausedStateChanged(bool paused)';

interface RecordedSwap {
  readonly decimals: readonly number[];
  readonly weights: readonly string[];
  readonly balances: readonly string[];
  readonly swapFee: string;
  readonly i: number;
  readonly j: number;
  readonly amountIn: string;
  readonly amountOut: string;
}

/** The recorded swaps of a pool of this many tokens, which follow each other. */
function listSwaps(file: string, tokenCount: number): RecordedSwap[] {
  const swaps = readVenueFixture(`balancer-v2-weighted/${file}.json`) as readonly RecordedSwap[];
  return swaps.filter(({ balances }) => balances.length === tokenCount).slice(0, 60);
}

function toVaultPool(one: RecordedSwap, factory: Address | null): VaultPool {
  return {
    ...{ contract: CONTRACT, vault: VAULT.vault, factory, decimals: one.decimals },
    tokens: TOKENS.slice(0, one.balances.length),
    ...{ balances: one.balances.map(BigInt), weights: one.weights.map(BigInt) },
    swapFee: BigInt(one.swapFee),
  };
}

function tokenAt(index: number): Address {
  return TOKENS[index] ?? assert.fail();
}

function encodeSwap({ i, j, amountIn, amountOut }: RecordedSwap): EvmLog {
  const tokens = { tokenIn: tokenAt(i), tokenOut: tokenAt(j) };
  const amounts = { amountIn: BigInt(amountIn), amountOut: BigInt(amountOut) };
  return encodeTestLog(SWAP, VAULT.vault, { pool: WORD, ...tokens, ...amounts });
}

function rowOf(index0: number, index1: number): PoolId {
  const pair = [tokenAt(Math.min(index0, index1)), tokenAt(Math.max(index0, index1))] as const;
  return buildRowId(WORD, pair) ?? assert.fail();
}

function createRows(pool: VaultPool): FollowedRows {
  const callContracts = createTestContracts(listVaultAnswers(pool));
  return new FollowedRows({ deployment: DEPLOYMENT, callContracts });
}

describe('weighted pools', { skip }, () => {
  for (const [file, tokenCount] of [
    ['swaps', 2],
    ['swaps', 3],
    ['swaps-special-exponents', 2],
    ['swaps-special-exponents', 3],
  ] as const) {
    it(`of ${tokenCount} tokens quote and follow recorded ${file}`, async () => {
      const swaps = listSwaps(file, tokenCount);
      const rows = createRows(toVaultPool(swaps[0] ?? assert.fail(), FIRST));
      for (const one of swaps) {
        const row = rows.rows.get(rowOf(one.i, one.j));
        if (row !== undefined) {
          const pool = weightedKind.createSwapPool(row, [], undefined) ?? assert.fail();
          const swap = pool.swapIn(one.i < one.j, BigInt(one.amountIn));
          assert.equal(swap.amountOut, BigInt(one.amountOut));
        }
        await rows.follow([encodeSwap(one)]);
      }
      const pairs = listTokenPairs(TOKENS.slice(0, tokenCount));
      assert.equal(rows.rows.size, pairs.length);
      const last = swaps.at(-1) ?? assert.fail();
      const after = last.balances.map(BigInt);
      after[last.i] = (after[last.i] ?? 0n) + BigInt(last.amountIn);
      after[last.j] = (after[last.j] ?? 0n) - BigInt(last.amountOut);
      for (const { token0, token1, state, complete } of rows.rows.values()) {
        assert.equal(complete, true);
        assert.equal(state.balance0, after[TOKENS.indexOf(token0)]);
        assert.equal(state.balance1, after[TOKENS.indexOf(token1)]);
      }
    });
  }

  it('of later factories shorten some powers, those of the first do not', async () => {
    const [one = assert.fail()] = listSwaps('swaps', 2);
    for (const [factory, hasShortcuts] of [
      [FIRST, false],
      [LATER, true],
    ] as const) {
      const [created] = await createRows(toVaultPool(one, factory)).accept([encodeSwap(one)]);
      assert.ok(created?.kind === 'poolCreated' && created.description.kind === 'weighted');
      assert.equal(created.description.terms.hasShortcuts, hasShortcuts);
    }
  });

  it('that no factory made are stored by their trades only', async () => {
    const [one = assert.fail()] = listSwaps('swaps', 3);
    const rows = createRows(toVaultPool(one, null));
    const events = await rows.accept([encodeSwap(one)]);
    assert.deepEqual(
      events.map((event) => (event.kind === 'poolCreated' ? event.description.kind : event.kind)),
      ['tradesOnly', 'swap'],
    );
    const args = { pool: WORD, provider: CONTRACT, tokens: TOKENS };
    const lists = { deltas: [1n, 1n, 1n], fees: [0n, 0n, 0n] };
    assert.deepEqual(
      await rows.accept([encodeTestLog(CHANGED, VAULT.vault, { ...args, ...lists })]),
      [],
    );
  });

  it('follow liquidity, managed assets, the fee and pauses in all rows', async () => {
    const [one = assert.fail()] = listSwaps('swaps', 3);
    const rows = createRows(toVaultPool(one, LATER));
    // The first log of a pool: it is read before it.
    const tokens = { pool: WORD, provider: CONTRACT, tokens: TOKENS };
    const lists = { deltas: [100n, -50n, 0n], fees: [1n, 2n, 3n] };
    await rows.follow([encodeTestLog(CHANGED, VAULT.vault, { ...tokens, ...lists })]);
    const manager = { pool: WORD, manager: CONTRACT, token: tokenAt(2) };
    await rows.follow([
      encodeTestLog(MANAGED, VAULT.vault, { ...manager, cash: -20n, managed: 25n }),
    ]);
    await rows.follow([encodeTestLog(FEE_CHANGED, CONTRACT, { swapFeePercentage: 10n ** 16n })]);
    await rows.follow([encodeTestLog(PAUSED, CONTRACT, { paused: true })]);
    const held = one.balances.map(BigInt);
    const after = [99n, -52n, 2n].map((delta, index) => (held[index] ?? 0n) + delta);
    assert.equal(rows.rows.size, 3);
    for (const { token0, token1, state, feePips } of rows.rows.values()) {
      assert.equal(state.balance0, after[TOKENS.indexOf(token0)]);
      assert.equal(state.balance1, after[TOKENS.indexOf(token1)]);
      assert.deepEqual([state.swapFee, feePips, state.flags], [10n ** 16n, 10_000, 'closed']);
    }
  });

  it('are read again in all rows if one was paid otherwise than computed', async () => {
    const [one = assert.fail()] = listSwaps('swaps', 3);
    const rows = createRows(toVaultPool(one, FIRST));
    await rows.follow([encodeSwap(one)]);
    const findStates = () =>
      [...rows.rows.values()].map(({ complete, state }) => `${complete} ${state.flags}`);
    assert.deepEqual(findStates(), ['true ', 'true ', 'true ']);
    const amountOut = (BigInt(one.amountOut) - 1n).toString();
    await rows.follow([encodeSwap({ ...one, amountOut })]);
    assert.deepEqual(findStates(), ['false unread', 'false unread', 'false unread']);
  });

  it('are closed while their pool or the whole vault is paused', async () => {
    const [one = assert.fail()] = listSwaps('swaps', 3);
    for (const pause of [{ isPaused: true }, { isVaultPaused: true }]) {
      const rows = createRows({ ...toVaultPool(one, LATER), ...pause });
      await rows.adopt(await rows.accept([encodeSwap(one)]));
      assert.equal(rows.rows.size, 3);
      for (const { state } of rows.rows.values()) assert.equal(state.flags, 'closed');
    }
  });

  it('are found by the logs of their word and of their contract', () => {
    const pools = new Set([rowOf(0, 1)]);
    const filters = createLogFilters(DEPLOYMENT).buildForPools(pools);
    const isAsked = (log: EvmLog) =>
      filters.some(
        ({ address: asked, topics }) =>
          asked.includes(log.address) &&
          topics.every((wanted, at) => wanted === null || wanted.includes(log.topics[at] ?? '')),
      );
    const args = { pool: WORD, provider: CONTRACT, tokens: TOKENS };
    const lists = { deltas: [1n, 1n, 1n], fees: [0n, 0n, 0n] };
    assert.ok(isAsked(encodeTestLog(CHANGED, VAULT.vault, { ...args, ...lists })));
    assert.ok(isAsked(encodeTestLog(FEE_CHANGED, CONTRACT, { swapFeePercentage: 1n })));
    const other = { ...args, pool: toPoolWord(CONTRACT, 8) };
    assert.ok(!isAsked(encodeTestLog(CHANGED, VAULT.vault, { ...other, ...lists })));
  });
});
