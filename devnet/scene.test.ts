// Deployed contracts respond, and each special token behaves as intended.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  parseAbi,
} from 'viem';
import { after, before } from '../test/root-hooks.ts';
import { BYSTANDERS, TRADERS } from './accounts.ts';
import { readArtifact } from './artifacts.ts';
import { pickCrew } from './deploy-contracts.ts';
import { findPool, findToken } from './deployment.ts';
import { ERC20_ABI, V2_PAIR_ABI, V4_STATE_VIEW_ABI } from './dex-abi.ts';
import { toPoolKey } from './liquidity-calldata.ts';
import { startTestChain, type TestChain } from './test-chain.ts';
import { TOKEN_LIST } from './token-list.ts';

const ETHER = 10n ** 18n;
const TRADER = TRADERS[0] as Address;
const METADATA_ABI = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
]);

let chain: TestChain;

before(async () => {
  chain = await startTestChain();
});

after(() => chain.stop());

interface Question {
  readonly to: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args?: readonly unknown[];
}

async function ask<T>({ to, abi, functionName, args = [] }: Question): Promise<T> {
  const data = encodeFunctionData({ abi, functionName, args });
  const answer = await chain.rpc.call<Hex>('eth_call', { to, data }, 'latest');
  return decodeFunctionResult({ abi, functionName, args, data: answer }) as T;
}

function balanceOf(token: Address, owner: Address): Promise<bigint> {
  return ask<bigint>({ to: token, abi: ERC20_ABI, functionName: 'balanceOf', args: [owner] });
}

function transfer(token: Address, sent: { from: Address; to: Address; amount: bigint }) {
  const args = [sent.to, sent.amount] as const;
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args });
  return chain.send({ from: sent.from, to: token, data, gas: 200_000n });
}

test('QuoterV2 quotes what the trade then pays', async () => {
  const { contracts } = chain.deployment;
  const pool = findPool(chain.deployment, { token: 'wire', venue: 'uniswap-v3', quote: 'weth' });
  const question = {
    tokenIn: contracts.weth,
    tokenOut: pool.tokenAddress,
    amountIn: ETHER,
    fee: pool.feePips,
    sqrtPriceLimitX96: 0n,
  };
  const { abi } = readArtifact('QuoterV2');
  const [quoted] = await ask<[bigint]>({
    to: contracts.v3Quoter,
    abi,
    functionName: 'quoteExactInputSingle',
    args: [question],
  });
  const had = await balanceOf(pool.tokenAddress, TRADER);
  await chain.buy({ token: 'wire', venue: 'uniswap-v3', quote: 'weth', amountInRaw: ETHER });
  assert.equal((await balanceOf(pool.tokenAddress, TRADER)) - had, quoted);
});

test('V4Quoter quotes what a native buy then pays, and StateView sees the price move', async () => {
  const { contracts } = chain.deployment;
  const pool = findPool(chain.deployment, { token: 'spark', venue: 'uniswap-v4' });
  const slot0 = () =>
    ask<[bigint]>({
      to: contracts.v4StateView,
      abi: V4_STATE_VIEW_ABI,
      functionName: 'getSlot0',
      args: [pool.id],
    });
  const [priceBefore] = await slot0();
  const [quoted] = await ask<[bigint]>({
    to: contracts.v4Quoter,
    abi: readArtifact('V4Quoter').abi,
    functionName: 'quoteExactInputSingle',
    args: [{ poolKey: toPoolKey(pool), zeroForOne: true, exactAmount: ETHER, hookData: '0x' }],
  });
  const had = await balanceOf(pool.tokenAddress, TRADER);
  await chain.buy({ token: 'spark', venue: 'uniswap-v4', amountInRaw: ETHER });
  assert.equal((await balanceOf(pool.tokenAddress, TRADER)) - had, quoted);
  const [priceAfter] = await slot0();
  assert.ok(priceAfter < priceBefore);
});

test('the hook takes 0.3 % of a buy and 1 % of a sell', async () => {
  const bought = await chain.buy({ token: 'hook', venue: 'uniswap-v4', amountInRaw: ETHER });
  const wallet = pickCrew('hook')[0] as Address;
  const sell = { token: 'hook', venue: 'uniswap-v4', amountInRaw: ETHER, wallet } as const;
  const sold = await chain.sell(sell);
  // The fee is the last word of the pool manager's Swap event.
  const feeOf = ({ logs }: typeof sold) => {
    const manager = chain.deployment.contracts.v4PoolManager;
    const swap = logs.find(
      ({ address, data }) => address === manager && data.length === 2 + 6 * 64,
    );
    return Number(`0x${swap?.data.slice(-64)}`);
  };
  assert.deepEqual([feeOf(bought), feeOf(sold)], [3_000, 10_000]);
});

test('every pair holds its opening reserves at its computed address', async () => {
  const pool = findPool(chain.deployment, { token: 'seat', venue: 'uniswap-v2' });
  const [reserve0, reserve1] = await ask<[bigint, bigint]>({
    to: pool.id,
    abi: V2_PAIR_ABI,
    functionName: 'getReserves',
  });
  const { amount0Raw, amount1Raw } = pool.opening;
  assert.deepEqual([String(reserve0), String(reserve1)], [amount0Raw, amount1Raw]);
});

