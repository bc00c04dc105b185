// How every page, dialog and state looks, at every width and in both themes.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { TRADERS } from '../../devnet/accounts.ts';
import { WIRE } from '../docs-scene.ts';
import { type ConsoleScene, OPERATOR, type PageLook, WIRE_PATH } from './console-scene.ts';
import { openReview, signIn } from './console-steps.ts';
import { createBrowserWallet } from './evm-browser-wallet.ts';
import {
  findLongPageFaults,
  findLookFaults,
  findShiftFaults,
  findWidthFaults,
  LAYOUT_RULES,
} from './look-faults.ts';

export const PHONE: PageLook = { width: 390, theme: 'light' };

/** A mouse and a finger; each begins in another theme, as its browser prefers it. */
export const LOOKS: readonly PageLook[] = [{ width: 1440, theme: 'dark' }, PHONE];

/** Each page with something that is there once it is filled. The first trader has all rows. */
const PAGES = [
  ['tokens', '/', 'table.tokens tbody a'],
  ['portfolio', `/portfolio?wallet=${TRADERS[0]}`, 'table.plain tbody a'],
  ['positions', `/portfolio?wallet=${TRADERS[0]}&tab=positions`, 'table.plain tbody a'],
  ['wallet', `/wallet?wallet=${TRADERS[0]}`, '.value svg'],
  ['keys', '/keys', 'form'],
  ['usage', '/keys?tab=usage', '.usage svg'],
  ['sessions', '/keys?tab=sessions', 'table.plain tbody td'],
  ['webhooks', '/webhooks', 'table.plain tbody a'],
  ['alerts', '/webhooks?tab=alerts', 'table.plain tbody a'],
  ['status', '/status', '.operator .endpoint-healthy'],
  ['token', WIRE_PATH, '.tape tr[data-id]'],
] as const;

const TABS = [
  ['holders', '.concentration'],
  ['pools', '.tabs tbody tr'],
  ['safety', '.tabs tbody tr'],
  ['traders', '.tabs tbody tr'],
] as const;

/** On the page of a token. */
async function findTabFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, sign] of TABS) {
    await page.getByRole('button', { name: new RegExp(`^${name}$`, 'i') }).click();
    await page.locator(sign).first().waitFor();
    faults.push(...(await findLookFaults(page, name, '.tabs')));
  }
  return faults;
}

