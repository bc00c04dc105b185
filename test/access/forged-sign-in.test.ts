// Forged sign-ins, each against its own challenge: only the right text, signature and id start a
// session.

import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { test } from 'node:test';
import { hashMessage, keccak256, toHex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { decodeBase58, encodeBase58 } from '../../src/lib/base58.ts';
import { type AccessServer, startAccess } from '../start-access.ts';

/** The orders of secp256k1 and of Ed25519's group. */
const EVM_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const SOLANA_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

const CHALLENGE_MS = 5 * 60_000;

/** Changes of the text that the owner signs. */
const TEXTS: Readonly<Record<string, (text: string) => string>> = {
  'another domain': (text) => text.replaceAll('console.example', 'evil.example'),
  'a domain that begins alike': (text) =>
    text.replace('console.example', 'console.example.evil.example'),
  'a domain in other letters': (text) => text.replace('console.example', 'cоnsole.example'),
  'another address': (text) => text.replace(/\n\w{30,}\n/, `\n0x${'1'.repeat(40)}\n`),
  'an address in other case': (text) => text.replace(/\n\w{30,}\n/, (line) => line.toLowerCase()),
  'another statement': (text) => text.replace(/Sign in to.*/, 'Give all your coins.'),
  'another URI': (text) => text.replace(/URI: .*/, 'URI: https://evil.example'),
  'another version': (text) => text.replace('Version: 1', 'Version: 2'),
  'another chain': (text) => text.replace(/Chain ID: .*/, 'Chain ID: 1'),
  'another nonce': (text) => text.replace(/Nonce: ./, 'Nonce: ~'),
  'no nonce': (text) => text.replace(/\nNonce: .*/, ''),
  'an earlier start': (text) => text.replace(/Issued At: \d{4}/, 'Issued At: 2001'),
  'a later end': (text) => text.replace(/Expiration Time: \d{4}/, 'Expiration Time: 2099'),
  'no end': (text) => text.replace(/\nExpiration Time: .*/, ''),
  'an added line': (text) => `${text}\nResources:\n- https://evil.example`,
  'a request id': (text) => `${text}\nRequest ID: 1`,
  'a space more': (text) => `${text} `,
  'a line break more': (text) => `${text}\n`,
  'a byte order mark': (text) => `\ufeff${text}`,
  'other line breaks': (text) => text.replaceAll('\n', '\r\n'),
  'a null character': (text) => `${text}\0`,
  'the text twice': (text) => `${text}${text}`,
  'half of the text': (text) => text.slice(0, text.length / 2),
  'no text': () => '',
};

interface Forger {
  readonly address: string;
  readonly chain: string;
  sign(text: string): Promise<string>;
}

/** A wallet with everything needed to sign wrongly. */
interface EvmForger extends Forger {
  readonly account: PrivateKeyAccount;
}

interface SolanaForger extends Forger {
  readonly key: KeyObject;
  signBytes(bytes: Uint8Array): Buffer;
}

function createEvmForger(): EvmForger {
  const account = privateKeyToAccount(generatePrivateKey());
  return {
    ...{ address: account.address, chain: 'base', account },
    sign: (message) => account.signMessage({ message }),
  };
}

function createSolanaForger(): SolanaForger {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const signBytes = (bytes: Uint8Array) => sign(null, bytes, privateKey);
  return {
    address: encodeBase58(Buffer.from(x, 'base64url')),
    chain: 'solana',
    key: privateKey,
    signBytes,
    sign: async (text) => encodeBase58(signBytes(Buffer.from(text))),
  };
}

interface EvmSignature {
  readonly r: string;
  readonly s: string;
  readonly v: string;
  readonly all: string;
}

function toWord(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}

/** Changes of the owner's own signature of the right text. */
const EVM_SIGNATURES: Readonly<Record<string, (signature: EvmSignature) => string>> = {
  'the twin': ({ r, s, v }) =>
    `0x${r}${toWord(EVM_ORDER - BigInt(`0x${s}`))}${v === '1b' ? '1c' : '1b'}`,
  'the twin with the old v': ({ r, s, v }) => `0x${r}${toWord(EVM_ORDER - BigInt(`0x${s}`))}${v}`,
  'the other v': ({ r, s, v }) => `0x${r}${s}${v === '1b' ? '1c' : '1b'}`,
  'a v of 2': ({ r, s }) => `0x${r}${s}02`,
  'a v of 29': ({ r, s }) => `0x${r}${s}1d`,
  'a v of 37': ({ r, s }) => `0x${r}${s}25`,
  'a v of 255': ({ r, s }) => `0x${r}${s}ff`,
  'r and s swapped': ({ r, s, v }) => `0x${s}${r}${v}`,
  'r of zero': ({ s, v }) => `0x${toWord(0n)}${s}${v}`,
  's of zero': ({ r, v }) => `0x${r}${toWord(0n)}${v}`,
  'r of the order': ({ s, v }) => `0x${toWord(EVM_ORDER)}${s}${v}`,
  's of the order': ({ r, v }) => `0x${r}${toWord(EVM_ORDER)}${v}`,
  's beyond the order': ({ r, s, v }) =>
    `0x${r}${toWord((EVM_ORDER + BigInt(`0x${s}`)) % 2n ** 256n)}${v}`,
  zeros: () => `0x${'00'.repeat(65)}`,
  ones: () => `0x${'ff'.repeat(65)}`,
  'a byte less': ({ all }) => all.slice(0, -2),
  'a byte more': ({ all }) => `${all}00`,
  'half a byte less': ({ all }) => all.slice(0, -1),
  'no 0x': ({ all }) => all.slice(2),
  'a large 0X': ({ all }) => `0X${all.slice(2)}`,
  'a space before': ({ all }) => ` ${all}`,
  'it twice': ({ all }) => `${all}${all.slice(2)}`,
  'base64 of it': ({ all }) => Buffer.from(all.slice(2), 'hex').toString('base64'),
  'base58 of it': ({ all }) => encodeBase58(Buffer.from(all.slice(2), 'hex')),
  'JSON of it': ({ r, s, v }) => JSON.stringify({ r: `0x${r}`, s: `0x${s}`, v: `0x${v}` }),
  'the form of undeployed contracts around it': ({ all }) => `${all}${'6492'.repeat(16)}`,
  'nothing but 0x': () => '0x',
  words: () => 'garbage',
};

/** Other ways of signing the right text with the right key. */
const EVM_WAYS: Readonly<Record<string, (text: string, forger: EvmForger) => Promise<string>>> = {
  "another's key": (message) => createEvmForger().sign(message),
  'without the prefix of messages': (text, { account }) =>
    account.sign({ hash: keccak256(toHex(text)) }),
  'the hash as a message': (text, { account }) =>
    account.signMessage({ message: { raw: hashMessage(text) } }),
  'the hex of the text': (text, { account }) => account.signMessage({ message: toHex(text) }),
  'as typed data': (text, { account }) =>
    account.signTypedData({
      domain: { name: 'console.example' },
      types: { Mail: [{ name: 'text', type: 'string' }] },
      primaryType: 'Mail',
      message: { text },
    }),
  'as a transaction': (text, { account }) =>
    account.signTransaction({ type: 'eip1559', chainId: 8453, data: toHex(text) }),
  'by a Solana wallet': (text) => createSolanaForger().sign(text),
};

function toScalar(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function fromScalar(value: bigint): Buffer {
  return Buffer.from(toWord(value), 'hex').reverse();
}

const SOLANA_SIGNATURES: Readonly<Record<string, (bytes: Buffer) => string>> = {
  'the twin': (bytes) =>
    encodeBase58(
      Buffer.concat([
        bytes.subarray(0, 32),
        fromScalar(toScalar(bytes.subarray(32)) + SOLANA_ORDER),
      ]),
    ),
  'a turned bit': (bytes) => encodeBase58(Buffer.from(bytes.map((one, i) => (i ? one : one ^ 1)))),
  'its halves swapped': (bytes) =>
    encodeBase58(Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)])),
  zeros: () => Buffer.alloc(64).toString('base64'),
  'a byte less': (bytes) => encodeBase58(bytes.subarray(0, 63)),
  'a byte more': (bytes) => encodeBase58(Buffer.concat([bytes, Buffer.alloc(1, 7)])),
  'hex of it': (bytes) => bytes.toString('hex'),
  'hex of it with 0x': (bytes) => `0x${bytes.toString('hex')}`,
  'base64 of its base58': (bytes) => Buffer.from(encodeBase58(bytes)).toString('base64'),
  'base58 of its base64': (bytes) => encodeBase58(Buffer.from(bytes.toString('base64'))),
  'base64 in lines': (bytes) => bytes.toString('base64').replace(/(.{40})/, '$1\n'),
  'base64 with a space': (bytes) => ` ${bytes.toString('base64')}`,
  'base58 with a letter that it has not': (bytes) => `0${encodeBase58(bytes)}`,
  'base58 in capitals': (bytes) => encodeBase58(bytes).toUpperCase(),
  'it twice': (bytes) => encodeBase58(Buffer.concat([bytes, bytes])),
  'a list of numbers': (bytes) => JSON.stringify({ signature: [...bytes] }),
  words: () => 'garbage',
};

