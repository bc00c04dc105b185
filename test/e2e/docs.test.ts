// Runs every documented example against the devnet and compares what is shown with what comes.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  compareForms,
  readDocumentedExamples,
  runExample,
} from '../../docs/documented-examples.ts';
import { type DocsScene, startDocsScene } from '../docs-scene.ts';

const cleanups: (() => unknown)[] = [];
let scene: DocsScene;

before(async () => {
  scene = await startDocsScene({ after: (work) => cleanups.unshift(work) });
});

after(async () => {
  for (const work of cleanups) await work();
});

const examples = readDocumentedExamples();

describe('documents', () => {
  test('behavior: there are examples', () => {
    assert.ok(examples.length >= 10, `${examples.length}`);
  });

  for (const example of examples) {
    test(`behavior: ${example.place} shows what really comes`, async () => {
      const real = await runExample(example, scene);
      assert.deepEqual(compareForms(example.shown, real), []);
    });
  }
});
