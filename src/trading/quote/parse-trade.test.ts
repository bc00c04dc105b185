// Amounts and assets of a trade: what is rejected, and for which field.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COIN } from '../../../test/fakes/fake-market.ts';
import { findFamily } from '../../engines/chain-families.ts';
import { ChainRegistry } from '../../model/chain-registry.ts';
import { parseTrade, type TradeInput } from './create-pricing.ts';

const CHAINS = {
  list: () => ['devnet' as const],
  known: new ChainRegistry(),
  findAddresses: () => findFamily('devnet').addresses,
  canTrade: () => true,
  listVenues: () => new Set(['uniswap-v2', 'uniswap-v3']),
};

const INPUT: TradeInput = {
  chain: 'devnet',
  mint: `0x${'aB'.repeat(20)}`,
  side: 'sell',
  amountInRaw: '1000',
  slippageBps: 50,
  priority: 'medium',
};

describe('parseTrade', () => {
  it('refuses a chain on which nothing can be traded', () => {
    const chains = { ...CHAINS, canTrade: () => false };
    const input = { ...INPUT, mint: INPUT.mint.toLowerCase() };
    assert.throws(() => parseTrade(chains, input), { code: 'TRADING_NOT_SUPPORTED' });
  });

  it('takes addresses in any case and the native coin where no quote asset is named', () => {
    assert.deepEqual(parseTrade(CHAINS, { ...INPUT, mint: INPUT.mint.toLowerCase() }), {
      chain: 'devnet',
      mint: INPUT.mint.toLowerCase(),
      side: 'sell',
      quoteMint: COIN,
      fixed: 'input',
      amountRaw: 1000n,
      slippageBps: 50,
      priority: 'medium',
    });
    const quoteMint = `0x${'11'.repeat(20)}`;
    const named = parseTrade(CHAINS, { ...INPUT, mint: `0x${'22'.repeat(20)}`, quoteMint });
    assert.equal(named.quoteMint, quoteMint);
  });

  it('takes a price for a unit by the name that the chain has for it, up to a limit', () => {
    const parse = (priority: TradeInput['priority']) =>
      parseTrade(CHAINS, { ...INPUT, mint: INPUT.mint.toLowerCase(), priority }).priority;
    assert.equal(parse('high'), 'high');
    assert.deepEqual(parse({ maxPriorityFeePerGas: '1500000000' }), { unitPrice: 1_500_000_000n });
    for (const priority of [
      { microLamports: '5' },
      { maxPriorityFeePerGas: '1.5' },
      { maxPriorityFeePerGas: '10000000000001' },
    ]) {
      assert.throws(() => parse(priority), { code: 'INVALID_INPUT' });
    }
  });

  it('takes every amount from 1 to 2^256 - 1, and no other', () => {
    const parse = (amountInRaw: string) =>
      parseTrade(CHAINS, { ...INPUT, mint: INPUT.mint.toLowerCase(), amountInRaw }).amountRaw;
    const highest = 2n ** 256n - 1n;
    for (const amount of [1n, 10n, highest]) assert.equal(parse(amount.toString()), amount);
    const refused: readonly [string, RegExp][] = [
      ['0', /above 0/],
      ['000', /above 0/],
      ['01', /begin with 0/],
      ['-1', /decimal digits/],
      ['1.5', /decimal digits/],
      ['0x10', /decimal digits/],
      ['1e3', /decimal digits/],
      ['', /decimal digits/],
      ['١', /decimal digits/],
      [(highest + 1n).toString(), /below 2\^256/],
      ['9'.repeat(79), /below 2\^256/],
      ['9'.repeat(100_000), /below 2\^256/],
    ];
    for (const [text, message] of refused) {
      assert.throws(
        () => parse(text),
        (error: { code: string; errors: { path: string; message: string }[] }) => {
          assert.equal(error.code, 'INVALID_INPUT');
          assert.equal(error.errors[0]?.path, 'amountInRaw');
          assert.match(error.errors[0]?.message ?? '', message);
          return true;
        },
        text.slice(0, 80),
      );
    }
  });

  it('takes limits of the route, and names a venue where nothing is traded', () => {
    const mint = INPUT.mint.toLowerCase();
    const parse = (limits: Partial<TradeInput>) =>
      parseTrade(CHAINS, { ...INPUT, mint, ...limits });
    assert.equal('limits' in parse({ directOnly: false }), false, 'nothing is left out');
    const limits = { venues: ['uniswap-v2'], excludeVenues: [], directOnly: true };
    assert.deepEqual(parse({ venues: ['uniswap-v2'], directOnly: true }).limits, limits);
    assert.throws(() => parse({ venues: ['uniswap-v3', 'uniswap-v9'] }), {
      code: 'INVALID_INPUT',
      errors: [
        {
          path: 'venues',
          message:
            'has "uniswap-v9", where no trades are built on this chain; known: uniswap-v2, uniswap-v3',
        },
      ],
    });
    const preparing = { ...CHAINS, listVenues: () => null };
    assert.deepEqual(parseTrade(preparing, { ...INPUT, mint, venues: ['later'] }).limits?.venues, [
      'later',
    ]);
  });

  it('takes amounts of 64 bits on Solana, and names the field of a larger one', () => {
    const { addresses } = findFamily('solana');
    const chains = { ...CHAINS, list: () => ['solana' as const], findAddresses: () => addresses };
    const mint = 'So11111111111111111111111111111111111111112';
    const parse = (amount: object) => {
      const { amountInRaw: _amount, ...rest } = INPUT;
      return parseTrade(chains, { ...rest, ...amount, chain: 'solana', mint }).amountRaw;
    };
    const highest = 2n ** 64n - 1n;
    for (const path of ['amountInRaw', 'amountOutRaw']) {
      assert.equal(parse({ [path]: String(highest) }), highest);
      assert.throws(() => parse({ [path]: String(highest + 1n) }), {
        ...{ code: 'INVALID_INPUT', errors: [{ path, message: 'must be below 2^64' }] },
      });
    }
  });
});
