// The list of breaks fits the code as it is: `npm run breaks` takes minutes, and says so late.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const BREAKS = JSON.parse(readFileSync('test/breaks/breaks.json', 'utf8')) as readonly {
  readonly file: string;
  readonly take: string;
  readonly put: string;
  readonly test: string;
}[];

test('what each break takes stands once in its file, and its test is there', () => {
  assert.ok(BREAKS.length >= 60);
  for (const one of BREAKS) {
    assert.equal(
      readFileSync(one.file, 'utf8').split(one.take).length,
      2,
      `${one.file}: ${one.take}`,
    );
    assert.notEqual(one.take, one.put);
    assert.ok(existsSync(one.test), one.test);
  }
});
