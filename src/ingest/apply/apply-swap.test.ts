// Trades by the quote rule: which token they belong to, their price, and which are outliers.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeChain } from '../../../test/fakes/fake-chain.ts';
import { buildFakeAddress, COIN, FAKE_ASSETS } from '../../../test/fakes/fake-market.ts';
import {
  buildSwapEvent,
  createPool,
  createRange,
  indexChain,
  indexEvents,
} from '../../../test/fakes/index-events.ts';
import { setReserves } from '../../../test/fakes/pool-events.ts';
import { address, poolId, transactionId } from '../../../test/test-ids.ts';
import type { MarketEvent } from '../../model/block-events.ts';
import type { TradeRecord } from '../../model/market-record.ts';

const E18 = 10n ** 18n;
/** The fake source gives these 18, 6, 18, 18 and no decimals. */
const WETH = [...FAKE_ASSETS.native].find((asset) => asset !== COIN)!;
const USDC = [...FAKE_ASSETS.stable][0]!;
const TOKEN = buildFakeAddress('aaaa', 10);
const OTHER = buildFakeAddress('aaaa', 20);
const SEAT = buildFakeAddress('aaaa', 12); // 0 decimals
const MUTE = buildFakeAddress('aaaa', 7); // decimals unknown
const ANCHOR = FAKE_ASSETS.anchorPools[1]!;
const POOL = poolId(buildFakeAddress('dddd', 1));
const POOL2 = poolId(buildFakeAddress('dddd', 2));

/** One native coin is 2000 USD. USDC sorts before WETH. */
const ANCHORED: readonly MarketEvent[] = [
  createPool(ANCHOR, [WETH, USDC]),
  setReserves(ANCHOR, 2_000_000n * 10n ** 6n, 1000n * E18),
];

function only(trades: readonly TradeRecord[]): TradeRecord {
  assert.equal(trades.length, 1);
  return trades[0]!;
}

function pick(trade: TradeRecord) {
  const { priceNative, priceUsd, valueNative, valueUsd } = trade;
  return { priceNative, priceUsd, valueNative, valueUsd };
}

describe('a swap for the native coin', () => {
  it('is a trade of the token, at its exact ratio, in USD through the anchor', async () => {
    const { trades, tokens } = await indexEvents(
      ANCHORED,
      [createPool(POOL, [TOKEN, WETH])],
      [
        buildSwapEvent(POOL, [-3n * E18, 1n * E18], {
          txHash: transactionId('0xabc'),
          wallet: address('0xme'),
        }),
      ],
    );
    const trade = only(trades);
    assert.equal(trade.token, TOKEN);
    assert.equal(trade.quoteToken, WETH);
    assert.equal(trade.side, 'buy');
    assert.equal(trade.amountRaw, 3n * E18);
    assert.equal(trade.quoteAmountRaw, E18);
    assert.equal(trade.wallet, '0xme');
    assert.deepEqual(pick(trade), {
      priceNative: '0.333333333333333333',
      priceUsd: '666.666666666666667',
      valueNative: '1',
      valueUsd: '2000',
    });
    const token = tokens.find((row) => row.token === TOKEN);
    assert.equal(token?.priceNative, '0.333333333333333333');
    assert.equal(token?.tradeCount, 1);
    assert.equal(token?.lastTradeAtMs, trade.timestampMs);
    assert.equal(tokens.find((row) => row.token === WETH)?.tradeCount, 0);
  });

  it('has no USD price before an anchor pool has one', async () => {
    const { trades } = await indexEvents([
      createPool(POOL, [TOKEN, WETH]),
      buildSwapEvent(POOL, [2n * E18, -1n * E18]),
    ]);
    const trade = only(trades);
    assert.equal(trade.side, 'sell');
    assert.deepEqual(pick(trade), {
      priceNative: '0.5',
      priceUsd: null,
      valueNative: '1',
      valueUsd: null,
    });
  });

  it('keeps the value to the last unit, beyond 18 digits', async () => {
    const { trades } = await indexEvents([
      createPool(POOL, [TOKEN, WETH]),
      buildSwapEvent(POOL, [-E18, 123_456_789_012_345_678_901n]),
    ]);
    assert.equal(only(trades).valueNative, '123.456789012345678901');
    assert.equal(only(trades).priceNative, '123.456789012345679');
  });

  it('takes the anchor as it stands at that point of the log', async () => {
    const { trades } = await indexEvents(ANCHORED, [
      createPool(POOL, [TOKEN, WETH]),
      buildSwapEvent(POOL, [-E18, E18]),
      setReserves(ANCHOR, 3_000_000n * 10n ** 6n, 1000n * E18),
      buildSwapEvent(POOL, [-E18, E18]),
    ]);
    assert.deepEqual(
      trades.map(({ priceUsd }) => priceUsd),
      ['2000', '3000'],
    );
  });

  it('reads the anchor from a concentrated pool as well', async () => {
    const price = { sqrtPriceX96: 20_000n << 96n, tick: 198_079 };
    const change = { poolKind: 'concentrated', type: 'initialized', ...price } as const;
    const { trades } = await indexEvents(
      [
        createRange(ANCHOR, [WETH, USDC]),
        // Raw WETH per raw USDC is 4e8, so one WETH is 2500 USDC; the root of it is 20000.
        { kind: 'poolChanged', pool: ANCHOR, change },
      ],
      [createPool(POOL, [TOKEN, WETH]), buildSwapEvent(POOL, [-E18, E18])],
    );
    assert.equal(only(trades).priceUsd, '2500');
  });
});

