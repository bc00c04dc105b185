// Pins what counts as which credential.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { walletId } from '../../test/test-ids.ts';
import type { KeyIdentity, SessionIdentity } from '../contract/identity.ts';
import { AppError } from '../errors/app-error.ts';
import { createIdentify } from './identify.ts';

const KEY: KeyIdentity = {
  kind: 'key',
  key: 'w',
  walletId: walletId('w'),
  keyId: 'k',
  tier: null,
  limits: null,
};
const SESSION: SessionIdentity = {
  kind: 'session',
  key: 'w',
  wallet: { id: walletId('w'), address: '0x' },
  chain: 'base',
  sessionId: 's',
  tier: null,
  transport: 'token',
  createdAtMs: 0,
  expiresAtMs: 1,
};
const HEX = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

const identify = createIdentify({
  key: (token) => (token === 'mw_live_good' ? KEY : null),
  session: async (token) => (token === 'mw_sess_good' ? SESSION : null),
});

async function ask(authorization?: string, sessionCookie?: string): Promise<string> {
  try {
    const identity = await identify({ authorization, sessionCookie, addressGroup: '192.0.2.1' });
    return identity.kind;
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error.code;
  }
}

test('bearer tokens of both kinds are accepted, with the scheme in any case', async () => {
  assert.equal(await ask(), 'anonymous');
  for (const scheme of ['Bearer ', 'bearer ', 'BEARER  ', 'Bearer   ']) {
    assert.equal(await ask(`${scheme}mw_live_good`), 'key', scheme);
    assert.equal(await ask(`${scheme}mw_sess_good`), 'session', scheme);
  }
});

test('anything else is rejected, never treated as anonymous', async () => {
  const cases: [string, string][] = [
    ['mw_live_good', 'INVALID_API_KEY'],
    ['Basic mw_live_good', 'INVALID_API_KEY'],
    ['Bearermw_live_good', 'INVALID_API_KEY'],
    ['Bearer', 'INVALID_API_KEY'],
    ['Bearer ', 'INVALID_API_KEY'],
    ['', 'INVALID_API_KEY'],
    ['Bearer mw_live_bad', 'INVALID_API_KEY'],
    ['Bearer mw_sess_bad', 'INVALID_SESSION'],
    [`Bearer ${HEX}`, 'PRIVATE_KEY_REFUSED'],
    [`Bearer 0x${HEX}`, 'PRIVATE_KEY_REFUSED'],
    [`0x${HEX}`, 'PRIVATE_KEY_REFUSED'],
    [`Basic ${HEX}`, 'PRIVATE_KEY_REFUSED'],
    [`Bearer ${'5'.repeat(87)}`, 'PRIVATE_KEY_REFUSED'],
    [JSON.stringify(Array.from({ length: 64 }, (_, n) => n)), 'PRIVATE_KEY_REFUSED'],
    [`Bearer [${Array.from({ length: 64 }, (_, n) => n).join(', ')}]`, 'PRIVATE_KEY_REFUSED'],
  ];
  for (const [authorization, code] of cases) {
    assert.equal(await ask(authorization), code, authorization);
    assert.equal(await ask(authorization, 'mw_sess_good'), code, 'a cookie does not help');
  }
});

test('a valid cookie is a session, an invalid one is anonymous, a private key is rejected', async () => {
  assert.equal(await ask(undefined, 'mw_sess_good'), 'session');
  for (const cookie of ['', 'x', 'mw_sess_bad', 'mw_live_good']) {
    assert.equal(await ask(undefined, cookie), 'anonymous', cookie);
  }
  assert.equal(await ask(undefined, HEX), 'PRIVATE_KEY_REFUSED');
});

test('an empty bearer is told so', () => {
  for (const authorization of ['', 'Bearer', 'bearer  ']) {
    const run = () =>
      identify({ authorization, sessionCookie: undefined, addressGroup: '192.0.2.1' });
    assert.throws(run, /The bearer credential is empty: is a variable unset\?/, authorization);
  }
});
