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
const { abi, bytecode } = compileWallets('lockers.sol')['LockerStandIn'] ?? assert.fail();

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
  return { name: 'Tells', address: address(locker.toLowerCase()), listsLocks: true };
};
const silent: EvmLocker = { name: 'Silent', address: address(SILENT), listsLocks: false };

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
  const plain = await read([{ ...tells(), listsLocks: false }]);
  assert.equal(plain[0]?.lockedRaw, total / 5n + total / 10n + total / 20n);
});