describe('a swap for a stable asset', () => {
  it('is worth its amount in USD, in the native coin through the anchor', async () => {
    const { trades } = await indexEvents(ANCHORED, [
      createPool(POOL, [TOKEN, USDC]),
      buildSwapEvent(POOL, [500_000_000n, -10n * E18]),
    ]);
    const trade = only(trades);
    assert.equal(trade.token, TOKEN);
    assert.equal(trade.side, 'buy');
    assert.deepEqual(pick(trade), {
      priceNative: '0.025',
      priceUsd: '50',
      valueNative: '0.25',
      valueUsd: '500',
    });
  });

  it('is a trade of the native coin, which is one native coin', async () => {
    const { trades } = await indexEvents(ANCHORED, [
      buildSwapEvent(ANCHOR, [-1990n * 10n ** 6n, E18]),
    ]);
    const trade = only(trades);
    assert.equal(trade.token, WETH);
    assert.equal(trade.side, 'sell');
    assert.deepEqual(pick(trade), {
      priceNative: '1',
      priceUsd: '1990',
      valueNative: '1',
      valueUsd: '1990',
    });
  });
});

describe('a swap between two tokens', () => {
  const cross = createPool(POOL2, [TOKEN, OTHER]);

  it('is a trade of each, valued through the one whose price is known', async () => {
    const { trades, tokens } = await indexEvents(
      ANCHORED,
      [createPool(POOL, [TOKEN, WETH]), setReserves(POOL, 10n * E18, 10n * E18)],
      [buildSwapEvent(POOL, [-E18, 2n * E18])],
      [cross, buildSwapEvent(POOL2, [4n * E18, -16n * E18])],
    );
    assert.equal(trades.length, 3);
    const [, ofToken, ofOther] = trades as [TradeRecord, TradeRecord, TradeRecord];
    assert.deepEqual([ofToken.token, ofToken.side], [TOKEN, 'sell']);
    assert.deepEqual([ofOther.token, ofOther.side], [OTHER, 'buy']);
    assert.equal(ofToken.priceNative, '2');
    assert.equal(ofOther.priceNative, '0.5');
    assert.equal(ofToken.valueUsd, '16000');
    assert.equal(ofOther.valueUsd, '16000');
    assert.equal(tokens.find((row) => row.token === OTHER)?.priceNative, '0.5');
  });

  it('has no price while neither has one', async () => {
    const { trades } = await indexEvents([cross, buildSwapEvent(POOL2, [E18, -E18])]);
    assert.deepEqual(
      trades.map(({ priceNative, valueUsd }) => [priceNative, valueUsd]),
      [
        [null, null],
        [null, null],
      ],
    );
  });

  it('moves the token without a market of its own, never the one with one', async () => {
    const { trades, tokens } = await indexEvents(
      [createPool(POOL, [TOKEN, WETH]), setReserves(POOL, 10n * E18, 10n * E18)],
      [buildSwapEvent(POOL, [-E18, 2n * E18]), cross, setReserves(POOL2, 9n * E18, 9n * E18)],
      [buildSwapEvent(POOL2, [4n * E18, -4n * E18])],
      // A large sale of the other token halves its price; the first keeps its own.
      [buildSwapEvent(POOL2, [-4n * E18, 8n * E18])],
    );
    const last = trades.slice(-2).map(({ token, priceNative }) => [token, priceNative]);
    assert.deepEqual(last, [
      [TOKEN, '2'],
      [OTHER, '1'],
    ]);
    assert.equal(tokens.find((row) => row.token === TOKEN)?.priceNative, '2');
  });
});

