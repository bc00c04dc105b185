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
        server.clock.advance(60_000);
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
    assert.equal((await verify(server, challengeId, twin)).body.code, 'INVALID_SIGNATURE');
  });

  test('a challenge signs in once, for five minutes, whatever fails before', async (t) => {
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

  test('nobody locks a wallet out by opening challenges or by failing its checks', async (t) => {
    const server = await startAccess(t);
    const wallet = createEvmWallet();
    const first = await server.challenge(wallet);
    for (let i = 0; i < 60; i += 1) {
      server.clock.advance(3000);
      const { challengeId } = await server.challenge(wallet);
      // Each failure costs its sender: more would be refused.
      if (i % 6 > 0) continue;
      const wrong = await createEvmWallet().sign('x');
      assert.equal((await verify(server, challengeId, wrong)).body.code, 'INVALID_SIGNATURE');
      assert.equal((await verify(server, first.challengeId, wrong)).status, 401);
    }
    const right = await wallet.sign(first.message);
    assert.equal((await verify(server, first.challengeId, right)).status, 200);
  });

  test('a challenge that was altered, or that another server wrote, is not accepted', async (t) => {
    const server = await startAccess(t);
    const wallet = createEvmWallet();
    const { challengeId, message } = await server.challenge(wallet);
    const signature = await wallet.sign(message);
    const [, text = '', mark = ''] = /^ch_(.+)\.(.+)$/.exec(challengeId) ?? [];
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    const seal = (altered: unknown) => Buffer.from(JSON.stringify(altered)).toString('base64url');
    const other = createEvmWallet();
    for (const altered of [
      `ch_${seal([parts[0], other.address, ...parts.slice(2)])}.${mark}`,
      `ch_${seal([...parts.slice(0, 4), Number(parts[4]) + 1])}.${mark}`,
      `ch_${text}.${mark.slice(1)}`,
      `ch_${text}`,
      'ch_4fzzzxjyl9FvbkoLXQ2pqz',
    ]) {
      const answer = await verify(server, altered, signature);
      assert.deepEqual([answer.status, answer.body.code], [401, 'CHALLENGE_EXPIRED'], altered);
    }
    assert.equal((await verify(server, challengeId, signature)).status, 200);
  });

  test('wrong signatures are charged to the caller, on chains that nobody follows too', async (t) => {
    // Only Base has a node.
    const verifyContractSignature = async ({ chain }: { readonly chain: string }) =>
      chain === 'base' ? false : null;
    const server = await startAccess(t, { verifyContractSignature });
    const readLeft = (answer: { headers: Headers }) =>
      Number(/;r=(\d+);/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);
    const expected = { base: 401, 'eip155:137': 503, solana: 401 };
    for (const [chain, status] of Object.entries(expected)) {
      const wallet = chain === 'solana' ? createSolanaWallet() : createEvmWallet(chain);
      const body = { address: wallet.address, chain };
      const opened = await server.send('POST', '/auth/challenge', { body });
      const before = readLeft(opened);
      const wrong = await verify(server, String(opened.body['challengeId']), '0x1234');
      assert.equal(wrong.status, status, chain);
      assert.equal(before - readLeft(wrong), 10, chain);
    }
  });
});
