// A real service on a real chain, whose process or blocks go away.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from './fakes/create-random.ts';
import { assertVerified, stopService, untilAtHead } from './indexed-service.ts';
import { createIndexingScene, trade } from './indexing-scene.ts';
import { RUN_SEED } from './run-seed.ts';
import { startServiceProcess } from './start-service-process.ts';

type Engine = 'sqlite' | 'postgres';

export function describeKills(engine: Engine): void {
  describe(`on ${engine}`, () => {
    test('kills at random moments while indexing lose and duplicate nothing', async (t) => {
      const random = createRandom(RUN_SEED);
      const { chain, env } = await createIndexingScene(t, { engine });
      for (let i = 0; i < 4; i += 1) {
        const service = await startServiceProcess(t, { env });
        // Every other time the index is known to be moving when the kill happens.
        if (i % 2 === 1) await untilAtHead(service, chain);
        const moving = trade(chain, 1);
        await new Promise((resolve) => setTimeout(resolve, 20 + random() * 600));
        process.kill(-(service.child.pid ?? 0), 'SIGKILL');
        await Promise.all([service.exited, moving]);
      }
      const service = await startServiceProcess(t, { env });
      await untilAtHead(service, chain);
      await stopService(service);
      await assertVerified(env);
    });
  });
}

export function describeReorganisations(engine: Engine): void {
  describe(`on ${engine}`, () => {
    test('after reorganisations of any depth the index equals a fresh one', async (t) => {
      const { chain, env } = await createIndexingScene(t, { engine });
      const service = await startServiceProcess(t, { env });
      await chain.mine(50);
      for (const depth of [1, 7, 50, 1 + (RUN_SEED % 50)]) {
        await trade(chain, 1);
        await untilAtHead(service, chain);
        await chain.reorg(depth);
        await trade(chain, 1);
      }
      await untilAtHead(service, chain);
      assert.match(service.output(), /"msg":"reorganisation"/);
      await stopService(service);
      await assertVerified(env);
    });
  });
}