describe('a swap without a price', () => {
  it('is also a trade with an amount of zero, or with both sides paid in', async () => {
    const { trades } = await indexEvents(ANCHORED, [
      createPool(POOL, [TOKEN, WETH]),
      buildSwapEvent(POOL, [0n, E18]),
      buildSwapEvent(POOL, [E18, E18]),
    ]);
    assert.equal(trades.length, 2);
    // Nobody got any of the token, so nobody bought it.
    assert.deepEqual(new Set(trades.map(({ side }) => side)), new Set(['sell']));
    for (const trade of trades) {
      assert.deepEqual(pick(trade), {
        priceNative: null,
        priceUsd: null,
        valueNative: null,
        valueUsd: null,
      });
    }
  });

  it('is one of a token whose decimals are unknown', async () => {
    const { trades } = await indexEvents(ANCHORED, [
      createPool(POOL, [MUTE, WETH]),
      buildSwapEvent(POOL, [-5000n, E18]),
    ]);
    assert.equal(only(trades).priceNative, null);
    assert.equal(only(trades).amountRaw, 5000n);
  });
});

describe('the time of a trade', () => {
  it('never goes back, even if block times do', async () => {
    const chain = new FakeChain({ seed: 36, finalityDepth: 3, eventCountMax: 0 });
    chain.extend(1, [...ANCHORED, createPool(POOL, [TOKEN, WETH])]);
    const count = 120;
    for (let i = 0; i < count; i += 1) chain.extend(1, [buildSwapEvent(POOL, [-E18, E18])]);
    const headers = chain.blocks(2, count + 1).map(({ header }) => header.timestampMs);
    const { trades } = await indexChain(chain);
    let latestMs = 0;
    const expected = headers.map((timeMs) => {
      latestMs = Math.max(latestMs, timeMs);
      return latestMs;
    });
    assert.notDeepEqual(expected, headers, 'no block of the chain goes back in time');
    assert.deepEqual(
      trades.map(({ timestampMs }) => timestampMs),
      expected,
    );
  });
});

describe('a transaction', () => {
  it('numbers its own swaps', async () => {
    const { trades } = await indexEvents(ANCHORED, [
      createPool(POOL, [TOKEN, WETH]),
      buildSwapEvent(POOL, [-E18, E18], { txHash: transactionId('0xone') }),
      buildSwapEvent(POOL, [-E18, E18], { txHash: transactionId('0xtwo') }),
      buildSwapEvent(POOL, [-E18, E18], { txHash: transactionId('0xone') }),
    ]);
    assert.deepEqual(
      trades.map(({ txHash, index }) => [txHash, index]),
      [
        ['0xone', 0],
        ['0xtwo', 0],
        ['0xone', 1],
      ],
    );
  });
});

