// Who owns a pair's shares, on a real node: burned, locked with a known end, locked without.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, encodeFunctionData, type Hex, maxUint256 } from 'viem';
import { MAKER } from '../../../../devnet/accounts.ts';
import { findPool } from '../../../../devnet/deployment.ts';
import { ERC20_ABI } from '../../../../devnet/dex-abi.ts';
import { startTestChain, type TestChain } from '../../../../devnet/test-chain.ts';
import { compileWallets } from '../../../../test/contracts/compile-wallets.ts';
import { after, before } from '../../../../test/root-hooks.ts';
import { address } from '../../../../test/test-ids.ts';
import { systemClock } from '../../../lib/clock.ts';
import { sleep } from '../../../lib/retry.ts';
import { RpcClient } from '../../rpc/rpc-client.ts';
import { createEvmDialect } from '../rpc/evm-dialect.ts';
import type { EvmLocker } from './lockers.ts';
import { readLiquidityOwners } from './read-liquidity-owners.ts';

const GAS = 2_000_000n;
const DEAD = `0x${'dead'.padStart(40, '0')}` as const;
/** An account that nobody lists stands for a locker that tells nothing. */
const SILENT = `0x${'51'.repeat(20)}` as const;
/** At address 0 from a pair's first deposit on. */
const FIRST_BURNED = 1000n;
const UNTIL_S = 4_000_000_000n;

let chain: TestChain;
let client: RpcClient;
let pair: Address;
let locker: Address;
let total: bigint;
const compiled = compileWallets('lockers.sol');
const { abi, bytecode } = compiled['LockerStandIn'] ?? assert.fail();
const DAY_S = 86_400n;

async function send(to: Address | undefined, data: Hex) {
  const target = to === undefined ? {} : { to };
  const receipt = await chain.send({ from: MAKER, ...target, data, gas: GAS });
  assert.equal(receipt.status, '0x1');
  return receipt;
}

function callShares(functionName: 'transfer' | 'approve', args: readonly [Address, bigint]) {
  return send(pair, encodeFunctionData({ abi: ERC20_ABI, functionName, args }));
}

function lock(amount: bigint, untilS: bigint) {
  const args = [pair, amount, untilS];
  return send(locker, encodeFunctionData({ abi, functionName: 'lock', args }));
}

before(async () => {
  chain = await startTestChain();
  const { deployment } = chain;
  client = new RpcClient({
    endpoints: [chain.rpcUrl],
    dialect: createEvmDialect(deployment.chainId),
    ...{ clock: systemClock, random: () => 0.5, sleep, budgetMs: 10_000 },
    log: { info: () => undefined, warn: () => undefined },
    limits: {
      ...{ timeoutMs: 10_000, replyBytesMax: 1_000_000, batchCallsMax: 50 },
      ...{ batchesMax: 2, chainCheckMs: 60_000 },
    },
  });
  pair = findPool(deployment, { token: 'seat', venue: 'uniswap-v2' }).id as Address;
  const ask = { to: pair, data: '0x18160ddd' };
  total = BigInt(await chain.rpc.call<Hex>('eth_call', ask, 'latest'));
  const { transactionHash } = await send(undefined, bytecode);
  const receipt = await chain.rpc.call<{ contractAddress: Address }>(
    ...(['eth_getTransactionReceipt', transactionHash] as const),
  );
  locker = receipt.contractAddress;
  await callShares('approve', [locker, maxUint256]);
});
after(async () => {
  client.close();
  await chain.stop();
});

function read(lockers: readonly EvmLocker[]) {
  const { multicall3 } = chain.deployment.contracts;
  const query = { shares: [address(pair), null], lockers, multicall3: address(multicall3) };
  return readLiquidityOwners(client, query, AbortSignal.timeout(10_000));
}

const tells = (): EvmLocker => {
  return { name: 'Tells', address: address(locker.toLowerCase()), tells: 'uncx' };
};
const silent: EvmLocker = { name: 'Silent', address: address(SILENT), tells: null };

test('the shares of a new pair belong to somebody, but for what it burns itself', async () => {
  const [owners, none] = await read([tells(), silent]);
  assert.equal(none, null, 'a pool without shares has no owners of them');
  const { block, ...rest } = owners ?? assert.fail();
  assert.equal(block, await chain.readHead());
  assert.deepEqual(rest, {
    ...{ sharesRaw: total, burnedRaw: FIRST_BURNED, lockedRaw: 0n, lockers: [], untilMs: null },
  });
});

