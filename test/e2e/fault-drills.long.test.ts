// Machine faults under a service that follows a real chain; `npm run drill -- --faults` has more of
// them.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FAULT_DRILLS } from '../drill/faults.ts';
import { createIndexingScene, type IndexingScene } from '../indexing-scene.ts';

describe('with a chain', () => {
  let scene: IndexingScene;
  const works: (() => unknown)[] = [];

  before(async () => {
    scene = await createIndexingScene(
      { after: (work) => void works.push(work) },
      { engine: 'sqlite' },
    );
  });

  after(async () => {
    for (const work of works.reverse()) await work();
  });

  for (const name of ['full disk', 'damaged pages', 'deleted folder']) {
    test(`${name}: reads are right or 503, and nothing of the index is lost`, async (t) => {
      const drill = FAULT_DRILLS[name] ?? assert.fail(`there is no drill ${name}`);
      await drill(t, scene);
    });
  }
});
