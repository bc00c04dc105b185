// Signing in with a wallet, and its keys.

import assert from 'node:assert/strict';
import { WIRE } from '../docs-scene.ts';
import type { ConsoleScene } from './console-scene.ts';
import { pickWallet, signIn } from './console-steps.ts';
import { createBrowserWallet } from './evm-browser-wallet.ts';
import { untilRight } from './watched-page.ts';

export async function useKey({ openPage, chain, service }: ConsoleScene): Promise<void> {
  const wallet = createBrowserWallet(chain, 0);
  const watched = await openPage('/keys', { wallets: [wallet] });
  const { page } = watched;
  await signIn(page);
  await page.getByLabel('Name').fill('from the browser');
  await page.getByLabel('Quotes').uncheck();
  await page.getByLabel('Requests a minute').fill('30');
  await page.getByLabel('Addresses it may be used from').fill('127.0.0.0/8, 10.0.0.1');
  await page.getByRole('button', { name: 'Issue a key' }).click();
  const secret = (await page.locator('dialog code').first().textContent()) ?? '';
  const line = await page.locator('dialog code').nth(1).textContent();
  const { origin } = service();
  assert.equal(line, `curl -s -H 'Authorization: Bearer ${secret}' ${origin}/v1/entitlements`);
  await page.locator('dialog').getByRole('button', { name: 'Copy' }).first().click();
  await untilRight(
    'the clipboard has the secret',
    () => page.evaluate<string>('navigator.clipboard.readText()'),
    (text) => text === secret,
  );
  const use = async () => {
    const headers = { authorization: `Bearer ${secret}` };
    return fetch(`${service().origin}/v1/entitlements`, { headers });
  };
  const { level } = (await (await use()).json()) as { level: string };
  assert.equal(level, 'key');
  const quoted = await fetch(`${service().origin}/v1/trade/quote`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ chain: 'devnet', mint: WIRE, side: 'buy', amountInRaw: '1' }),
  });
  assert.equal(quoted.status, 403, 'the key is for data and agents');
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const row = page.getByRole('row', { name: 'from the browser' });
  await row.getByText('Data, Agents (MCP)').waitFor();
  await row.getByText('30 a minute').waitFor();
  await row.getByText('127.0.0.0/8, 10.0.0.1').waitFor();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('Revoked').waitFor();
  assert.equal((await use()).status, 401);
  assert.ok(!(await page.content()).includes(secret));
  // The reference sends its examples with the session of the browser.
  await page.goto(`${origin}/v1/docs#getMe`);
  const section = page.locator('#getMe');
  await section.getByRole('button', { name: 'Try it' }).click();
  await section.getByText('200 OK').waitFor();
  const answer = await section.locator('.answer').textContent();
  assert.match(answer ?? '', new RegExp(wallet.account.address, 'i'));
  await page.goto(`${origin}/keys`);
  await page.getByRole('button', { name: 'Sessions' }).click();
  await page.getByRole('button', { name: 'Log out everywhere' }).click();
  await page.getByText('Keys belong to a wallet').waitFor();
  await watched.finish();
}

export async function refuseSignIn({ openPage, chain }: ConsoleScene): Promise<void> {
  const wallet = createBrowserWallet(chain, 4);
  wallet.refused.add('personal_sign');
  const watched = await openPage('/keys', { wallets: [wallet] });
  const { page } = watched;
  await pickWallet(page);
  await page.getByRole('alert').getByText('Nothing was signed').waitFor();
  wallet.refused.clear();
  await page.getByRole('button', { name: 'Test Wallet' }).click();
  await page.locator('.account').waitFor();
  await watched.finish();
}
