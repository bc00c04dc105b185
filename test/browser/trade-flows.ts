// Trades of a signed-in wallet, on both families of chains.

import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { WIRE } from '../docs-scene.ts';
import { type ConsoleScene, WIRE_PATH } from './console-scene.ts';
import {
  dropWirePrice,
  openReview,
  pickWallet,
  reviewQuote,
  signIn,
  signTrade,
  untilLive,
  untilOwn,
  untilSwapped,
} from './console-steps.ts';
import { createBrowserWallet, type EvmBrowserWallet } from './evm-browser-wallet.ts';
import { SolanaBrowserWallet } from './solana-browser-wallet.ts';
import { untilRight } from './watched-page.ts';

const ETHER = 10n ** 18n;
/** Anvil's final block is two epochs of 32 blocks behind its head. */
const BLOCKS_TO_FINALITY = 66;
/** More than the page has places to go to. */
const TABS_MAX = 150;

/** What was paid and received, and the ways to read on. */
async function readResult(page: Page): Promise<void> {
  const result = page.locator('dialog .result');
  await result.getByText('You received').waitFor();
  const [paid = '', received = ''] = await result.locator('dd').allTextContents();
  assert.equal(paid.trim(), '0.5 ETH');
  assert.match(received, /^[\d,]+\.\d+ WIRE$/);
  assert.match((await result.locator('a').first().getAttribute('href')) ?? '', /^\/transaction\?/);
  const link = page.locator('dialog').getByRole('link', { name: 'See your wallet' });
  assert.match((await link.getAttribute('href')) ?? '', /^\/wallet\?wallet=0x/);
}

export async function buyAndSell(scene: ConsoleScene): Promise<void> {
  const wallet = createBrowserWallet(scene.chain, 1);
  const watched = await scene.openPage(WIRE_PATH, { wallets: [wallet] });
  const { page } = watched;
  await untilLive(page);
  await signIn(page);
  await openReview(page, '0.5');
  await signTrade(page);
  await page.locator('dialog').getByText('It will be final soon').waitFor();
  await scene.chain.mine(BLOCKS_TO_FINALITY);
  await page.locator('dialog').getByText('Swapped, and final').waitFor();
  await readResult(page);
  await untilSwapped(page);
  assert.equal(await untilOwn(page, 1), 1);
  await page.locator('.swap').getByRole('button', { name: 'Sell' }).click();
  await page.getByRole('button', { name: 'Max' }).click();
  await openReview(page, await page.getByLabel('You pay').inputValue());
  await dropWirePrice(scene.chain);
  await signTrade(page);
  await page.getByRole('alert').getByText('The price moved').waitFor();
  await signTrade(page);
  await untilSwapped(page);
  assert.equal(await untilOwn(page, 2), 2);
  // Both are in the newest candles: a mark for each side.
  await page.locator('.chart[aria-label*=" 2 marks of your trades"]').waitFor();
  const sent = wallet.called.filter((method) => method === 'eth_sendTransaction');
  // The buy, two approvals, the sale.
  assert.equal(sent.length, 4);
  await page.goto(`${scene.service().origin}/portfolio?tab=positions`);
  await page.getByRole('link', { name: /WIRE/ }).waitFor();
  await watched.finish();
}

/** What a person reads before they sign: all of the build's summary, and what it costs. */
async function readReview(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/v1/trade/build'));
  await page.getByLabel('Slippage').selectOption('100');
  await openReview(page, '0.1');
  const response = await answered;
  assert.equal(response.request().postDataJSON().slippageBps, 100);
  const { summary } = (await response.json()) as { summary: readonly string[] };
  assert.deepEqual(await page.locator('dialog .summary li').allTextContents(), summary);
  const names = await page.locator('dialog .quote dt').allTextContents();
  const texts = await page.locator('dialog .quote dd').allTextContents();
  const shown = Object.fromEntries(names.map((name, at) => [name, texts[at] ?? '']));
  assert.match(shown['Price impact'] ?? '', /^[\d.]+%$/);
  assert.match(shown['Fees'] ?? '', /^[\d.]+% about <?[\d.₀-₉]+ ETH <?\$[\d.]+/);
  assert.match(shown['Network'] ?? '', /^about <?[\d.₀-₉]+ ETH <?\$[\d.]+/);
  assert.match(shown['Valid for'] ?? '', /^\d+[sm]/);
  assert.match(shown['Slippage'] ?? '', /^1.00%$/);
  // What matters first, each once; the address as people compare it.
  assert.deepEqual(names.slice(0, 3), ['You pay', 'You receive about', 'At least']);
  assert.equal(new Set(names).size, names.length);
  assert.match(shown['You pay'] ?? '', /^0\.1 ETH \$[\d.]+/);
  assert.equal(shown['Token']?.replaceAll(' ', '').toLowerCase(), WIRE.toLowerCase());
  assert.match(shown['Token'] ?? '', /^0x( \w{4}){10}$/);
  assert.doesNotMatch(texts.join(' '), /0\.0{6}/);
}