const SOLANA_WAYS: Readonly<Record<string, (text: string, forger: SolanaForger) => string>> = {
  "another's key": (text) => encodeBase58(createSolanaForger().signBytes(Buffer.from(text))),
  'as an off-chain message': (text, { signBytes }) =>
    encodeBase58(signBytes(Buffer.from(`\xffsolana offchain\0\0${text}`, 'latin1'))),
  'the hash of the text': (text, { signBytes }) =>
    encodeBase58(signBytes(Buffer.from(keccak256(toHex(text)).slice(2), 'hex'))),
  'the address for a signature': (_text, { address }) => {
    const key = decodeBase58(address) ?? assert.fail('no address');
    return encodeBase58(Buffer.concat([key, key]));
  },
};

function verify(server: AccessServer, challengeId: string, signature: string) {
  const body = { challengeId, signature, transport: 'token' };
  return server.send('POST', '/auth/verify', { body });
}

/** Each with its own wallet and challenge; the right signature works after the forged one. */
async function assertRefused<One extends Forger>(
  server: AccessServer,
  name: string,
  options: {
    readonly create: () => One;
    readonly forge: (text: string, forger: One) => Promise<string> | string;
  },
): Promise<void> {
  const forger = options.create();
  const { challengeId, message } = await server.challenge(forger);
  const forged = await options.forge(message, forger);
  const right = await forger.sign(message);
  assert.notEqual(forged, right, `${name} changes nothing`);
  const answer = await verify(server, challengeId, forged);
  const answered = [answer.status, answer.body.code];
  assert.deepEqual(answered, [401, 'INVALID_SIGNATURE'], `${forger.chain}: ${name}`);
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
  assert.equal(answer.headers.get('set-cookie'), null);
  assert.equal(answer.body['token'], undefined);
  assert.equal((await verify(server, challengeId, right)).status, 200, `${forger.chain}: ${name}`);
  // The rate of node requests about contract wallets is limited.
  server.clock.advance(CHALLENGE_MS);
}

