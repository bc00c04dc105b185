// The console in a real browser: trades that do not go straight, figures, choices, the chart's
// buttons and keys, and what is said of problems.

import { describe, test } from 'node:test';
import { type ConsoleScene, startConsoleScene } from '../browser/console-scene.ts';
import { sayNothingOfKeys } from '../browser/fault-flows.ts';
import { LOOKS, useReference } from '../browser/look-flows.ts';
import {
  changePalette,
  keepChoicesInAddress,
  loadHistoryByScrolling,
  readChartByKeyboard,
  readMarketFigures,
  showChainIcons,
} from '../browser/market-flows.ts';
import {
  explainPause,
  explainStartAndLimit,
  explainWrongAddresses,
} from '../browser/problem-flows.ts';
import { buyExactlyAndMax, changeInWallet, refuseAndSwitch } from '../browser/trade-flows.ts';
import {
  chooseAmounts,
  chooseRange,
  keepTapeFilter,
  moveManyCandles,
  searchForIds,
  watchTokens,
} from '../browser/trader-flows.ts';
import { refuseSignIn } from '../browser/wallet-flows.ts';
import { setUp } from '../root-hooks.ts';

let scene: ConsoleScene;

setUp(async (t) => {
  scene = await startConsoleScene(t);
});

/** Rows of tests: while one waits for blocks, wallets or a start, the others work. */
describe('beside each other', { concurrency: 3 }, () => {
  describe('what trades, one after the other, for each moves the price', { concurrency: 1 }, () => {
    test('the chart is read by keyboard, candle by candle and from end to end', () =>
      readChartByKeyboard(scene));

    test('a trade that the wallet refuses is not sent, and one on another chain asks it to change', () =>
      refuseAndSwitch(scene));

    test('another account or chain in the wallet is noticed, quoted again and signed in', () =>
      changeInWallet(scene));

    test('a buy of exactly so many tokens pays them, and one of all coins leaves what it costs', () =>
      buyExactlyAndMax(scene));
  });

  describe('what the price does not matter to', { concurrency: 1 }, () => {
    test('the reference is searched and sends an example', () => useReference(scene));

    test('a chart that is scrolled to the left loads older candles, until there are none', () =>
      loadHistoryByScrolling(scene));

    test('search finds wallets, pools and transactions by their ids', () => searchForIds(scene));

    test('the head says who trades, holders and traders what they have in USD', () =>
      readMarketFigures(scene));

    test('each chain has a sign of its own in the list', () => showChainIcons(scene));

    test('tokens are watched in this browser alone, until they are not', () => watchTokens(scene));

    test('the tape shows venue and size, and its filter stays from token to token', () =>
      keepTapeFilter(scene));

    test('amounts are chosen instead of typed, slippage is automatic or the own one', () =>
      chooseAmounts(scene));

    test('intervals and ranges of the chart are buttons', () => chooseRange(scene));

    for (const look of LOOKS) {
      const what = look.width < 600 ? 'a finger' : 'the mouse';
      test(`${what} moves a chart of 5,000 candles sideways, and the page around it stays`, () =>
        moveManyCandles(scene, look));
    }

    test('up and down are blue and orange for who asks for it, and a link opens a search', () =>
      changePalette(scene));

    test('order and filters are in the address and survive a reload', () =>
      keepChoicesInAddress(scene));

    test('keys are not known until the server has said who is signed in', () =>
      sayNothingOfKeys(scene));

    test('a wallet that refuses to sign in is told that nothing was signed', () =>
      refuseSignIn(scene));
  });

  describe('another service, wrong input', { concurrency: 1 }, () => {
    test('a service that starts says so, as does one whose budget is used up', (t) =>
      explainStartAndLimit(t, scene));

    test('a paused token says so on open pages and new ones', () => explainPause(scene));

    test('a wrong address, another chain, no token and no page each say what to do', () =>
      explainWrongAddresses(scene));
  });
});
