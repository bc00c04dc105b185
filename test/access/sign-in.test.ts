// Signing in, and every known way of signing in as somebody else.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AccessServer, startAccess } from '../start-access.ts';
import { createEvmWallet, createSolanaWallet, type TestWallet } from '../wallets.ts';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function verify(server: AccessServer, challengeId: string, signature: string) {
  return server.send('POST', '/auth/verify', {
    body: { challengeId, signature, transport: 'token' },
  });
}

/** Signs something other than the challenge's message, or in another way. */
async function verifyAltered(
  server: AccessServer,
  wallet: TestWallet,
  alter: (message: string) => Promise<string>,
) {
  const { challengeId, message } = await server.challenge(wallet);
  return verify(server, challengeId, await alter(message));
}

describe('sign-in', () => {
  test('EVM and Solana wallets, on chains that nobody follows', async (t) => {
    const server = await startAccess(t);
    const wallets = [
      [createEvmWallet('ethereum'), 'eip155:'],
      [createEvmWallet('eip155:137'), 'eip155:'],
      [createSolanaWallet(), 'solana:'],
      [createSolanaWallet('base64'), 'solana:'],
    ] as const;
    for (const [wallet, prefix] of wallets) {
      const { token, walletId } = await server.signIn(wallet);
      assert.equal(walletId, `${prefix}${wallet.address}`);
      const me = await server.send('GET', '/me', { bearer: token });
      assert.equal(me.status, 200);
      assert.equal((me.body['wallet'] as { address: string }).address, wallet.address);
    }
  });

  test('a wallet is the same on every EVM chain, in any form of its address', async (t) => {
    const server = await startAccess(t);
    const wallet = createEvmWallet('base');
    const first = await server.signIn(wallet);
    const lower = { ...wallet, chain: 'polygon', address: wallet.address.toLowerCase() };
    const second = await server.signIn(lower);
    const upper = { ...wallet, address: `0x${wallet.address.slice(2).toUpperCase()}` };
    const third = await server.signIn(upper);
    assert.equal(second.walletId, first.walletId);
    assert.equal(third.walletId, first.walletId);
    assert.equal(first.walletId, `eip155:${wallet.address}`);
  });

  test('invalid chains, addresses and domains are reported', async (t) => {
    const server = await startAccess(t);
    const { address } = createEvmWallet();
    const cases: [Record<string, unknown>, number, string][] = [
      [{ address, chain: 'nochain' }, 400, 'UNKNOWN_CHAIN'],
      [{ address: '0x12', chain: 'base' }, 400, 'INVALID_ADDRESS'],
      [{ address, chain: 'solana' }, 400, 'INVALID_ADDRESS'],
      [{ address: createSolanaWallet().address, chain: 'base' }, 400, 'INVALID_ADDRESS'],
      [{ address: `1${createSolanaWallet().address}`, chain: 'solana' }, 400, 'INVALID_ADDRESS'],
      [{ address: `${address}\nURI: x`, chain: 'base' }, 400, 'INVALID_ADDRESS'],
      [{ address, chain: 'base', domain: 'evil.example' }, 400, 'INVALID_INPUT'],
      [{ address, chain: 'base', domain: 'console.example.evil' }, 400, 'INVALID_INPUT'],
      [{ address, chain: 'base', domain: 'console.example\n\nGive all' }, 400, 'INVALID_INPUT'],
      [{ address, chain: 'base', statement: 'Give all' }, 400, 'INVALID_INPUT'],
      [{ chain: 'base' }, 400, 'INVALID_INPUT'],
    ];
    for (const [body, status, code] of cases) {
      const answer = await server.send('POST', '/auth/challenge', { body });
      assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(body));
    }
  });

  test('the text names the requesting page if that page is allowed', async (t) => {
    const server = await startAccess(t, { env: { SESSION_ORIGINS: 'https://app.example:8443' } });
    const { address, chain } = createEvmWallet();
    const ask = async (extra: { domain?: string }, headers = {}) => {
      const body = { address, chain, ...extra };
      const answer = await server.send('POST', '/auth/challenge', { body, headers });
      return String(answer.body['message']);
    };
    assert.match(await ask({}), /^console\.example wants you to sign in/);
    assert.match(await ask({ domain: 'app.example:8443' }), /^app\.example:8443 wants/);
    assert.match(await ask({ domain: 'app.example:8443' }), /\nURI: https:\/\/app.example:8443\n/);
    assert.match(await ask({}, { origin: 'https://app.example:8443' }), /^app\.example:8443 wants/);
    assert.match(await ask({}, { origin: 'https://evil.example' }), /^console\.example wants/);
  });
});

