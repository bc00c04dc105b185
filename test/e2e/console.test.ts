// The console in a real browser, on a real service and real chains; `console.long.test.ts` has what
// is rarer.

import { describe, test } from 'node:test';
import { type ConsoleScene, startConsoleScene } from '../browser/console-scene.ts';
import { showDanger } from '../browser/danger-flows.ts';
import {
  comeBackByItself,
  sayNothingOfKeys,
  surviveReorganisation,
  surviveRestart,
} from '../browser/fault-flows.ts';
import { checkLook, LOOKS, PHONE, useReference } from '../browser/look-flows.ts';
import {
  changePalette,
  followList,
  followToken,
  keepChoicesInAddress,
  loadHistoryByScrolling,
  readChartByKeyboard,
  readMarketFigures,
  searchByKeyboard,
  showChainIcons,
} from '../browser/market-flows.ts';
import { buyAndSell, tradeOnSolana } from '../browser/trade-flows.ts';
import {
  chooseAmounts,
  chooseRange,
  keepTapeFilter,
  moveManyCandles,
  readWalletPage,
  searchForIds,
  swipeOverChart,
  watchTokens,
} from '../browser/trader-flows.ts';
import { refuseSignIn, useKey } from '../browser/wallet-flows.ts';
import { setUp } from '../root-hooks.ts';

let scene: ConsoleScene;

setUp(async (t) => {
  scene = await startConsoleScene(t);
});

describe('alone, for every open page notices it', () => {
  test('on a phone no text is cut or covered, nothing moves, axe finds nothing', () =>
    checkLook(scene, PHONE));

  test('a reorganisation takes trades off the screen, and the page equals a fresh load', () =>
    surviveReorganisation(scene));

  test('a restart of the service in mid-stream loses nothing on the screen', () =>
    surviveRestart(scene));

  test('without a server every page says so in its place, and comes back by itself', () =>
    comeBackByItself(scene));
});

/** Rows of tests: while one waits for blocks, wallets or a start, the others work. */
describe('beside each other', { concurrency: 3 }, () => {
  describe('what trades, one after the other, for each moves the price', { concurrency: 1 }, () => {
    test('the list shows tokens, and a trade moves the price on the screen', () =>
      followList(scene));

    test("a token's page draws candles, shows trades as they happen, and fills every tab", () =>
      followToken(scene));

    test('the chart is read by keyboard, candle by candle and from end to end', () =>
      readChartByKeyboard(scene));

    test('a trade is bought, is final and on the tape as the own one, and is sold though the price moved', () =>
      buyAndSell(scene));
  });

  describe('what the price does not matter to', { concurrency: 1 }, () => {
    test('the reference is searched and sends an example', () => useReference(scene));

    test('a chart that is scrolled to the left loads older candles, until there are none', () =>
      loadHistoryByScrolling(scene));

    test('a slash searches, even while a dialog closes, and Enter opens what was found', () =>
      searchByKeyboard(scene));

    test('a wallet has a page of what it holds, made and traded, with its value over time', () =>
      readWalletPage(scene));

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

    test('a finger that does not rest scrolls the page or the chart, however slow the page is', () =>
      swipeOverChart(scene));

    test('up and down are blue and orange for who asks for it, and a link opens a search', () =>
      changePalette(scene));

    test('order and filters are in the address and survive a reload', () =>
      keepChoicesInAddress(scene));

    test('a wallet signs in, issues a key that works, and revokes it', () => useKey(scene));

    test('a token that cannot be sold says so everywhere, and is bought only by a second step', () =>
      showDanger(scene));

    test('keys are not known until the server has said who is signed in', () =>
      sayNothingOfKeys(scene));

    test('a wallet that refuses to sign in is told that nothing was signed', () =>
      refuseSignIn(scene));
  });

  describe('another chain', { concurrency: 1 }, () => {
    test('a Solana wallet signs in, buys, sees its trade become final, and sells it', () =>
      tradeOnSolana(scene));
  });
});
