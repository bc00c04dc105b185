// Balancer's swaps: rows of two tokens each, from the logs of its vaults alone.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeTestLog, encodeTestLog } from '../../../../../test/evm-logs.ts';
import { address } from '../../../../../test/test-ids.ts';
import type { Address, PoolId } from '../../../../model/ids.ts';
import { createLogFilters } from '../../blocks/log-filters.ts';
import { EVM_DEPLOYMENTS } from '../../deployments.ts';
import type { EvmLog } from '../../evm-log.ts';
import { addressWord } from '../../hex-data.ts';

const DEPLOYMENT = EVM_DEPLOYMENTS.ethereum ?? assert.fail();
const [LOW, HIGH, THIRD] = ['1', '2', '3'].map((digit) => address(`0x${digit.repeat(40)}`)) as [
  ...[Address, Address, Address],
];
const EVENTS = {
  2: 'event Swap(bytes32 indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut)',
  3: 'event Swap(address indexed pool, address indexed tokenIn, address indexed tokenOut, uint256 amountIn, uint256 amountOut, uint256 fee, uint256 feeAmount)',
};

interface TestSwap {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

function encodeLog(version: 2 | 3, swap: TestSwap): EvmLog {
  const vault = DEPLOYMENT.balancer?.find((one) => one.version === version) ?? assert.fail();
  const pool = version === 2 ? `0x${'5'.repeat(64)}` : `0x${'5'.repeat(40)}`;
  const args = { pool, fee: 25n * 10n ** 14n, feeAmount: 1n, ...swap };
  return encodeTestLog(EVENTS[version], vault.vault, args);
}

const decode = (log: EvmLog) => decodeTestLog(DEPLOYMENT, log);

const BUY = { tokenIn: LOW, tokenOut: HIGH, amountIn: 5n, amountOut: 7n };
const SELL = { tokenIn: HIGH, tokenOut: LOW, amountIn: 9n, amountOut: 4n };

describe('swaps of Balancer', () => {
  for (const version of [2, 3] as const) {
    it(`V${version} announce the row of their two tokens`, () => {
      const [created, swap] = decode(encodeLog(version, BUY));
      assert.ok(created?.kind === 'poolCreated' && swap?.kind === 'swap');
      const { pool, venue, token0, token1, feePips } = created.description;
      assert.deepEqual([venue, token0, token1], [`balancer-v${version}`, LOW, HIGH]);
      assert.equal(feePips, version === 2 ? 0 : 2500);
      assert.equal(created.complete, false);
      assert.equal(swap.pool, pool);
      assert.deepEqual([swap.amount0, swap.amount1], [5n, -7n]);
      const [, back] = decode(encodeLog(version, SELL));
      assert.ok(back?.kind === 'swap');
      assert.equal(back.pool, pool);
      assert.deepEqual([back.amount0, back.amount1], [-4n, 9n]);
      const [other] = decode(encodeLog(version, { ...BUY, tokenOut: THIRD }));
      assert.ok(other?.kind === 'poolCreated' && other.description.pool !== pool);
    });
  }

  it('of another emitter or shape tell nothing', () => {
    const log = encodeLog(2, BUY);
    assert.deepEqual(decode({ ...log, address: THIRD }), []);
    assert.deepEqual(decode({ ...log, data: `${log.data}${'0'.repeat(64)}` }), []);
    assert.deepEqual(decode({ ...log, topics: log.topics.slice(0, 3) }), []);
    assert.deepEqual(decode(encodeLog(2, { ...BUY, tokenOut: LOW })), []);
  });

  it('of its own share, which begins the id of a pool, tell nothing', () => {
    const share = address(`0x${'5'.repeat(40)}`);
    assert.deepEqual(decode(encodeLog(2, { ...BUY, tokenIn: share })), []);
    assert.deepEqual(decode(encodeLog(2, { ...BUY, tokenOut: share })), []);
  });

  it('are looked for by the tokens that are followed', () => {
    const filters = createLogFilters(DEPLOYMENT).build({
      ...{ tokens: new Set([THIRD]), pools: new Set<PoolId>() },
    });
    const { address: vault, topics } = encodeLog(2, BUY);
    for (const place of [2, 3]) {
      assert.ok(
        filters.some(
          ({ address: asked, topics: at }) =>
            asked.includes(vault) &&
            at[0]?.includes(topics[0] ?? '') &&
            at[place]?.includes(`0x${addressWord(THIRD)}`),
        ),
      );
    }
  });
});
