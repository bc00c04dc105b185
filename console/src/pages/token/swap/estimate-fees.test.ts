// Fees of a trade as a part of it, and in its coin.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateFees } from './estimate-fees.ts';

const hop = (tokenIn: string, tokenOut: string) => ({ tokenIn, tokenOut });

const amounts = { input: { amountRaw: '2000000000' }, output: { amountRaw: '500' } };

test('one pool takes its fee of what is paid in coins', () => {
  const route = [{ shareBps: 10_000, hops: [hop('coin', 'wire')] }];
  const quote = { ...amounts, side: 'buy', fees: [{ bps: 30, mint: 'coin' }], route } as const;
  assert.deepEqual(estimateFees(quote), { percent: 0.3, coinRaw: '6000000' });
});

test('of a sale they are a part of the coins that it pays', () => {
  const route = [{ shareBps: 10_000, hops: [hop('wire', 'coin')] }];
  const quote = { ...amounts, side: 'sell', fees: [{ bps: 100, mint: 'wire' }], route } as const;
  assert.deepEqual(estimateFees(quote), { percent: 1, coinRaw: '5' });
});

test('a fee on a part of a divided trade counts by that part, a tax of the token whole', () => {
  const route = [
    { shareBps: 7500, hops: [hop('coin', 'wire')] },
    { shareBps: 2500, hops: [hop('coin', 'usdc'), hop('usdc', 'wire')] },
  ];
  const fees = [
    { bps: 30, mint: 'coin' },
    { bps: 40, mint: 'usdc' },
    { bps: 60, mint: 'wire' },
  ];
  const quote = { ...amounts, side: 'buy', fees, route } as const;
  assert.deepEqual(estimateFees(quote), { percent: 1, coinRaw: '20000000' });
});

test('a trade without fees has none', () => {
  const quote = { ...amounts, side: 'buy', fees: [], route: [] } as const;
  assert.deepEqual(estimateFees(quote), { percent: 0, coinRaw: '0' });
});
