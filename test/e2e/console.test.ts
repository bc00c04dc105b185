// The console in a real browser, on a real service and real chains: what most people do, and what
// happens when the service goes away. `console.long.test.ts` has the rest.

import { describe, test } from 'node:test';
import { type ConsoleScene, startConsoleScene } from '../browser/console-scene.ts';
import { showDanger } from '../browser/danger-flows.ts';
import { comeBackByItself, surviveReorganisation, surviveRestart } from '../browser/fault-flows.ts';
import { checkLook, PHONE } from '../browser/look-flows.ts';
import { followList, followToken, searchByKeyboard } from '../browser/market-flows.ts';
import { buyAndSell, tradeOnSolana } from '../browser/trade-flows.ts';
import { readWalletPage, swipeOverChart } from '../browser/trader-flows.ts';
import { useKey } from '../browser/wallet-flows.ts';
import { tellWhen, useWebhook } from '../browser/webhook-flows.ts';
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

    test('a trade is bought, is final and on the tape as the own one, and is sold though the price moved', () =>
      buyAndSell(scene));

    test('a webhook is created, tested, paused, replayed, rotated, disabled and deleted', (t) =>
      useWebhook(t, scene));

    test('an alert is set on the page of a token, fires, and is deleted from the list', (t) =>
      tellWhen(t, scene));
  });

  describe('what the price does not matter to', { concurrency: 1 }, () => {
    test('a slash searches, even while a dialog closes, and Enter opens what was found', () =>
      searchByKeyboard(scene));

    test('a wallet has a page of what it holds, made and traded, with its value over time', () =>
      readWalletPage(scene));

    test('a finger that does not rest scrolls the page or the chart, however slow the page is', () =>
      swipeOverChart(scene));

    test('a wallet signs in, issues a key that works, and revokes it', () => useKey(scene));

    test('a token that cannot be sold says so everywhere, and is bought only by a second step', () =>
      showDanger(scene));
  });

  describe('another chain', { concurrency: 1 }, () => {
    test('a Solana wallet signs in, buys, sees its trade become final, and sells it', () =>
      tradeOnSolana(scene));
  });
});