/** Presses Tab until it is there: whoever has no mouse gets there, too. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  for (let presses = 0; presses < TABS_MAX; presses += 1) {
    if (await wanted.evaluate((one) => one.matches(':focus'))) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${wanted} is not reached by Tab`);
}

/** A whole trade without a mouse, up to the wallet. */
async function signByKeyboard(page: Page, amount: string): Promise<void> {
  const field = page.getByLabel('You pay');
  await tabTo(page, field);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(amount);
  await page.getByText('You receive about').waitFor();
  const review = page.getByRole('button', { name: 'Review' });
  await untilRight(
    'the review is open to all',
    () => review.isEnabled(),
    (isOpen) => isOpen,
  );
  await tabTo(page, review);
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Sign in the wallet' }));
  await page.keyboard.press('Enter');
}

/** First the user refuses, then the wallet stands on another chain. */
export async function refuseAndSwitch(scene: ConsoleScene): Promise<void> {
  const wallet = createBrowserWallet(scene.chain, 2);
  const watched = await scene.openPage(WIRE_PATH, { wallets: [wallet] });
  const { page } = watched;
  await signIn(page);
  await readReview(page);
  wallet.refused.add('eth_sendTransaction');
  await signTrade(page);
  await page.getByRole('alert').getByText('The swap was not sent').waitFor();
  await page.locator('dialog .quote').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  wallet.refused.clear();
  wallet.called.length = 0;
  wallet.chainId = 1;
  wallet.refused.add('wallet_switchEthereumChain');
  await signByKeyboard(page, '0.2');
  await page.getByRole('alert').waitFor();
  assert.ok(!wallet.called.includes('eth_sendTransaction'));
  wallet.refused.clear();
  await signTrade(page);
  await untilSwapped(page);
  assert.equal(wallet.chainId, scene.chain.deployment.chainId);
  await watched.finish();
}

/** Fails unless the page asks for a new quote meanwhile. */
async function withNewQuote(page: Page, change: () => Promise<void>): Promise<void> {
  const asked = page.waitForRequest((request) => request.url().endsWith('/v1/trade/quote'));
  await change();
  await asked;
}

/** The user changes account and chain in the wallet, on the form and in the review. */
export async function changeInWallet(scene: ConsoleScene): Promise<void> {
  const [first, second] = [5, 6] as const;
  const wallet = createBrowserWallet(scene.chain, first);
  const watched = await scene.openPage(WIRE_PATH, { wallets: [wallet] });
  const { page } = watched;
  const review = page.getByRole('button', { name: 'Review' });
  const note = page.locator('.wallet-note');
  await signIn(page);
  await page.getByLabel('You pay').fill('0.1');
  await page.getByText('You receive about').waitFor();
  await withNewQuote(page, () => wallet.changeAccount(second));
  await page.locator('.swap').getByText('stands on another account').waitFor();
  assert.ok(await review.isDisabled());
  await withNewQuote(page, () => wallet.changeAccount(first));
  await note.waitFor({ state: 'detached' });
  await reviewQuote(page);
  // What is reviewed was built for the account that the wallet leaves.
  await wallet.changeAccount(second);
  await page.locator('dialog').waitFor({ state: 'detached' });
  await note.getByRole('button', { name: 'Sign in as' }).click();
  await note.waitFor({ state: 'detached' });
  const signedIn = page.locator('.account a');
  assert.equal(await signedIn.getAttribute('title'), wallet.account.address);
  await withNewQuote(page, () => wallet.changeChain(1));
  await page.locator('.swap').getByText('stands on another chain').waitFor();
  await page.getByText('You receive about').waitFor();
  await reviewQuote(page);
  await signTrade(page);
  await untilSwapped(page);
  assert.equal(wallet.chainId, scene.chain.deployment.chainId);
  await page.locator('.swap').getByText('stands on another chain').waitFor({ state: 'detached' });
  assert.equal(await untilOwn(page, 1), 1);
  await watched.finish();
}

