// The committed bytecode must be what the sources beside it compile to.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSources, readCompiledContracts } from './compile-contracts.ts';

test('compiled.gen.json belongs to the sources in this tree', () => {
  assert.equal(
    readCompiledContracts().sourceHash,
    hashSources(),
    'run node devnet/compile-contracts.ts',
  );
});