test('decimals are 0, 6, 8, 9 and 18, and two tokens share a symbol', async () => {
  const plain = TOKEN_LIST.filter(({ contract }) => contract === 'PlainToken');
  const seen = new Set<number>();
  for (const { key, decimals } of plain) {
    const to = findToken(chain.deployment, key).address;
    const actual = await ask<number>({ to, abi: METADATA_ABI, functionName: 'decimals' });
    assert.equal(actual, decimals, key);
    seen.add(actual);
  }
  assert.deepEqual(
    [...seen].sort((a, b) => a - b),
    [0, 6, 8, 9, 18],
  );
  const twins = ['twin-a', 'twin-b'].map((key) => findToken(chain.deployment, key).address);
  const symbols = twins.map((to) => ask<string>({ to, abi: METADATA_ABI, functionName: 'symbol' }));
  assert.deepEqual(await Promise.all(symbols), ['TWIN', 'TWIN']);
});

test('the old token answers its symbol as 32 bytes and not as a string', async () => {
  const to = findToken(chain.deployment, 'olde').address;
  const data = encodeFunctionData({ abi: METADATA_ABI, functionName: 'symbol' });
  const answer = await chain.rpc.call<Hex>('eth_call', { to, data }, 'latest');
  assert.equal(answer, `0x${Buffer.from('OLDE').toString('hex').padEnd(64, '0')}`);
});

test('the hostile name has 10 KB with markup, controls, an override and broken UTF-8', async () => {
  const to = findToken(chain.deployment, 'hostile').address;
  const data = encodeFunctionData({ abi: METADATA_ABI, functionName: 'name' });
  const answer = hexToBytes(await chain.rpc.call<Hex>('eth_call', { to, data }, 'latest'));
  const name = Buffer.from(answer.subarray(64));
  assert.equal(name.length, 10_240);
  for (const part of ['<script>', '\u0000', '\u001b[31m', '\u202e']) {
    assert.ok(name.includes(part), JSON.stringify(part));
  }
  assert.throws(() => new TextDecoder('utf-8', { fatal: true }).decode(name));
});

test('the mute token has no metadata at all', async () => {
  const to = findToken(chain.deployment, 'mute').address;
  for (const functionName of ['name', 'symbol', 'decimals']) {
    await assert.rejects(ask({ to, abi: METADATA_ABI, functionName }), functionName);
  }
});

test('one token burns a hundredth of every transfer', async () => {
  const token = findToken(chain.deployment, 'ember').address;
  const [from, to] = [pickCrew('ember')[0] as Address, BYSTANDERS[0] as Address];
  const supplyBefore = await ask<bigint>({
    to: token,
    abi: METADATA_ABI,
    functionName: 'totalSupply',
  });
  await transfer(token, { from, to, amount: 1_000n * ETHER });
  assert.equal(await balanceOf(token, to), 990n * ETHER);
  const supplyAfter = await ask<bigint>({
    to: token,
    abi: METADATA_ABI,
    functionName: 'totalSupply',
  });
  assert.equal(supplyBefore - supplyAfter, 10n * ETHER);
});

test('another takes 3 % of buys and nothing between wallets', async () => {
  const pool = findPool(chain.deployment, { token: 'toll', venue: 'uniswap-v2' });
  const token = pool.tokenAddress;
  const buyer = TRADERS[20] as Address;
  const pairBefore = await balanceOf(token, pool.id);
  const had = await balanceOf(token, buyer);
  await chain.buy({ token: 'toll', venue: 'uniswap-v2', amountInRaw: ETHER, wallet: buyer });
  const left = pairBefore - (await balanceOf(token, pool.id));
  const received = (await balanceOf(token, buyer)) - had;
  assert.equal(left - received, (left * 300n) / 10_000n);
  await transfer(token, { from: buyer, to: BYSTANDERS[1] as Address, amount: received });
  assert.equal(await balanceOf(token, BYSTANDERS[1] as Address), received);
});

test('the trap can be bought and moved but not sold', async () => {
  const wallet = TRADERS[3] as Address;
  const trade = { token: 'trap', venue: 'uniswap-v2', wallet } as const;
  assert.equal((await chain.buy({ ...trade, amountInRaw: ETHER })).status, '0x1');
  assert.equal((await chain.sell({ ...trade, amountInRaw: ETHER })).status, '0x0');
  const token = findToken(chain.deployment, 'trap').address;
  const moved = await transfer(token, { from: wallet, to: TRADER, amount: ETHER });
  assert.equal(moved.status, '0x1');
});

test('the old dollar returns nothing and wants its allowance reset before a change', async () => {
  const token = findToken(chain.deployment, 'odol').address;
  const approve = (amount: bigint) => {
    const args = [BYSTANDERS[2] as Address, amount] as const;
    const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'approve', args });
    return chain.send({ from: TRADER, to: token, data, gas: 100_000n });
  };
  const statuses = [await approve(5n), await approve(6n), await approve(0n), await approve(6n)];
  assert.deepEqual(
    statuses.map(({ status }) => status),
    ['0x1', '0x0', '0x1', '0x1'],
  );
});

test('a reorganisation takes trades back and the chain is as long as before', async () => {
  await chain.mine(5);
  const { transactionHash } = await chain.buy({
    token: 'wire',
    venue: 'uniswap-v2',
    amountInRaw: ETHER,
  });
  const head = await chain.readHead();
  await chain.reorg(3);
  assert.equal(await chain.readHead(), head);
  assert.equal(await chain.rpc.call('eth_getTransactionReceipt', transactionHash), null);
});