describe('outliers', () => {
  it('are trades below a cent, and where the value is unknown below 1,000 raw units', async () => {
    const { trades } = await indexEvents(
      [
        createPool(POOL, [TOKEN, WETH]),
        buildSwapEvent(POOL, [-999n, E18]),
        buildSwapEvent(POOL, [-1000n, 1000n]),
      ],
      ANCHORED,
      [
        buildSwapEvent(POOL, [-E18, 4_999_999_999_999n]),
        buildSwapEvent(POOL, [-E18, 5_000_000_000_000n]),
        createPool(POOL2, [SEAT, WETH]),
        // A token without decimals trades by the piece; that is not dust.
        buildSwapEvent(POOL2, [-3n, E18]),
      ],
    );
    assert.deepEqual(
      trades.map(({ outlier }) => outlier),
      [true, false, true, false, false],
    );
  });

  it('are both legs of a sandwich, and not its victim', async () => {
    const { trades, tokens } = await indexEvents(ANCHORED, [
      createPool(POOL, [TOKEN, WETH]),
      buildSwapEvent(POOL, [-E18, E18], { wallet: address('0xbot'), txHash: transactionId('0x1') }),
      buildSwapEvent(POOL, [-E18, 2n * E18], {
        wallet: address('0xvictim'),
        txHash: transactionId('0x2'),
      }),
      buildSwapEvent(POOL, [E18, -3n * E18], {
        wallet: address('0xbot'),
        txHash: transactionId('0x3'),
      }),
    ]);
    assert.deepEqual(
      trades.map(({ wallet, outlier }) => [wallet, outlier]),
      [
        ['0xbot', true],
        ['0xvictim', false],
        ['0xbot', true],
      ],
    );
    // The last clean price stays, although the bot traded after it.
    assert.equal(tokens.find((row) => row.token === TOKEN)?.priceNative, '2');
  });

  it('are trades in a pool with a sliver of the depth of another', async () => {
    const { trades, candles } = await indexEvents(
      ANCHORED,
      [createPool(POOL, [TOKEN, WETH]), setReserves(POOL, 1000n * E18, 1000n * E18)],
      [createPool(POOL2, [TOKEN, WETH]), setReserves(POOL2, 9n * E18, 9n * E18)],
      [buildSwapEvent(POOL, [-E18, E18]), buildSwapEvent(POOL2, [-E18, 5n * E18])],
      // With a hundredth of the depth it is no longer an outlier.
      [setReserves(POOL2, 10n * E18, 10n * E18)],
      [buildSwapEvent(POOL2, [-E18, 5n * E18])],
    );
    assert.deepEqual(
      trades.map(({ pool, outlier }) => [pool, outlier]),
      [
        [POOL, false],
        [POOL2, true],
        [POOL2, false],
      ],
    );
    const [first] = candles.filter(({ pool, interval }) => pool === null && interval === '5s');
    assert.equal(first?.native?.high, '5');
    assert.equal(first?.nativeClean?.high, '1');
  });

  it('are trades in a pool that came in the same block as they, where there is another', async () => {
    const { trades } = await indexEvents(
      ANCHORED,
      [createPool(POOL, [TOKEN, WETH]), setReserves(POOL, E18, E18)],
      [
        createPool(POOL2, [TOKEN, WETH]),
        setReserves(POOL2, 1000n * E18, 1000n * E18),
        buildSwapEvent(POOL2, [-E18, 5n * E18]),
      ],
      [buildSwapEvent(POOL2, [-E18, 5n * E18])],
    );
    assert.deepEqual(
      trades.map(({ outlier }) => outlier),
      [true, false],
    );
  });

  it('do not move the price that a clean trade has set', async () => {
    const { tokens, trades } = await indexEvents(ANCHORED, [
      createPool(POOL, [TOKEN, WETH]),
      buildSwapEvent(POOL, [-E18, 2n * E18]),
      // Worth less than a cent, at another price.
      buildSwapEvent(POOL, [-1000n, 5000n]),
    ]);
    assert.deepEqual(
      trades.map(({ outlier, priceNative }) => [outlier, priceNative]),
      [
        [false, '2'],
        [true, '5'],
      ],
    );
    const token = tokens.find((row) => row.token === TOKEN);
    assert.deepEqual([token?.priceNative, token?.priceUsd], ['2', '4000']);
  });

  it('never leave a token without a price', async () => {
    const { tokens } = await indexEvents(ANCHORED, [
      createPool(POOL, [TOKEN, WETH]),
      buildSwapEvent(POOL, [-1000n, 1000n]),
    ]);
    assert.equal(tokens.find((row) => row.token === TOKEN)?.priceNative, '1');
  });
});