test('what is burned and locked counts, what can be taken out again does not', async () => {
  await callShares('transfer', [DEAD, total / 4n]);
  await lock(total / 5n, UNTIL_S);
  await lock(total / 10n, UNTIL_S + 1n);
  await lock(total / 20n, 1n);
  const [owners] = await read([tells()]);
  const { burnedRaw, lockedRaw, lockers, untilMs } = owners ?? assert.fail();
  assert.deepEqual([burnedRaw, lockedRaw], [FIRST_BURNED + total / 4n, total / 5n + total / 10n]);
  assert.deepEqual(lockers, [{ name: 'Tells', address: locker.toLowerCase() }]);
  assert.equal(untilMs, Number(UNTIL_S) * 1000);
});

test('a locker that tells no end leaves it open', async () => {
  await callShares('transfer', [SILENT, total / 50n]);
  const [owners] = await read([tells(), silent]);
  const { lockedRaw, lockers, untilMs } = owners ?? assert.fail();
  assert.equal(lockedRaw, total / 5n + total / 10n + total / 50n);
  assert.deepEqual([lockers.map(({ name }) => name), untilMs], [['Tells', 'Silent'], null]);
  const plain = await read([{ ...tells(), tells: null }]);
  assert.equal(plain[0]?.lockedRaw, total / 5n + total / 10n + total / 20n);
});

/** A locker of PinkLock's with locks of these terms: amount, end or first part, parts. */
async function createPinkLocker(name: 'PinkLock1StandIn' | 'PinkLock2StandIn') {
  const { abi: ownAbi, bytecode: code } = compiled[name] ?? assert.fail();
  const { transactionHash } = await send(undefined, code);
  const receipt = await chain.rpc.call<{ contractAddress: Address }>(
    ...(['eth_getTransactionReceipt', transactionHash] as const),
  );
  const { contractAddress: to } = receipt;
  await callShares('approve', [to, maxUint256]);
  const own: EvmLocker = { name: 'Pink', address: address(to.toLowerCase()), tells: 'pink' };
  const add = (...args: readonly bigint[]) =>
    send(
      to,
      encodeFunctionData({ abi: ownAbi, functionName: 'lock', args: [pair, ...args] } as never),
    );
  const readOne = async () => {
    const [owners] = await read([own]);
    const { lockedRaw, untilMs } = owners ?? assert.fail();
    return { lockedRaw, untilMs };
  };
  return { add, readOne };
}

test('PinkLock tells its locks: those that have ended do not count', async () => {
  const { add, readOne } = await createPinkLocker('PinkLock1StandIn');
  assert.deepEqual(await readOne(), { lockedRaw: 0n, untilMs: null });
  await add(1000n, UNTIL_S + 5n);
  await add(300n, UNTIL_S);
  await add(70n, 1n);
  assert.deepEqual(await readOne(), { lockedRaw: 1300n, untilMs: Number(UNTIL_S) * 1000 });
});

test('of parts that are due one after the other those to come are locked', async () => {
  const { add, readOne } = await createPinkLocker('PinkLock2StandIn');
  // All at once at the end; the last word is what was taken out.
  await add(1000n, UNTIL_S, 0n, 0n, 0n, 0n);
  await add(50n, 1n, 0n, 0n, 0n, 0n);
  assert.deepEqual(await readOne(), { lockedRaw: 1000n, untilMs: Number(UNTIL_S) * 1000 });
  const { timestamp } = await chain.rpc.call<{ timestamp: Hex }>(
    ...(['eth_getBlockByNumber', 'latest', false] as const),
  );
  // A fifth at first, a tenth each ten days: after 25 days two fifths are due, half is taken.
  const first = BigInt(timestamp) - 25n * DAY_S;
  await add(2000n, first, 2000n, 10n * DAY_S, 1000n, 0n);
  const next = Number(first + 30n * DAY_S) * 1000;
  assert.deepEqual(await readOne(), { lockedRaw: 2200n, untilMs: next });
  await add(2000n, first, 2000n, 10n * DAY_S, 1000n, 1000n);
  assert.deepEqual(await readOne(), { lockedRaw: 3200n, untilMs: next });
});

test('a locker that answers otherwise than it should tells no end', async () => {
  const [owners] = await read([{ ...tells(), tells: 'pink' }]);
  const { lockedRaw, untilMs } = owners ?? assert.fail();
  assert.deepEqual([lockedRaw > 0n, untilMs], [true, null]);
});
