// Requests that wait for one transaction share what the node is asked, on chains of both families.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ManualClock } from '../../../test/fakes/manual-clock.ts';
import {
  endStatusNodes,
  type StatusNode,
  startEvmStatus,
  startSolanaStatus,
} from '../../../test/fakes/status-nodes.ts';
import { ChainRegistry } from '../../model/chain-registry.ts';
import { createGetTradeStatus, type NodeAnswer } from './create-get-trade-status.ts';
import { StatusWaits } from './status-waits.ts';

afterEach(endStatusNodes);

/** The clock only moves by `pass`, which lets every ask end before it goes on. */
function createScene({ transactions, txHash }: StatusNode) {
  const clock = new ManualClock(0);
  const sleepers: { atMs: number; wake: () => void }[] = [];
  const scene = { version: 1, asking: 0 };
  const waits = new StatusWaits<NodeAnswer>({
    clock,
    sleep: (ms) =>
      new Promise((wake) => void sleepers.push({ atMs: clock.monotonicMs() + ms, wake })),
  });
  const node = {
    readTransaction: async (id: never) => {
      scene.asking += 1;
      return transactions.readTransaction(id).finally(() => {
        scene.asking -= 1;
      });
    },
    isUnavailable: () => false,
  };
  const getStatus = createGetTradeStatus({
    chains: { known: new ChainRegistry(), list: () => ['devnet'], find: () => null },
    builders: {
      find: () => node,
      findFamily: () => ({ transactionIds: { parse: (text: string) => text } }),
    } as never,
    store: {
      snapshot: (work: (reader: object) => unknown) => work({ readCheckpoint: async () => null }),
    } as never,
    ...{ waits, readVersion: () => scene.version },
  });
  const rest = async () => {
    for (let calm = 0; calm < 20; calm = scene.asking > 0 ? 0 : calm + 1) await setImmediate();
  };
  const pass = async (ms: number) => {
    await rest();
    for (const endMs = clock.monotonicMs() + ms; clock.monotonicMs() < endMs; await rest()) {
      clock.advance(100);
      const due = sleepers.filter(({ atMs }) => atMs <= clock.monotonicMs());
      for (const one of due) sleepers.splice(sleepers.indexOf(one), 1);
      for (const { wake } of due) wake();
    }
  };
  const wait = (caller: number, more: object = {}) =>
    getStatus(
      { chain: 'devnet', txHash, waitMs: 25_000, ...more } as never,
      {
        ...{ identity: { kind: 'anonymous', key: `caller ${caller}` }, watchClient: undefined },
      } as never,
    );
  return { scene, pass, wait };
}

describe('requests that wait for one transaction', () => {
  for (const [family, start] of [
    ['EVM', startEvmStatus],
    ['Solana', startSolanaStatus],
  ] as const) {
    it(`ask the node once in each interval, however many wait, on ${family}`, async () => {
      const on = await start();
      const { scene, pass, wait } = createScene(on);
      const waiting = Array.from({ length: 60 }, (_, index) => wait(index % 6));
      await pass(1000);
      // These come between two asks, with a height of their own each.
      for (let index = 0; index < 40; index += 1) {
        const height = { lastValidBlockHeight: 1000 + index };
        waiting.push(wait(6 + (index % 4), { ...height, knownStatus: 'pending' }));
      }
      await pass(8900);
      assert.equal(on.node.count(on.method), 5, 'at 0, 2, 4, 6 and 8 seconds');
      on.mine();
      scene.version += 1;
      await pass(100);
      const answers = await Promise.all(waiting);
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['reverted']));
      assert.equal(on.node.count(on.method), 6, 'and after the commit');
    });
  }

  it('are never answered with what the node said before they came', async () => {
    const on = await startSolanaStatus();
    const { pass, wait } = createScene(on);
    const first = wait(1);
    await pass(1000);
    on.mine();
    // The last ask said pending, which would be an answer to both.
    const known = wait(2, { knownStatus: 'unknown' });
    const short = wait(3, { waitMs: 200 });
    await pass(300);
    const answers = await Promise.all([known, short]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['reverted', 'reverted'],
    );
    await pass(2000);
    assert.equal((await first).status, 'reverted');
    assert.ok(on.node.count('getTransaction') <= 4);
  });

  it('are all told that the node failed, and the next one asks again', async () => {
    const on = await startEvmStatus();
    const { pass, wait } = createScene(on);
    on.node.misbehave(({ method }) =>
      method === on.method ? { do: 'error', code: -32602, message: 'no' } : null,
    );
    const failing = Promise.allSettled([wait(1), wait(2), wait(3)]);
    await pass(100);
    const states = (await failing).map(({ status }) => status);
    assert.deepEqual(states, ['rejected', 'rejected', 'rejected']);
    assert.equal(on.node.count(on.method), 1);
    on.node.misbehave(null);
    on.mine();
    const later = wait(1, { knownStatus: 'pending' });
    await pass(100);
    assert.equal((await later).status, 'reverted');
  });
});