describe('attacks', () => {
  test("another's address, altered texts and foreign texts are refused", async (t) => {
    const server = await startAccess(t);
    for (const create of [() => createEvmWallet('base'), () => createSolanaWallet()]) {
      const [victim, mallory] = [create(), create()];
      const attacks: Record<string, (message: string) => Promise<string>> = {
        "another's key": (message) => mallory.sign(message),
        'another domain': (message) =>
          victim.sign(message.replaceAll('console.example', 'evil.example')),
        'another chain': (message) => victim.sign(message.replace(/Chain ID: .*/, 'Chain ID: 1')),
        'a later end': (message) =>
          victim.sign(message.replace(/Expiration Time: \d{4}/, 'Expiration Time: 2099')),
        'an earlier start': (message) =>
          victim.sign(message.replace(/Issued At: \d{4}/, 'Issued At: 2001')),
        'an injected line': (message) => victim.sign(`${message}\nResources:\n- https://evil`),
        'another statement': (message) => victim.sign(message.replace(/Sign in to.*/, 'Hello')),
        'another nonce': (message) => victim.sign(message.replace('Nonce: ', 'Nonce: x')),
        'an empty text': () => victim.sign(''),
        'a space more': (message) => victim.sign(`${message} `),
        'no signature': async () => '0x',
        garbage: async () => 'garbage',
      };
      for (const [name, alter] of Object.entries(attacks)) {
        const answer = await verifyAltered(server, victim, alter);
        assert.equal(answer.status, 401, name);
        assert.equal(answer.body.code, 'INVALID_SIGNATURE', name);
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
        assert.equal(answer.body['token'], undefined);
        // The challenge is still open, and the number of open ones is limited.
        server.clock.advance(5 * 60_000);
      }
    }
  });

  test('a malleable signature signs nobody in, before or after the real one', async (t) => {
    const server = await startAccess(t);
    const wallet = createEvmWallet();
    const { challengeId, message } = await server.challenge(wallet);
    const signature = await wallet.sign(message);
    const s = (ORDER - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
    const twin = `${signature.slice(0, 66)}${s}${signature.endsWith('1b') ? '1c' : '1b'}`;
    assert.equal((await verify(server, challengeId, twin)).body.code, 'INVALID_SIGNATURE');
    assert.equal((await verify(server, challengeId, signature)).status, 200);
    assert.equal((await verify(server, challengeId, twin)).body.code, 'CHALLENGE_EXPIRED');
  });

  test('a challenge signs in once, for five minutes, and survives four failures', async (t) => {
    const server = await startAccess(t);
    const wallet = createEvmWallet();
    const first = await server.challenge(wallet);
    const signature = await wallet.sign(first.message);
    assert.equal((await verify(server, first.challengeId, signature)).status, 200);
    const replay = await verify(server, first.challengeId, signature);
    assert.deepEqual([replay.status, replay.body.code], [401, 'CHALLENGE_EXPIRED']);
    const other = await server.challenge(wallet);
    const crossed = await verify(server, other.challengeId, signature);
    assert.equal(crossed.body.code, 'INVALID_SIGNATURE', 'the signature of another challenge');
    for (let i = 0; i < 3; i += 1) await verify(server, other.challengeId, signature);
    const right = await wallet.sign(other.message);
    assert.equal((await verify(server, other.challengeId, right)).status, 200);
    const slow = await server.challenge(wallet);
    const late = await wallet.sign(slow.message);
    server.clock.advance(5 * 60_000);
    assert.equal((await verify(server, slow.challengeId, late)).body.code, 'CHALLENGE_EXPIRED');
    server.clock.advance(5 * 60_000);
    const fifth = await server.challenge(wallet);
    for (let i = 0; i < 5; i += 1) await verify(server, fifth.challengeId, signature);
    const spent = await verify(server, fifth.challengeId, await wallet.sign(fifth.message));
    assert.equal(spent.body.code, 'CHALLENGE_EXPIRED');
  });

  test('of a hundred parallel verifies of one challenge one succeeds', async (t) => {
    const server = await startAccess(t);
    for (const wallet of [createEvmWallet(), createSolanaWallet()]) {
      const { challengeId, message } = await server.challenge(wallet);
      const signature = await wallet.sign(message);
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => verify(server, challengeId, signature)),
      );
      const codes = answers.map((answer) => answer.body.code ?? 'ok').sort();
      assert.equal(codes.filter((code) => code === 'ok').length, 1);
      assert.equal(codes.filter((code) => code === 'CHALLENGE_EXPIRED').length, 99);
    }
  });

  test('a private key sent as a signature is rejected with its own error', async (t) => {
    const server = await startAccess(t);
    const { challengeId } = await server.challenge(createEvmWallet());
    const hex = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
    const numbers = JSON.stringify(Array.from({ length: 64 }, (_, i) => i));
    for (const key of [hex, `0x${hex}`, numbers]) {
      const answer = await verify(server, challengeId, key);
      assert.deepEqual([answer.status, answer.body.code], [401, 'PRIVATE_KEY_REFUSED']);
      assert.ok(!JSON.stringify(answer.body).includes(key));
    }
    assert.ok(!server.server.logLines.join('').includes(hex));
  });

  test('open challenges are limited per caller and expire', async (t) => {
    const server = await startAccess(t);
    const body = { chain: 'base' };
    for (let i = 0; i < 20; i += 1) {
      const answer = await server.send('POST', '/auth/challenge', {
        body: { ...body, address: createEvmWallet().address },
      });
      assert.equal(answer.status, 200);
    }
    const full = await server.send('POST', '/auth/challenge', {
      body: { ...body, address: createEvmWallet().address },
    });
    assert.deepEqual([full.status, full.body.code], [429, 'TOO_MANY_CHALLENGES']);
    const retryAfter = Number(full.headers.get('retry-after'));
    assert.ok(retryAfter > 0 && retryAfter <= 300);
    server.clock.advance(retryAfter * 1000);
    await server.challenge(createEvmWallet());
  });
});
