// Which tokens can be mistaken for one that a list vouches for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '../../../test/test-ids.ts';
import { warnOfLookalike } from '../../contract/safety-warnings.ts';
import type { ChainSlug } from '../../model/chain.ts';
import { buildTokenDirectory, Lookalikes } from './token-lists.ts';

const list = (chain: ChainSlug, token: string, symbol: string, name: string) => ({
  ...{ chain, token: address(token), symbol, name, links: null, logo: null },
});

const LOOKALIKES = new Lookalikes(
  buildTokenDirectory([
    {
      name: 'A list',
      tokens: [
        list('ethereum', '0x01', 'USDT', 'Tether USD'),
        list('ethereum', '0x02', 'OP', 'Optimism'),
        list('solana', 'wif', '$WIF', 'dogwifhat'),
        list('polygon', '0x03', 'USDT0', 'USDT0'),
      ],
    },
  ]),
);

function find(chain: ChainSlug, symbol: string, name: string | null = null): string | null {
  const token = address('0xff');
  return LOOKALIKES.find({ chain, token, symbol, name })?.token ?? null;
}

test('a token of the same chain with the symbol or the name of a vouched one looks like it', () => {
  for (const symbol of ['USDT', 'usdt', 'USDТ', 'ＵＳＤＴ', 'U\u200bSDT', 'ÜSDT', '$USDT']) {
    assert.equal(find('ethereum', symbol), '0x01', symbol);
  }
  assert.equal(find('ethereum', 'SCAM', 'Теthеr USD'), '0x01');
  assert.equal(find('solana', 'WIF'), 'wif');
  assert.equal(find('ethereum', 'USDX', 'Dollar'), null);
});

test('on another chain only if it is written in other letters', () => {
  assert.equal(find('base', 'USDT', 'Tether USD'), null);
  assert.equal(find('base', 'USDТ'), '0x01');
  // Tether writes it so.
  assert.equal(find('arbitrum', 'USD₮0', 'USD₮0'), null);
  assert.equal(find('arbitrum', 'USDTO'), '0x03');
});

test('vouched tokens look like none, and short symbols are alike by chance', () => {
  const named = { chain: 'ethereum', symbol: 'USDT', name: null } as const;
  assert.equal(LOOKALIKES.find({ ...named, token: address('0x01') }), null);
  assert.equal(find('ethereum', '0P'), null);
  assert.equal(find('ethereum', '0P', 'Optimism'), '0x02');
});

test('the warning names the other token, and its chain if that is another', () => {
  const of = { chain: 'ethereum', token: address('0x01'), symbol: 'USDT' } as const;
  const [code, here] = warnOfLookalike(of, { mint: '0x01', chain: 'ethereum' });
  assert.equal(code, 'LOOKALIKE');
  assert.match(here, /looks like USDT \(0x01\),/);
  assert.match(warnOfLookalike(of, { mint: '0x01', chain: 'base' })[1], /\(0x01 on ethereum\)/);
});