/** Asks the API with the session of the page. */
function ask<Answer>(page: Page, method: 'GET' | 'POST', path: string, body?: object) {
  const options = JSON.stringify({
    ...{ method, headers: { 'content-type': 'application/json' } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return page.evaluate<Answer>(`fetch('/v1${path}', ${options}).then((one) => one.json())`);
}

/** Nobody listens there: its deliveries fail. */
const DEAD_URL = `http://127.0.0.1:9/hooks/${'a-long-path-of-somebody/'.repeat(4)}`;

/** Fills the lists of webhooks and alerts, once for the wallet; the id of a webhook that fails. */
async function addWebhooks(page: Page): Promise<string> {
  const { webhooks } = await ask<{ webhooks: { webhookId: string; url: string }[] }>(
    page,
    'GET',
    '/webhooks',
  );
  const known = webhooks.find(({ url }) => url === DEAD_URL);
  if (known !== undefined) return known.webhookId;
  const of = { chain: 'devnet', mint: WIRE };
  const events = ['trade', 'price', 'holders', 'pool', 'launch', 'graduation', 'alert', 'reverted'];
  const webhook = { url: DEAD_URL, events, tokens: [of], chains: ['devnet', 'devnet-solana'] };
  const { webhookId } = await ask<{ webhookId: string }>(page, 'POST', '/webhooks', webhook);
  const wallet = { address: TRADERS[0] };
  for (const alert of [
    { ...of, when: { changePct: { window: '24h', below: -12.5 } }, once: true },
    { ...of, when: { priceUsd: { above: '0.000001234567' } }, cooldownSeconds: 300 },
    { chain: 'devnet', when: { wallet } },
  ]) {
    await ask(page, 'POST', '/alerts', alert);
  }
  return webhookId;
}

/** One webhook with its dialogs, and the one that creates another. */
async function findWebhookFaults(page: Page, url: string): Promise<string[]> {
  const faults: string[] = [];
  await page.goto(url);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The receiver did not take it').waitFor();
  await page.getByRole('row', { name: 'Failed' }).first().waitFor();
  faults.push(...(await findLookFaults(page, 'webhook')));
  for (const [name, button] of [
    ['replay', 'Send again'],
    ['rotate', 'Rotate'],
    ['remove', 'Delete'],
  ] as const) {
    await page.getByRole('button', { name: button }).click();
    faults.push(...(await findLookFaults(page, `webhook-${name}`, 'dialog')));
    await page.keyboard.press('Escape');
  }
  await page.getByRole('link', { name: 'All webhooks' }).click();
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  await page.locator('dialog').waitFor();
  faults.push(...(await findLookFaults(page, 'webhook-form', 'dialog')));
  await page.getByLabel('URL that events').fill(DEAD_URL.slice(0, -1));
  await page.getByLabel('Tokens, for trades').fill(WIRE);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('button', { name: 'I have stored it' }).waitFor();
  faults.push(...(await findLookFaults(page, 'webhook-secret', 'dialog')));
  await page.getByRole('button', { name: 'I have stored it' }).click();
  return faults;
}

/** On the page of a token. */
async function findDialogFaults(page: Page, { width }: PageLook): Promise<string[]> {
  await page.keyboard.press('?');
  await page.locator('dialog').waitFor();
  const help = await findLookFaults(page, 'help', 'dialog');
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Search' }).fill('w');
  await page.locator('dialog [role=option]').first().waitFor();
  const search = await findLookFaults(page, 'search', 'dialog');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Tell me when' }).click();
  await page.locator('dialog tbody button').first().waitFor();
  const alerts = await findLookFaults(page, 'alert-dialog', 'dialog');
  await page.keyboard.press('Escape');
  if (width < 600) await page.getByText('Buy and sell').click();
  await openReview(page, '0.1');
  const review = await findLookFaults(page, 'review', 'dialog');
  await page.getByRole('button', { name: 'Close' }).click();
  const form = await findWidthFaults(page, 'form');
  return [...help, ...search, ...alerts, ...review, ...form];
}

/** What a visitor sees, who is not signed in and has no wallet. */
const SIGNED_OUT = [
  ['out-tokens', '/', 'table.tokens tbody a'],
  ['out-launches', '/?sort=launches', 'table.tokens tbody a'],
  ['out-portfolio', '/portfolio', '.note'],
  ['out-keys', '/keys', '.note'],
  ['out-webhooks', '/webhooks', '.note'],
  ['out-token', WIRE_PATH, '.tape tr[data-id]'],
  ['empty-list', '/?liquidity=1000000&window=5m&sort=launches', '.note'],
  ['empty-tape', `${WIRE_PATH}&minUsd=999999999`, '.note'],
  ['empty-wallet', `/portfolio?wallet=0x${'00'.repeat(19)}77&tab=trades`, '.note'],
] as const;

export async function checkSignedOut(scene: ConsoleScene, look: PageLook): Promise<void> {
  const watched = await scene.openPage('/', { look });
  const { page } = watched;
  const faults: string[] = [];
  for (const [name, path, sign] of SIGNED_OUT) {
    await page.goto(scene.service().origin + path);
    await page.locator(sign).first().waitFor();
    faults.push(...(await findWidthFaults(page, name)));
  }
  await page.getByRole('button', { name: 'Sign in' }).first().click();
  await page.locator('dialog .note').waitFor();
  const wallets = (await page.locator('dialog .note').textContent()) ?? '';
  for (const name of ['MetaMask', 'Rabby', 'Phantom', 'chain id 1337']) {
    assert.ok(wallets.includes(name), name);
  }
  faults.push(...(await findWidthFaults(page, 'no-wallet')));
  await page.keyboard.press('Escape');
  if (look.width < 600) {
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Status' }).waitFor();
    faults.push(...(await findWidthFaults(page, 'menu')));
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByRole('heading', { name: 'Status' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Keys' }).count(), 0, 'the menu is closed');
  }
  assert.deepEqual(faults, []);
  await watched.finish();
}

/** Each page with what shows meanwhile that it is not all. */
const UNANSWERED = [
  ['/', 'main .bone'],
  [WIRE_PATH, 'main .bone'],
  [`/portfolio?wallet=${TRADERS[0]}`, 'main .page'],
  ['/status', 'main .page'],
] as const;

/** Every page while no answer has come, and once the server cannot be reached. */
export async function checkUnanswered(scene: ConsoleScene, look: PageLook): Promise<void> {
  const watched = await scene.openPage('/v1/docs', { look });
  const { page } = watched;
  watched.expectFaults(/Failed to load resource/);
  const faults: string[] = [];
  for (const kind of ['loading', 'failed'] as const) {
    await page.route('**/v1/**', (route) => (kind === 'failed' ? route.abort() : undefined));
    for (const [path, sign] of UNANSWERED) {
      const name = `${kind}-${path.slice(1).split('?')[0] || 'tokens'}`;
      await page.goto(scene.service().origin + path);
      await page
        .locator(kind === 'failed' ? '[role=alert]' : sign)
        .first()
        .waitFor();
      faults.push(...(await findWidthFaults(page, name)));
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  assert.deepEqual(faults, []);
  await watched.finish();
}

/** What an operator looks for: how far behind, by which nodes, for whom, in which version. */
async function readOperatorStatus(page: Page): Promise<void> {
  const operator = page.locator('.operator');
  const figures = (await operator.locator('.stats').textContent()) ?? '';
  for (const figure of [/Version\d+\.\d+/, /Streams \/ tokens\d+ \/ \d/, /Limited \(429\)\d/]) {
    assert.match(figures, figure);
  }
  for (const [label, row] of [
    ['Indexing', /Local devnet.*\d/],
    ['Endpoints', /Local devnet.*Healthy.*ms/],
    ['Nodes', /this one/],
  ] as const) {
    const table = operator.getByRole('table', { name: label, exact: true });
    await table.getByRole('row').filter({ hasText: row }).first().waitFor();
  }
  assert.match((await page.locator('.own-limits').textContent()) ?? '', /Budget a minute[\d,]+/);
}

export async function checkLook(scene: ConsoleScene, look: PageLook): Promise<void> {
  const wallets = [createBrowserWallet(scene.chain, OPERATOR)];
  const watched = await scene.openPage('/', { look, wallets });
  const { page } = watched;
  await signIn(page);
  const webhookId = await addWebhooks(page);
  const { origin } = scene.service();
  const faults = await findWebhookFaults(page, `${origin}/webhooks?id=${webhookId}`);
  for (const [name, path, sign] of PAGES) {
    await page.goto(scene.service().origin + path);
    await page.locator(sign).first().waitFor();
    if (name === 'token') await page.locator('.chart canvas').first().waitFor();
    if (name === 'status') await readOperatorStatus(page);
    faults.push(...(await findLookFaults(page, name)));
  }
  faults.push(...(await findTabFaults(page)), ...(await findDialogFaults(page, look)));
  assert.deepEqual(faults, []);
  await watched.finish();
}

/** The reference is searched, and sends one of its examples. */
export async function useReference(scene: ConsoleScene): Promise<void> {
  const watched = await scene.openPage('/v1/docs#getKlines');
  const { page } = watched;
  await page.keyboard.press('/');
  await page.keyboard.type('klines');
  const shown = await page.locator('nav.side li:visible').allTextContents();
  assert.ok(shown.length > 0 && shown.every((text) => /klines/i.test(text)));
  const section = page.locator('#getKlines');
  await section.getByRole('button', { name: 'Try it' }).click();
  await section.getByText('200 OK').waitFor();
  await watched.finish();
}

/** The reference with every response's fields open, and an answer. */
export async function checkReference(scene: ConsoleScene, look: PageLook): Promise<void> {
  const watched = await scene.openPage('/v1/docs#getKlines', { look });
  const { page } = watched;
  const faults = await findShiftFaults(page);
  const section = page.locator('#getKlines');
  await section.getByRole('button', { name: 'Try it' }).click();
  await section.getByText('200 OK').waitFor();
  await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
  // What does not depend on the width is looked at once: the page is long.
  const rules = look === LOOKS[0] ? null : LAYOUT_RULES;
  faults.push(...(await findLongPageFaults(page, 'docs', rules)));
  assert.deepEqual(faults, []);
  await watched.finish();
}
