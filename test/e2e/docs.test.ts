// Runs every documented example against the devnet and compares what is shown with what comes.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  compareForms,
  readDocumentedExamples,
  runExample,
} from '../../docs/documented-examples.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { type DocsScene, startDocsScene } from '../docs-scene.ts';
import { askExample } from '../operation-examples.ts';

const cleanups: (() => unknown)[] = [];
let scene: DocsScene;

before(async () => {
  scene = await startDocsScene({ after: (work) => cleanups.unshift(work) }, { historyHours: 2 });
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

describe('operations', () => {
  for (const operation of operations as readonly Operation[]) {
    const { method, path, example, output } = operation;
    test(`behavior: the example of ${method} ${path} shows what really comes`, async () => {
      const real = await askExample(operation, scene);
      const { answer } = example;
      if (typeof answer === 'string') {
        assert.ok(String(real).startsWith(answer.split('…')[0] ?? ''));
        return;
      }
      // A document may hold more than is shown of it.
      const isOpen = (output as { additionalProperties?: unknown }).additionalProperties === true;
      const differences = compareForms(answer, real);
      const faults = differences.filter(
        (one) => !isOpen || !one.endsWith('is there and not shown'),
      );
      assert.deepEqual(faults, []);
    });
  }
});
