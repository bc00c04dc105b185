// Trades in the devnet's pools of other exchanges by the whole service. A token that trades only in
// a pool whose formula is not here: Balancer's own stable pool, as npm has it, is asked for the
// amount, and the trade is built and pays that. Curve's stable pool is computed, and pays that.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeDeployData, encodeFunctionData, type Hex, maxUint256 } from 'viem';
import { MAKER, TEST_ADDRESSES } from '../../../devnet/accounts.ts';
import { findToken } from '../../../devnet/deployment.ts';
import { BALANCER_ABI } from '../../../devnet/other-abi.ts';
import { after, before } from '../../../test/root-hooks.ts';
import { address } from '../../../test/test-ids.ts';
import { readBalance, setBalance } from '../../../test/trade-wallet.ts';
import {
  type SceneInput,
  startTradingScene,
  type TradingScene,
} from '../../../test/trading-scene.ts';
import { openVaultPool, requireOthers } from '../../../test/vault-scene.ts';
import { readNpmContract } from '../../../test/venue-chain.ts';

const FACTORY = readNpmContract(
  '@balancer-labs/v2-deployments/dist/tasks/20220609-stable-pool-v2/artifact/StablePoolFactory.json',
);
const WALLET = address(TEST_ADDRESSES[6] ?? '');
const GAS = 14_000_000n;
const AMPLIFICATION = 200n;
const SWAP_FEE = 4n * 10n ** 14n;
const HELD = 1_000_000n;
const TRADED = 2000n;
const ETHER = 10n ** 18n;

let scene: TradingScene;
let usdc: Hex;
let lone: { readonly address: Hex; readonly decimals: number };

async function deployFactory(): Promise<Hex> {
  const { chain } = scene.devnet;
  const { balancerVault: vault } = requireOthers(chain);
  const { abi, bytecode } = FACTORY;
  const data = encodeDeployData({ abi, bytecode, args: [vault] });
  const { transactionHash } = await chain.send({ from: MAKER, data, gas: GAS });
  const receipt = await chain.rpc.call<{ contractAddress: Hex }>(
    ...(['eth_getTransactionReceipt', transactionHash] as const),
  );
  return receipt.contractAddress;
}

/** A stable pool of the token and USDC, in which somebody has traded enough for it to be called. */
async function openStablePool(): Promise<void> {
  const { chain } = scene.devnet;
  const { balancerVault: vault } = requireOthers(chain);
  const tokens = [lone, { address: usdc, decimals: 6 }];
  tokens.sort((a, b) => (a.address < b.address ? -1 : 1));
  const assets = tokens.map((one) => one.address);
  const amounts = tokens.map(({ decimals }) => HELD * 10n ** BigInt(decimals));
  const args = ['S', 'S', assets, AMPLIFICATION, SWAP_FEE, MAKER];
  const factory = await deployFactory();
  const poolId = await openVaultPool(chain, { factory, abi: FACTORY.abi, args, assets, amounts });
  const amount = TRADED * 10n ** BigInt(lone.decimals);
  await setBalance(chain, lone.address, { owner: MAKER, amountRaw: amount });
  const inside = { fromInternalBalance: false, toInternalBalance: false };
  const ends = { assetIn: lone.address, assetOut: usdc };
  const swap = { poolId, kind: 0, ...ends, amount, userData: '0x' as const };
  const data = encodeFunctionData({
    ...{ abi: BALANCER_ABI, functionName: 'swap' },
    args: [swap, { sender: MAKER, recipient: MAKER, ...inside }, 0n, maxUint256],
  });
  const { status } = await chain.send({ from: MAKER, to: vault, data, gas: 600_000n });
  assert.equal(status, '0x1');
}

before(async () => {
  scene = await startTradingScene({ hasOthers: true });
  const { deployment } = scene.devnet.chain;
  usdc = findToken(deployment, 'usdc').address;
  lone = findToken(deployment, 'lone');
  await openStablePool();
  await scene.settle();
});
after(() => scene.stop());

function ask(whole: bigint) {
  const amountInRaw = (whole * 10n ** BigInt(lone.decimals)).toString();
  return { mint: lone.address, quoteMint: usdc, side: 'sell', amountInRaw } as const;
}

/** Sells for dollars, from a wallet that has what it sells. */
async function execute(asked: SceneInput & { readonly amountInRaw: string }) {
  const { chain } = scene.devnet;
  await setBalance(chain, `0x${'0'.repeat(40)}`, { owner: WALLET, amountRaw: 10n * ETHER });
  await setBalance(chain, asked.mint, { owner: WALLET, amountRaw: BigInt(asked.amountInRaw) });
  await chain.mine();
  await scene.settle();
  const built = await scene.build(asked, WALLET);
  assert.equal(built.simulation.status, 'ok');
  const held = await readBalance(chain, usdc, WALLET);
  await chain.rpc.call('anvil_impersonateAccount', WALLET);
  for (const one of built.transactions) {
    const { to, data, value, gas } = one as unknown as Record<string, string>;
    const call = { from: WALLET as Hex, to: to as Hex, data: data as Hex };
    const sent = { ...call, value: BigInt(value ?? 0), gas: BigInt(gas ?? 0) };
    assert.equal((await chain.send(sent)).status, '0x1');
  }
  const received = (await readBalance(chain, usdc, WALLET)) - held;
  return { quote: built.quote, received };
}

describe('a pool that only its contract can price', () => {
  it('is quoted by a call, not exact, with the reason', async () => {
    const quote = await scene.quote(ask(50_000n));
    const [hop = assert.fail()] = quote.route[0]?.hops ?? [];
    assert.equal(hop.venue, 'balancer-v2');
    assert.equal(quote.exact, false);
    const reason = quote.warnings.find(({ code }) => code === 'UNCHECKED_POOL')?.message ?? '';
    assert.match(reason, /only its contract or its hook computes what it pays.*\(called\)/);
    // A stable pool at 1:1, less its fee and some impact.
    const out = Number(quote.output.amountRaw);
    assert.ok(out > 49_000e6 && out < 50_000e6, `${out}`);
    assert.ok(quote.priceImpactBps < 100);
  });

  it('is built after a simulation, and pays what was quoted', async () => {
    const { quote, received } = await execute(ask(70_000n));
    assert.equal(received, BigInt(quote.output.amountRaw));
  });
});

describe("the devnet's pool of Curve", () => {
  it('is quoted exactly, built, and pays that', async () => {
    const { chain } = scene.devnet;
    const odol = findToken(chain.deployment, 'odol').address;
    const trade = { mint: odol, quoteMint: usdc, side: 'sell' } as const;
    const { quote, received } = await execute({ ...trade, amountInRaw: '5000000000' });
    const hops = quote.route.flatMap((leg) => leg.hops);
    assert.deepEqual([hops.map(({ venue }) => venue), quote.exact], [['curve'], true]);
    assert.equal(received, BigInt(quote.output.amountRaw));
  });
});
