// Events change the token that they are about, and no other.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveToken } from './token-fold.ts';
import { TokenFold } from './token-fold.ts';
import type { TokenStreamEvent } from './token-stream.ts';

type Named = Pick<LiveToken, 'chain' | 'mint'>;

const [A, B]: readonly [Named, Named] = [
  { chain: 'devnet', mint: '0xa' },
  { chain: 'devnet', mint: '0xb' },
];
/** The same address on another chain. */
const FAR: Named = { chain: 'base', mint: '0xa' };

/** The fields that a fold reads; the others are the server's matter. */
const toEvent = (event: string, data: object) => ({ event, data, id: null }) as TokenStreamEvent;
const snapshot = (named: Named) =>
  toEvent('snapshot', { ...named, token: {}, trades: [], kline: null });
const trade = (named: Named, id: string) => toEvent('trade', { ...named, id });
const kline = (named: Named, openTime: number, close = '1') =>
  toEvent('kline', { ...named, interval: '1m', kline: { openTime, close } });
const revert = (named: object, openTime: number) =>
  toEvent('revert', {
    ...{ ...named, fromBlock: 5, toBlock: 6, tradeIds: [`t${openTime}`] },
    klines: [{ interval: '1m', openTime }],
  });

const show = ({ chain, mint, trades, klines }: LiveToken) =>
  `${chain} ${mint}: ${trades.map(({ id }) => id)} ${klines.map(({ openTime }) => openTime)}`;

function createFold(): TokenFold {
  const fold = new TokenFold();
  for (const named of [A, B, FAR]) {
    fold.apply(snapshot(named));
    for (const openTime of [0, 60]) {
      fold.apply(kline(named, openTime));
      fold.apply(trade(named, `t${openTime}`));
    }
  }
  return fold;
}

test('a revert of one token leaves the candles and trades of the others', () => {
  const fold = createFold();
  assert.deepEqual(fold.apply(revert(A, 60)).map(show), ['devnet 0xa: t0 0']);
  assert.deepEqual(fold.tokens.map(show), [
    'devnet 0xa: t0 0',
    'devnet 0xb: t60,t0 0,60',
    'base 0xa: t60,t0 0,60',
  ]);
});

test('a revert that names no token is one of all tokens of its chain', () => {
  const fold = createFold();
  fold.apply(revert({ chain: 'devnet' }, 0));
  assert.deepEqual(fold.tokens.map(show), [
    'devnet 0xa: t60 60',
    'devnet 0xb: t60 60',
    'base 0xa: t60,t0 0,60',
  ]);
});

test('candles that were read do not replace what the stream has brought since', () => {
  const fold = new TokenFold();
  const [token] = fold.apply(snapshot(A));
  if (token === undefined) assert.fail();
  fold.apply(kline(A, 60, 'new'));
  fold.addKlines(token, [
    { openTime: 0, close: 'old' },
    { openTime: 60, close: 'old' },
  ] as never);
  assert.deepEqual(
    token.klines.map(({ openTime, close }) => [openTime, close]),
    [
      [0, 'old'],
      [60, 'new'],
    ],
  );
});

test('only the newest trades are kept, up to the maximum', () => {
  const fold = new TokenFold({ tradesMax: 2 });
  const [token] = fold.apply(snapshot(A));
  for (const id of ['a', 'b', 'c']) fold.apply(trade(A, id));
  assert.deepEqual(
    token?.trades.map(({ id }) => id),
    ['c', 'b'],
  );
});
