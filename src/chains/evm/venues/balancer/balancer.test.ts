// Balancer's swaps: rows of two tokens each, from the logs of its vaults alone.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeTestLog, encodeTestLog } from '../../../../../test/evm-logs.ts';
import { toPoolWord } from '../../../../../test/fakes/vault-contracts.ts';
import { address } from '../../../../../test/test-ids.ts';
import type { Address, PoolId } from '../../../../model/ids.ts';
import { createLogFilters } from '../../blocks/log-filters.ts';
import type { EvmLog } from '../../data/evm-log.ts';
import { addressWord } from '../../data/hex-data.ts';
import { EVM_DEPLOYMENTS } from '../../venues/deployments.ts';

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
  const pool = version === 2 ? toPoolWord(address(`0x${'5'.repeat(40)}`)) : `0x${'5'.repeat(40)}`;
  const args = { pool, fee: 25n * 10n ** 14n, feeAmount: 1n, ...swap };
  return encodeTestLog(EVENTS[version], vault.vault, args);
}

const decode = (log: EvmLog) => decodeTestLog(DEPLOYMENT, log);

const BUY = { tokenIn: LOW, tokenOut: HIGH, amountIn: 5n, amountOut: 7n };
const SELL = { tokenIn: HIGH, tokenOut: LOW, amountIn: 9n, amountOut: 4n };

describe('swaps of Balancer', () => {
  for (const version of [2, 3] as const) {
    it(`V${version} have a row for each two tokens`, () => {
      const [swap, back, other] = [BUY, SELL, { ...BUY, tokenOut: THIRD }].map((one) => {
        const event = decode(encodeLog(version, one)).at(-1);
        return event?.kind === 'swap' ? event : assert.fail();
      });
      assert.deepEqual([swap?.amount0, swap?.amount1], [5n, -7n]);
      assert.deepEqual([back?.amount0, back?.amount1], [-4n, 9n]);
      assert.equal(back?.pool, swap?.pool);
      assert.notEqual(other?.pool, swap?.pool);
    });
  }

  it('V3 announce their row, and V2 leave it to the vault', () => {
    const [created] = decode(encodeLog(3, BUY));
    assert.ok(created?.kind === 'poolCreated');
    const { venue, token0, token1, feePips } = created.description;
    assert.deepEqual([venue, token0, token1, feePips], ['balancer-v3', LOW, HIGH, 2500]);
    assert.equal(created.complete, false);
    assert.equal(decode(encodeLog(2, BUY)).length, 1);
  });

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