async function attack<One extends Forger>(
  server: AccessServer,
  create: () => One,
  table: Readonly<Record<string, (text: string, forger: One) => Promise<string> | string>>,
): Promise<number> {
  for (const [name, forge] of Object.entries(table)) {
    await assertRefused(server, name, { create, forge });
  }
  return Object.keys(table).length;
}

function mapTable<From, To>(
  table: Readonly<Record<string, From>>,
  convert: (from: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(table).map(([name, from]) => [name, convert(from)]));
}

test('an EVM wallet: altered texts, signatures and ways of signing are refused', async (t) => {
  const server = await startAccess(t);
  const texts = mapTable(TEXTS, (alter) => (text: string, forger: EvmForger) => {
    return forger.sign(alter(text));
  });
  const signatures = mapTable(EVM_SIGNATURES, (alter) => async (text: string, one: EvmForger) => {
    const all = await one.sign(text);
    const [r, s, v] = [all.slice(2, 66), all.slice(66, 130), all.slice(130)];
    return alter({ r, s, v, all });
  });
  let count = await attack(server, createEvmForger, texts);
  count += await attack(server, createEvmForger, signatures);
  count += await attack(server, createEvmForger, EVM_WAYS);
  assert.equal(count, 59);
});

test('a Solana wallet: altered texts, signatures and encodings are refused', async (t) => {
  const server = await startAccess(t);
  const { 'an address in other case': _, ...altered } = TEXTS;
  const texts = mapTable(altered, (alter) => (text: string, forger: SolanaForger) => {
    return forger.sign(alter(text));
  });
  const signatures = mapTable(SOLANA_SIGNATURES, (alter) => (text: string, one: SolanaForger) => {
    return alter(one.signBytes(Buffer.from(text)));
  });
  let count = await attack(server, createSolanaForger, texts);
  count += await attack(server, createSolanaForger, signatures);
  count += await attack(server, createSolanaForger, SOLANA_WAYS);
  assert.equal(count, 44);
});

