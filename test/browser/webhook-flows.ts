// Webhooks and alerts, from the page to a receiver and back.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { WIRE } from '../docs-scene.ts';
import type { Cleanup } from '../start-service-process.ts';
import { type Received, startReceiver } from '../webhooks/webhook-scene.ts';
import { type ConsoleScene, WIRE_PATH } from './console-scene.ts';
import { buyWire, signIn } from './console-steps.ts';
import { createBrowserWallet } from './evm-browser-wallet.ts';
import { untilRight } from './watched-page.ts';

function sign({ headers, text }: Received, secret: string): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

const listSignatures = ({ headers }: Received) => String(headers['webhook-signature']).split(' ');

/** Reads the secret that is shown once, through the clipboard, and says that it is stored. */
async function storeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'The secret of your webhook' });
  await dialog.getByRole('button', { name: 'Copy' }).first().click();
  const secret = await untilRight(
    'the clipboard has the secret',
    () => page.evaluate<string>('navigator.clipboard.readText()'),
    (text) => text.startsWith('whsec_'),
  );
  assert.equal(await dialog.locator('code').first().textContent(), secret);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  await dialog.waitFor({ state: 'detached' });
  assert.ok(!(await page.content()).includes(secret));
  return secret;
}

async function confirm(page: Page, dialog: string, button: string): Promise<void> {
  const asked = page.getByRole('dialog', { name: dialog });
  await asked.getByRole('button', { name: button, exact: true }).click();
  await asked.waitFor({ state: 'detached' });
}

async function createWebhookOnPage(page: Page, url: string): Promise<string> {
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  await page.getByLabel('URL that events').fill(url);
  await page.getByLabel('Alerts', { exact: true }).check();
  await page.getByLabel('Chain of the tokens').selectOption('devnet');
  await page.getByLabel('Tokens, for trades').fill(WIRE);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  return storeSecret(page);
}

export async function useWebhook(t: Cleanup, scene: ConsoleScene): Promise<void> {
  const receiver = await startReceiver(t);
  const watched = await scene.openPage('/', { wallets: [createBrowserWallet(scene.chain, 6)] });
  const { page } = watched;
  // A refused form is a failed request, which the browser reports.
  watched.expectFaults(/400 \(Bad Request\)/);
  await signIn(page);
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('No webhook yet').waitFor();
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  await page.getByLabel('URL that events').fill('ftp://example.com/');
  await page.getByLabel('Tokens, for trades').fill(WIRE);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.locator('dialog').getByRole('alert').getByText('url').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();

  const secret = await createWebhookOnPage(page, receiver.url);
  await page.getByRole('row', { name: receiver.url }).getByText('Active').waitFor();
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The receiver took it: 204').waitFor();
  const [tested] = receiver.taken;
  assert.ok(tested !== undefined && listSignatures(tested).includes(sign(tested, secret)));

  await buyWire(scene.chain);
  const delivered = page.getByRole('row').filter({ hasText: /Delivered 204(?! \(test\))/ });
  await delivered.first().waitFor();
  assert.ok(receiver.listEvents().some(({ type }) => type === 'trade'));

  receiver.behave = () => 'fail';
  await buyWire(scene.chain);
  await page.getByText('Every attempt has failed').waitFor();
  await page.getByText('The next attempt is in').waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The receiver did not take it').waitFor();
  // What a receiver answers is shown without its control characters.
  const answer = await page.locator('[role=status] code').textContent();
  assert.match(answer ?? '', /^not +now/);
  await page.getByLabel('Show').selectOption('failed');
  await page
    .getByRole('row', { name: /Failed 500/ })
    .first()
    .waitFor();
  assert.equal(await page.getByRole('row', { name: /Delivered/ }).count(), 0);
  await page.getByLabel('Show').selectOption('all');
  const before = receiver.taken.length;
  receiver.behave = () => 'take';
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The receiver took it').waitFor();
  await page.getByText('Every attempt has failed').waitFor({ state: 'detached' });
  // The test, and what had waited.
  assert.ok(receiver.taken.length >= before + 2);

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('It is paused').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('It is paused').waitFor({ state: 'detached' });

  const first = receiver.listEvents()[0]?.id;
  const times = () =>
    receiver.taken.flatMap(({ body }) => body.data.events).filter(({ id }) => id === first).length;
  const sent = times();
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByLabel('From this time').fill('2020-01-01T00:00');
  await confirm(page, 'Send older events again', 'Send again');
  await untilRight(
    'the first event comes again',
    async () => times(),
    (count) => count > sent,
  );

  await page.getByRole('button', { name: 'Rotate' }).click();
  await confirm(page, 'Rotate the secret', 'Rotate');
  const rotated = await storeSecret(page);
  assert.notEqual(rotated, secret);
  await page.getByText('The old secret signs, too').waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('The receiver took it').waitFor();
  const isBoth = (one: Received) =>
    [secret, rotated].every((each) => listSignatures(one).includes(sign(one, each)));
  assert.ok(receiver.taken.some(isBoth));

  receiver.behave = () => 'gone';
  await buyWire(scene.chain);
  await page.getByRole('alert').getByText('It is disabled: ').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await confirm(page, 'Delete the webhook', 'Delete');
  await page.getByText('No webhook yet').waitFor();
  await watched.finish();
}

export async function tellWhen(t: Cleanup, scene: ConsoleScene): Promise<void> {
  const receiver = await startReceiver(t);
  const watched = await scene.openPage(WIRE_PATH, {
    wallets: [createBrowserWallet(scene.chain, 8)],
  });
  const { page } = watched;
  const dialog = page.getByRole('dialog', { name: 'Tell me when' });
  await page.getByRole('button', { name: 'Tell me when' }).click();
  await dialog.getByText('Alerts belong to a wallet').waitFor();
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Test Wallet' }).click();
  await dialog.getByLabel('Condition').waitFor();
  const { origin } = scene.service();
  await page.goto(`${origin}/webhooks`);
  await createWebhookOnPage(page, receiver.url);
  await page.goto(origin + WIRE_PATH);
  await page.getByRole('button', { name: 'Tell me when' }).click();
  await dialog.getByLabel('Condition').selectOption('one buy is more than');
  await dialog.getByLabel('USD', { exact: true }).fill('0.01');
  await dialog.getByLabel('How often').selectOption('Every time');
  await dialog.getByLabel('Deliver to').selectOption(receiver.url);
  await dialog.getByRole('button', { name: 'Create the alert' }).click();
  await dialog.getByText('Created.').waitFor();
  const row = dialog.getByRole('row', { name: /one buy is more than \$0\.01/ });
  await row.getByText('Not yet').waitFor();
  // The indexer takes it up with a block.
  await untilRight(
    'the alert is active',
    async () => {
      await scene.chain.mine();
      await page.waitForResponse((response) => response.url().includes('/v1/alerts'));
      return row.getByText('Active').count();
    },
    (count) => count > 0,
  );
  await buyWire(scene.chain);
  await row.getByText('at $').waitFor();
  await untilRight(
    'the alert is delivered',
    async () => receiver.listEvents().map(({ type }) => type),
    (types) => types.includes('alert'),
  );
  await dialog.getByRole('link', { name: 'All alerts' }).click();
  const listed = page.getByRole('row', { name: /one buy is more than/ });
  await listed.getByText('at $').waitFor();
  await listed.getByRole('link', { name: 'webhook' }).waitFor();
  await listed.getByRole('button', { name: 'Delete' }).click();
  await confirm(page, 'Delete the alert', 'Delete');
  await page.getByText('No alert yet').waitFor();
  await watched.finish();
}
