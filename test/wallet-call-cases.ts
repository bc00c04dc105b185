// `walletCalls` of a build in a wallet that implements EIP-5792: sent as they are, and by viem's
// client for such wallets.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWalletClient, custom, defineChain, encodeFunctionData, parseAbi } from 'viem';
import { getCapabilities, sendCalls, waitForCallsStatus } from 'viem/actions';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import { type BatchWallet, createBatchWallet } from './batch-wallet.ts';
import type { Json } from './market-scene.ts';
import {
  buildWell,
  type ServiceTradeInput,
  type TestTrader,
  type TradeService,
  watchTrade,
} from './trade-service.ts';
import { setBalance } from './trade-wallet.ts';

const ETHER = 10n ** 18n;
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';
const TOKEN_ABI = parseAbi([
  'function transfer(address to, uint256 value)',
  'function allowance(address owner, address spender) view returns (uint256)',
]);
const CHAIN = defineChain({
  ...{ id: 1337, name: 'devnet', rpcUrls: { default: { http: [] } } },
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
});

interface Batcher {
  readonly trader: TestTrader;
  readonly wallet: BatchWallet;
  readonly client: ReturnType<typeof createClient>;
}

function createClient({ account }: TestTrader, wallet: BatchWallet) {
  return createWalletClient({ account: account.address, chain: CHAIN, transport: custom(wallet) });
}

/** With coins and tokens, and no approval. */
async function createBatcher(service: TradeService): Promise<Batcher> {
  const trader = await service.createTrader();
  const { account } = trader;
  const { chain } = service;
  await setBalance(chain, ZERO_ADDRESS, { owner: account.address, amountRaw: 10n * ETHER });
  await service.give([[account.address, service.mintOf('wire'), 1000n * ETHER]]);
  const wallet = await createBatchWallet(chain, account);
  await service.settle();
  return { trader, wallet, client: createClient(trader, wallet) };
}

/** The trade's batch is one transaction, which spends and pays what the quote says. */
async function tradeAtOnce(
  service: TradeService,
  { trader, client }: Batcher,
  { trade, send }: { trade: ServiceTradeInput; send: (built: Json) => Promise<{ id: string }> },
): Promise<void> {
  const built = await buildWell(trader, trade);
  assert.equal(built.quote.exact, true, JSON.stringify(built.quote.warnings));
  const watch = await watchTrade(service.chain, trader.account.address, built);
  const { id } = await send(built);
  const { status, atomic, receipts = [] } = await waitForCallsStatus(client, { id });
  assert.deepEqual([status, atomic, receipts.length], ['success', true, 1]);
  const { receivedRaw, spentRaw } = await watch(receipts.map((one) => one.transactionHash));
  const { input, output } = built.quote;
  assert.deepEqual([String(receivedRaw), String(spentRaw)], [output.amountRaw, input.amountRaw]);
  await service.settle();
}

/** A value of zero may be left out. */
function listCalls({ calls }: Json): Json[] {
  return calls.map(({ to, data, value = '0x0' }: Json) => ({ to, data, value }));
}

async function sendAsBuilt(service: TradeService): Promise<void> {
  const batcher = await createBatcher(service);
  const send = ({ walletCalls }: Json) =>
    batcher.wallet.request({ method: 'wallet_sendCalls', params: [walletCalls] });
  const mint = service.mintOf('wire');
  const sale = { mint, side: 'sell', amountInRaw: ETHER } as const;
  await tradeAtOnce(service, batcher, { trade: sale, send: (one) => send(one) as never });
  assert.equal(batcher.wallet.batches[0]?.calls.length, 3);
  const given = { mint, side: 'sell', amountOutRaw: ETHER / 1000n } as const;
  await tradeAtOnce(service, batcher, { trade: given, send: (one) => send(one) as never });
  const bought = { mint, side: 'buy', amountOutRaw: 50n * ETHER } as const;
  await tradeAtOnce(service, batcher, { trade: bought, send: (one) => send(one) as never });
}

async function sendByViem(service: TradeService): Promise<void> {
  const batcher = await createBatcher(service);
  const { client, wallet } = batcher;
  const { atomic } = (await getCapabilities(client))[CHAIN.id] ?? {};
  assert.equal(atomic?.status, 'supported');
  const send = async ({ walletCalls }: Json) => {
    const calls = walletCalls.calls.map((one: Json) => ({ ...one, value: BigInt(one.value) }));
    const sent = await sendCalls(client, { calls, forceAtomic: walletCalls.atomicRequired });
    // What viem asks the wallet for is what the build says.
    const { calls: _ours, ...ours } = walletCalls;
    const { calls: _theirs, ...theirs } = JSON.parse(JSON.stringify(wallet.batches.at(-1)));
    assert.deepEqual(theirs, ours);
    assert.deepEqual(listCalls(wallet.batches.at(-1)), listCalls(walletCalls));
    return sent;
  };
  const mint = service.mintOf('wire');
  const trade = { mint, side: 'sell', amountInRaw: ETHER } as const;
  await tradeAtOnce(service, batcher, { trade, send });
  const bought = { mint, side: 'buy', amountInRaw: ETHER / 100n } as const;
  await tradeAtOnce(service, batcher, { trade: bought, send });
}

/** The last call fails: the approvals before it did not happen either. */
async function sendAllOrNothing(service: TradeService): Promise<void> {
  const { trader, wallet, client } = await createBatcher(service);
  const wire = service.mintOf('wire') as `0x${string}`;
  const owner = trader.account.address;
  const built = await buildWell(trader, { mint: wire, side: 'sell', amountInRaw: ETHER });
  const args = [PERMIT2, 1000n * ETHER] as const;
  const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transfer', args });
  await trader.sendOwn({ to: wire, data, value: '0', gas: '100000' });
  const { id } = (await wallet.request({
    ...{ method: 'wallet_sendCalls', params: [built.walletCalls] },
  })) as { id: string };
  assert.equal((await waitForCallsStatus(client, { id })).status, 'failure');
  const asked = encodeFunctionData({
    ...{ abi: TOKEN_ABI, functionName: 'allowance', args: [owner, PERMIT2] },
  });
  const call = { to: wire, data: asked };
  assert.equal(BigInt(await service.chain.rpc.call<string>('eth_call', call, 'latest')), 0n);
}

/** Registers the tests; the service is read when they run. */
export function describeWalletCalls(read: () => TradeService): void {
  test('the calls for a wallet that batches are the trade, in one transaction', () =>
    sendAsBuilt(read()));
  test("they are what viem's client asks such a wallet for", () => sendByViem(read()));
  test('if one of them fails, none has happened', () => sendAllOrNothing(read()));
}
