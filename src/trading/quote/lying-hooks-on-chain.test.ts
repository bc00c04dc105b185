// Hooks of V4 that work against traders, on a real node with the real manager: each pool's hook is
// told by its class, and a quote in it is refused, or what a trade then pays.

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { encodeDeployData, encodeFunctionData, type Hex, type Address as HexAddress } from 'viem';
import { MAKER, TRADERS } from '../../../devnet/accounts.ts';
import {
  buildHookCreation,
  CREATE2_DEPLOYER,
  type HookName,
  readCompiledContracts,
} from '../../../devnet/compile-contracts.ts';
import type { DevnetPool } from '../../../devnet/deployment.ts';
import { ERC20_ABI } from '../../../devnet/dex-abi.ts';
import { buildSwap } from '../../../devnet/swap-calldata.ts';
import { openRange } from '../../../test/devnet-liquidity.ts';
import { COIN } from '../../../test/fakes/fake-market.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { address, poolId } from '../../../test/test-ids.ts';
import { startTradingScene, type TradingScene } from '../../../test/trading-scene.ts';

const HOOKS = ['moving', 'refusingBefore', 'refusingAfter', 'taking'] as const;
type Lie = (typeof HOOKS)[number];

const ETHER = 10n ** 18n;
const TRADER = TRADERS[0] as HexAddress;
/** More than what a hook leaves alone because a probe may be as small. */
const AMOUNT = 2n * ETHER;
const GAS = 3_000_000n;

let scene: TradingScene;
let pools: Readonly<Record<Lie, DevnetPool>>;

async function send(to: HexAddress | undefined, data: Hex, value = 0n): Promise<void> {
  const target = to === undefined ? {} : { to };
  const { status } = await scene.devnet.chain.send({
    from: MAKER,
    ...target,
    data,
    value,
    gas: GAS,
  });
  assert.equal(status, '0x1');
}

async function deployToken(name: string): Promise<HexAddress> {
  const { chain } = scene.devnet;
  const { abi, bytecode } = readCompiledContracts().contracts['PlainToken'] ?? assert.fail();
  const args = [name, name, 18, [MAKER, TRADER], [10n ** 24n, 10n ** 24n]];
  const data = encodeDeployData({ abi, bytecode, args });
  const { transactionHash } = await chain.send({ from: MAKER, data, gas: GAS });
  const receipt = await chain.rpc.call<{ contractAddress: HexAddress }>(
    'eth_getTransactionReceipt',
    transactionHash,
  );
  return receipt.contractAddress;
}

/** A pool of a token of its own and the coin, in which enough was traded for it to be called. */
async function openLie(name: HookName): Promise<DevnetPool> {
  const { chain } = scene.devnet;
  const { data, address: hooks } = buildHookCreation(name);
  await send(CREATE2_DEPLOYER, data);
  const token = await deployToken(name);
  const opened = await openRange(chain, {
    ...{ venue: 'uniswap-v4', tokens: [COIN as HexAddress, token], hooks },
    ...{ amountRaw: 400n * ETHER, tickLower: -887_220, tickUpper: 887_220 },
  });
  const pool: DevnetPool = { ...opened, quote: 'eth' };
  if (name === 'moving') {
    await send(hooks, '0x', 100n * ETHER);
    const args = [hooks, 1000n * ETHER] as const;
    await send(token, encodeFunctionData({ abi: ERC20_ABI, functionName: 'transfer', args }));
  }
  const { deployment } = chain;
  const { contracts } = deployment;
  const trade = { contracts, deployment, pool, wallet: TRADER } as const;
  const bought = await chain.send(buildSwap({ ...trade, side: 'buy', amountInRaw: 3n * ETHER }));
  assert.equal(bought.status, '0x1');
  return pool;
}

before(async () => {
  scene = await startTradingScene();
  // The coin has a price in dollars once it was traded for them.
  await scene.devnet.chain.buy({ token: 'usdc', venue: 'uniswap-v3', amountInRaw: ETHER });
  const opened: [Lie, DevnetPool][] = [];
  for (const name of HOOKS) opened.push([name, await openLie(name)]);
  pools = Object.fromEntries(opened) as Record<Lie, DevnetPool>;
  await scene.settle();
});
after(() => scene.stop());
// A fast machine asks for more calls at once than one caller is granted.
beforeEach(() => scene.advance(60_000));

function ask(lie: Lie, side: 'buy' | 'sell') {
  const mint = address(pools[lie].tokenAddress.toLowerCase());
  return { mint, side, amountInRaw: AMOUNT.toString(), slippageBps: 5 } as const;
}

