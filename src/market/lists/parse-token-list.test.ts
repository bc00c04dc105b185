// Pins the form of token lists, and that all errors in one are reported.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { findFamily } from '../../engines/chain-families.ts';
import { type FindListChain, parseTokenList, TokenListError } from './parse-token-list.ts';

const { addresses } = findFamily('ethereum');
const findChain: FindListChain = (id) => (id === 1 ? { slug: 'ethereum', addresses } : null);

const TOKEN = {
  chainId: 1,
  address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  decimals: 6,
  name: 'USD Coin',
  symbol: 'USDC',
};

const LIST = {
  name: 'Ours',
  timestamp: '2026-01-02T03:04:05.000Z',
  version: { major: 1, minor: 0, patch: 0 },
  tokens: [TOKEN],
};

function parse(list: unknown) {
  return parseTokenList(JSON.stringify(list), findChain);
}

function problemsOf(text: string): readonly string[] {
  try {
    parseTokenList(text, findChain);
  } catch (error) {
    assert.ok(error instanceof TokenListError);
    return error.problems;
  }
  return [];
}

function withTokens(...tokens: unknown[]): string {
  return JSON.stringify({ ...LIST, tokens });
}

test('a list gives its name and its tokens of known chains, in the form that is stored', () => {
  const solana = { ...TOKEN, chainId: 501_000_101, address: 'So11111111111111111111111111111111' };
  assert.deepEqual(parse({ ...LIST, tokens: [TOKEN, solana], keywords: ['x'], future: 1 }), {
    name: 'Ours',
    tokens: [
      {
        chain: 'ethereum',
        token: addresses.parse(TOKEN.address),
        symbol: 'USDC',
        name: 'USD Coin',
        links: null,
        logo: null,
      },
    ],
  });
});

test('a logo is a URL with https, a path in IPFS, or a file beside a list that is a file', () => {
  const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG';
  const findLogo = (logoURI: unknown, folder: string | null = null) =>
    parseTokenList(withTokens({ ...TOKEN, logoURI }), findChain, folder).tokens[0]?.logo;
  assert.deepEqual(findLogo('https://a.example/x.png'), {
    kind: 'url',
    url: 'https://a.example/x.png',
  });
  for (const text of [`ipfs://${cid}`, `ipfs://ipfs/${cid}`]) {
    assert.deepEqual(findLogo(text), { kind: 'ipfs', path: cid }, text);
  }
  assert.deepEqual(findLogo(`ipfs://${cid}/a/b.png`), { kind: 'ipfs', path: `${cid}/a/b.png` });
  const path = '/lists/logos/x.png';
  assert.deepEqual(findLogo('logos/x.png', '/lists'), { kind: 'file', path });
  for (const text of [
    ...['http://a.example/x.png', 'https://u:p@a.example/x.png', 'https://a.example/x.SVG'],
    ...['data:image/png;base64,AA==', 'javascript:alert(1)', `ipfs://${cid}/../x`, 7, null],
    ...['file:///etc/passwd', 'logos/x.png', ''],
  ]) {
    assert.equal(findLogo(text), null, String(text));
  }
  for (const text of ['../secret.png', '/etc/passwd', 'a/../../secret.png', '.']) {
    assert.equal(findLogo(text, '/lists'), null, text);
  }
});

test("Uniswap's own list is read whole", () => {
  const path = createRequire(import.meta.url).resolve('@uniswap/default-token-list');
  const text = readFileSync(path, 'utf8');
  const { tokens } = JSON.parse(text) as { tokens: { chainId: number }[] };
  const list = parseTokenList(text, findChain);
  assert.equal(list.name, 'Uniswap Labs Default');
  assert.equal(list.tokens.length, tokens.filter(({ chainId }) => chainId === 1).length);
});

test('every problem of a list is reported, with its place', () => {
  const problems = problemsOf(
    withTokens(
      { ...TOKEN, address: '0x12' },
      { ...TOKEN, decimals: -1, name: 7 },
      TOKEN,
      { ...TOKEN, address: TOKEN.address.toLowerCase() },
      'token',
    ),
  );
  for (const start of [
    'tokens.0.address is not an address of ethereum (it is "0x12")',
    'tokens.1.decimals must be',
    'tokens.1.name must be',
    'tokens.3.address is in the list twice',
    'tokens.4 must be',
  ]) {
    assert.equal(problems.filter((one) => one.startsWith(start)).length, 1, start);
  }
  assert.equal(problems.length, 5);
});

test('data that is not a list is rejected', () => {
  assert.deepEqual(problemsOf('{'), ['the list is not JSON']);
  assert.equal(problemsOf('[]').length, 1);
  assert.match(problemsOf('{}').join(), /name.*timestamp.*version.*tokens/);
  assert.match(problemsOf(withTokens()).join(), /^tokens /);
  assert.match(problemsOf(JSON.stringify({ ...LIST, name: '\u200b' })).join(), /^name /);
  assert.match(problemsOf(JSON.stringify({ ...LIST, timestamp: 'now' })).join(), /^timestamp /);
});

test('a list has at most 10,000 tokens, and 50 problems are shown', () => {
  const many = (count: number) => withTokens(...Array.from({ length: count }, () => ({})));
  assert.match(problemsOf(many(10_001)).join(), /^tokens /);
  const problems = problemsOf(many(100));
  assert.equal(problems.length, 51);
  assert.match(problems[50] ?? '', /^and \d+ more problems$/);
});

test('names lose invisible characters, and empty names count as missing', () => {
  const [token] = parse({
    ...LIST,
    tokens: [{ ...TOKEN, name: 'USD\u202e Coin', symbol: ' ' }],
  }).tokens;
  assert.deepEqual([token?.name, token?.symbol], ['USD Coin', null]);
});

test('only https links are taken', () => {
  const linksOf = (extensions: object) =>
    parse({ ...LIST, tokens: [{ ...TOKEN, extensions }] }).tokens[0]?.links;
  assert.deepEqual(
    linksOf({
      website: 'https://usdc.example/a',
      twitter: 'https://x.com/usdc',
      telegram: 'https://t.me/usdc',
    }),
    {
      website: 'https://usdc.example/a',
      x: 'https://x.com/usdc',
      telegram: 'https://t.me/usdc',
    },
  );
  for (const website of [
    'http://usdc.example',
    'javascript:alert(1)',
    'https://usdc.example@evil.example',
    `https://usdc.example/${'a'.repeat(600)}`,
    'usdc',
    7,
    null,
  ]) {
    assert.equal(linksOf({ website }), null, String(website));
  }
});
