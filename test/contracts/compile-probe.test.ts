// The committed code matches the committed sources.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSource, TARGETS } from './compile-probe.ts';

for (const target of TARGETS) {
  test(`the code of ${target.contract} is not stale`, async () => {
    const { SOURCE_HASH } = (await import(target.output.href)) as { SOURCE_HASH: string };
    assert.equal(SOURCE_HASH, hashSource(target), 'run node test/contracts/compile-probe.ts');
  });
}