async function readHeld(asked: ReturnType<typeof ask>): Promise<bigint> {
  const { rpc } = scene.devnet.chain;
  if (asked.side === 'sell') return BigInt(await rpc.call<Hex>('eth_getBalance', TRADER, 'latest'));
  const data = encodeFunctionData({ abi: ERC20_ABI, functionName: 'balanceOf', args: [TRADER] });
  const call = { to: asked.mint, data };
  return BigInt(await rpc.call<Hex>('eth_call', call, 'latest'));
}

/** What a built trade pays, without what it costs. */
async function execute(asked: ReturnType<typeof ask>) {
  const { chain } = scene.devnet;
  scene.advance(60_000);
  const built = await scene.build(asked, address(TRADER));
  assert.equal(built.simulation.status, 'ok');
  const held = await readHeld(asked);
  let cost = 0n;
  for (const one of built.transactions) {
    const { to, data, value, gas } = one as unknown as Record<string, string>;
    const call = { from: TRADER, to: to as HexAddress, data: data as Hex };
    const sent = { ...call, value: BigInt(value ?? 0), gas: BigInt(gas ?? 0) };
    const receipt = await chain.send(sent);
    assert.equal(receipt.status, '0x1');
    const { effectiveGasPrice } = await chain.rpc.call<{ effectiveGasPrice: Hex }>(
      'eth_getTransactionReceipt',
      receipt.transactionHash,
    );
    cost += BigInt(receipt.gasUsed) * BigInt(effectiveGasPrice);
  }
  const received = (await readHeld(asked)) - held + (asked.side === 'sell' ? cost : 0n);
  await scene.settle();
  return { quote: built.quote, received };
}

function listCodes({ warnings }: Awaited<ReturnType<TradingScene['quote']>>): string[] {
  return warnings.map(({ code }) => code);
}

/** What an honest pool would pay: the price before, less the fee and the impact. */
function findStored(lie: Lie) {
  const { graph } = scene.chain.readGraph() ?? assert.fail();
  return graph.get(poolId(pools[lie].id)) ?? assert.fail(lie);
}

describe('a hook that changes the pool before a swap', () => {
  it('is told by its class, and what it leaves is quoted to the unit, on both sides', async () => {
    assert.equal(findStored('moving').hook?.class, 'before');
    for (const side of ['buy', 'sell'] as const) {
      const honest = findStored('moving').curve.swapIn(side === 'buy', AMOUNT).amountOut;
      const { quote, received } = await execute(ask('moving', side));
      assert.equal(received, BigInt(quote.output.amountRaw), side);
      assert.ok(received < honest, `${side}: the hook was not in the way`);
      assert.equal(quote.exact, false);
      assert.ok(listCodes(quote).includes('HOOKED_POOL'));
      assert.ok(quote.warnings.some(({ message }) => message.includes('(called)')));
    }
  });
});

describe('a hook that takes a part of what swaps pay', () => {
  it('is told by its class, and what it leaves is quoted to the unit, on both sides', async () => {
    assert.equal(findStored('taking').hook?.class, 'delta');
    for (const side of ['buy', 'sell'] as const) {
      const honest = findStored('taking').curve.swapIn(side === 'buy', AMOUNT).amountOut;
      const { quote, received } = await execute(ask('taking', side));
      assert.equal(received, BigInt(quote.output.amountRaw), side);
      assert.equal(received, honest - honest / 5n, side);
      assert.equal(quote.exact, false);
      assert.ok(listCodes(quote).includes('HOOKED_POOL'));
    }
  });
});

describe('a hook that refuses sales', () => {
  it('before swaps: nothing is quoted, and a buyer is told that nobody can sell', async () => {
    assert.equal(findStored('refusingBefore').hook?.class, 'before');
    await assert.rejects(scene.quote(ask('refusingBefore', 'sell')), { code: 'POOLS_NOT_QUOTED' });
    const { quote, received } = await execute(ask('refusingBefore', 'buy'));
    assert.equal(received, BigInt(quote.output.amountRaw));
    assert.ok(listCodes(quote).includes('UNSELLABLE'), listCodes(quote).join());
    assert.equal(quote.exact, false);
  });

  it('after swaps: it is named, nothing is promised, and no sale is built', async () => {
    assert.equal(findStored('refusingAfter').hook?.class, 'after');
    const sale = await scene.quote(ask('refusingAfter', 'sell'));
    assert.deepEqual([sale.exact, listCodes(sale).includes('UNSELLABLE')], [false, true]);
    await assert.rejects(scene.build(ask('refusingAfter', 'sell'), address(TRADER)), {
      code: 'SIMULATION_REVERTED',
    });
    const { quote, received } = await execute(ask('refusingAfter', 'buy'));
    assert.equal(received, BigInt(quote.output.amountRaw));
    assert.ok(listCodes(quote).includes('UNSELLABLE'));
  });
});