async function readHoldings({ chain }: ConsoleScene, { account }: EvmBrowserWallet) {
  const data = encodeFunctionData({
    ...{ abi: erc20Abi, functionName: 'balanceOf', args: [account.address] },
  });
  const wire = await chain.rpc.call<Hex>('eth_call', { to: WIRE, data }, 'latest');
  const native = await chain.rpc.call<Hex>('eth_getBalance', account.address, 'latest');
  return { wire: BigInt(wire), native: BigInt(native) };
}

/** Exactly so many tokens, then as many as one ether buys, less what the network may cost. */
export async function buyExactlyAndMax(scene: ConsoleScene): Promise<void> {
  const wallet = createBrowserWallet(scene.chain, 3);
  await scene.chain.rpc.call('anvil_setBalance', wallet.account.address, `0x${ETHER.toString(16)}`);
  const before = await readHoldings(scene, wallet);
  const watched = await scene.openPage(WIRE_PATH, { wallets: [wallet] });
  const { page } = watched;
  await signIn(page);
  await page.getByRole('button', { name: 'Receive exactly' }).click();
  await page.getByLabel('You receive').fill('1000');
  await page.getByText('You pay about').waitFor();
  await reviewQuote(page);
  await page.locator('dialog').getByText('At most', { exact: true }).waitFor();
  await signTrade(page);
  await untilSwapped(page);
  const exact = await readHoldings(scene, wallet);
  const received = exact.wire - before.wire;
  // The pools of a split round in the wallet's favour.
  assert.ok(received >= 1000n * ETHER && received - 1000n * ETHER < 10n ** 6n, `${received}`);
  // From then on the page knows what is left.
  await untilOwn(page, 1);
  await page.getByRole('button', { name: 'Pay exactly' }).click();
  await page.getByRole('button', { name: 'Max' }).click();
  await page.getByText('You receive about').waitFor();
  await reviewQuote(page);
  await signTrade(page);
  await untilSwapped(page);
  const { wire, native } = await readHoldings(scene, wallet);
  assert.ok(wire > exact.wire);
  assert.ok(native > 0n && native < ETHER / 1000n, `${native} are left`);
  await watched.finish();
}

async function buyOnSolana(page: Page, wallet: SolanaBrowserWallet): Promise<void> {
  await openReview(page, '0.25');
  wallet.refused.add('signAndSendTransaction');
  await signTrade(page);
  await page.getByRole('alert').getByText('The swap was not sent').waitFor();
  wallet.refused.clear();
  await signTrade(page);
  await page.locator('dialog').getByText('Swapped').waitFor();
}

/** The wallet of the other family comes first: it is told that it has no account here. */
export async function tradeOnSolana({ openPage, chain, solana }: ConsoleScene): Promise<void> {
  const { rpcUrl, tokens } = solana.deployment;
  const wallet = new SolanaBrowserWallet(rpcUrl, 1);
  const { mint } = tokens.find(({ symbol }) => symbol === 'MIST') ?? assert.fail('no MIST');
  const watched = await openPage(`/token?chain=devnet-solana&mint=${mint}`, {
    wallets: [createBrowserWallet(chain, 4), wallet],
  });
  const { page } = watched;
  await untilLive(page);
  await signIn(page);
  await page.getByText('has no account on Local Solana devnet').waitFor();
  await pickWallet(page, 'Test Solana Wallet');
  await page.getByRole('button', { name: 'Max' }).waitFor();
  await buyOnSolana(page, wallet);
  assert.equal(await untilOwn(page, 1), 1);
  await page.locator('dialog').getByText('Swapped, and final').waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.locator('.swap').getByRole('button', { name: 'Sell' }).click();
  await page.getByRole('button', { name: 'Max' }).click();
  await openReview(page, await page.getByLabel('You pay').inputValue());
  await signTrade(page);
  await untilSwapped(page);
  assert.equal(await untilOwn(page, 2), 2);
  assert.deepEqual(wallet.called, [
    'signMessage',
    ...Array<string>(3).fill('signAndSendTransaction'),
  ]);
  await watched.finish();
}