test('addresses without a secret key, for which anybody can sign, are rejected', async (t) => {
  const server = await startAccess(t);
  // Small-order points on the curve: the identity, and one of order two.
  const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);
  const orderTwo = Buffer.from(`ec${'ff'.repeat(30)}7f`, 'hex');
  for (const point of [Buffer.alloc(32), identity, orderTwo]) {
    for (const r of [Buffer.alloc(32), identity, orderTwo]) {
      const address = encodeBase58(point);
      const { challengeId } = await server.challenge({ address, chain: 'solana' });
      const forged = Buffer.concat([r, Buffer.alloc(32)]).toString('base64');
      const { status, body } = await verify(server, challengeId, forged);
      assert.deepEqual([status, body.code], [401, 'INVALID_SIGNATURE'], address);
      server.clock.advance(CHALLENGE_MS);
    }
  }
});

test('challenges of other wallets, expired ones and those of other services are rejected', async (t) => {
  const server = await startAccess(t);
  for (const create of [createEvmForger, createSolanaForger]) {
    const [victim, mallory] = [create(), create()];
    const [theirs, own] = [await server.challenge(victim), await server.challenge(mallory)];
    const byVictim = await victim.sign(theirs.message);
    const crossed: readonly [string, string, string][] = [
      [
        "Mallory's signature of her own challenge",
        theirs.challengeId,
        await mallory.sign(own.message),
      ],
      ["the victim's signature on Mallory's challenge", own.challengeId, byVictim],
      [
        "Mallory's signature of the victim's text",
        theirs.challengeId,
        await mallory.sign(theirs.message),
      ],
    ];
    for (const [name, challengeId, signature] of crossed) {
      const { status, body } = await verify(server, challengeId, signature);
      assert.deepEqual([status, body.code], [401, 'INVALID_SIGNATURE'], name);
    }
    const { challengeId } = theirs;
    const ids = ['ch_', challengeId.slice(0, -1), `${challengeId}0`, ` ${challengeId}`];
    ids.push(challengeId.toUpperCase(), challengeId.slice(3), '\ud800', '%');
    for (const id of ids) {
      const { status, body } = await verify(server, id, byVictim);
      assert.deepEqual([status, body.code], [401, 'CHALLENGE_EXPIRED'], JSON.stringify(id));
    }
    for (const body of [
      { challengeId, signature: '' },
      { challengeId: '', signature: byVictim },
    ]) {
      const { status } = await server.send('POST', '/auth/verify', {
        body: { ...body, transport: 'token' },
      });
      assert.equal(status, 400);
    }
    assert.equal((await verify(server, challengeId, byVictim)).status, 200);
    assert.equal((await verify(server, challengeId, byVictim)).body.code, 'CHALLENGE_EXPIRED');
    const next = await server.challenge(victim);
    const replayed = await verify(server, next.challengeId, byVictim);
    assert.equal(replayed.body.code, 'INVALID_SIGNATURE', 'the signature of the last sign-in');
    server.clock.advance(CHALLENGE_MS);
    const late = await verify(server, next.challengeId, await victim.sign(next.message));
    assert.equal(late.body.code, 'CHALLENGE_EXPIRED');
  }
});
