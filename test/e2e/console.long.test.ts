// The console in a real browser: trades that do not go straight, and what is said of problems.

import { describe, test } from 'node:test';
import { type ConsoleScene, startConsoleScene } from '../browser/console-scene.ts';
import {
  explainPause,
  explainStartAndLimit,
  explainWrongAddresses,
} from '../browser/problem-flows.ts';
import { buyExactlyAndMax, changeInWallet, refuseAndSwitch } from '../browser/trade-flows.ts';
import { setUp } from '../root-hooks.ts';

let scene: ConsoleScene;

setUp(async (t) => {
  scene = await startConsoleScene(t);
});

/** Rows of tests: while one waits for blocks, wallets or a start, the other works. */
describe('beside each other', { concurrency: 2 }, () => {
  describe('what trades, one after the other, for each moves the price', { concurrency: 1 }, () => {
    test('a trade that the wallet refuses is not sent, and one on another chain asks it to change', () =>
      refuseAndSwitch(scene));

    test('another account or chain in the wallet is noticed, quoted again and signed in', () =>
      changeInWallet(scene));

    test('a buy of exactly so many tokens pays them, and one of all coins leaves what it costs', () =>
      buyExactlyAndMax(scene));
  });

  describe('another service, wrong input', { concurrency: 1 }, () => {
    test('a service that starts says so, as does one whose budget is used up', (t) =>
      explainStartAndLimit(t, scene));

    test('a paused token says so on open pages and new ones', () => explainPause(scene));

    test('a wrong address, another chain, no token and no page each say what to do', () =>
      explainWrongAddresses(scene));
  });
});
