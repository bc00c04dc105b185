// Pins what several lists together say of a token.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFakeAddress } from '../../../test/fakes/fake-market.ts';
import { buildTokenDirectory } from './token-lists.ts';

test('every list verifies tokens, and the first one with a value wins', () => {
  const token = buildFakeAddress('aaaa', 1);
  const links = { website: 'https://b.example/', x: null, telegram: null };
  const logo = { kind: 'url', url: 'https://b.example/b.png' } as const;
  const of = { chain: 'devnet', token } as const;
  const directory = buildTokenDirectory([
    { name: 'First', tokens: [{ ...of, symbol: null, name: 'A', links: null, logo: null }] },
    { name: 'Second', tokens: [{ ...of, symbol: 'B', name: 'B', links, logo }] },
    { name: 'First', tokens: [{ ...of, symbol: 'C', name: 'C', links: null, logo: null }] },
  ]);
  assert.deepEqual(directory.get('devnet')?.get(token), {
    lists: ['First', 'Second'],
    symbol: 'B',
    name: 'A',
    links,
    logo,
  });
  assert.equal(directory.get('base'), undefined);
});
