// A run of random tests can be repeated: it names its seed, and the seed draws the same values.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const toUrl = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);

/** Prints a sample, the values of a property and the seed; fails if `shouldFail`. */
const buildFile = (shouldFail: boolean) => `
  import { test } from 'node:test';
  import { fc } from ${toUrl('fast-check.ts')};
  import { RUN_SEED } from ${toUrl('run-seed.ts')};
  test('draws', () => {
    const drawn = [fc.sample(fc.nat(), 3), RUN_SEED];
    fc.assert(fc.property(fc.nat(), (one) => void drawn.push(one)), { numRuns: 3 });
    console.log('drawn ' + JSON.stringify(drawn));
    if (${shouldFail}) throw new Error('fails');
  });`;

async function draw(
  t: TestContext,
  { seed, shouldFail }: { readonly seed: string | null; readonly shouldFail: boolean },
) {
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-run-seed-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'draws.test.mjs');
  await writeFile(file, buildFile(shouldFail));
  const { NODE_TEST_CONTEXT: _, MINTWIRE_TEST_SEED: __, ...rest } = process.env;
  const env = seed === null ? rest : { ...rest, MINTWIRE_TEST_SEED: seed };
  const { stdout, stderr } = await run(process.execPath, [file], { env }).catch((error) => error);
  return {
    drawn: /drawn (.*)/.exec(stdout)?.[1] ?? null,
    named: /seed (\d+): MINTWIRE_TEST_SEED=\1 /.exec(stderr)?.[1] ?? null,
    stderr,
  };
}

test('a file that fails names its seed, and the seed draws the same values again', async (t) => {
  const first = await draw(t, { seed: null, shouldFail: true });
  assert.ok(first.drawn !== null && first.named !== null, first.stderr);
  const again = await draw(t, { seed: first.named, shouldFail: false });
  assert.equal(again.drawn, first.drawn);
  assert.equal(again.named, null, 'what passes says nothing');
  const other = await draw(t, { seed: String(Number(first.named) ^ 1), shouldFail: false });
  assert.notEqual(other.drawn, first.drawn);
});

test('a seed that is none is refused', async (t) => {
  for (const seed of ['', '1.5', '-1', 'x', String(2 ** 31)]) {
    const { drawn, stderr } = await draw(t, { seed, shouldFail: false });
    assert.equal(drawn, null);
    assert.match(stderr, /MINTWIRE_TEST_SEED must be a whole number below 2\^31/);
  }
});
