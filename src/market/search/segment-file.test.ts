// Segments that were written to files and read again.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTempFolder } from '../../../test/start-service-process.ts';
import { address } from '../../../test/test-ids.ts';
import { buildSegment } from './segment.ts';
import { readSegmentFile, type SegmentOrigin, writeSegmentFile } from './segment-file.ts';

const ORIGIN: SegmentOrigin = {
  ...{ chain: 'devnet', epoch: 'é1', version: 7, finalizedBlock: 70 },
  ...{ hasVolumes: true, listsMark: 'none' },
};

const LISTINGS = ['Wrapped Ether', 'Würfel', 'a', ''].map((name, index) => ({
  token: address(`0x${String(index + 1).padStart(40, '0')}`),
  symbol: name === '' ? null : name.slice(0, 3),
  name,
  isVerified: index === 0,
  prominence: index * 1.5,
}));

test('a segment from a file has the same arrays and the same origin', async (t) => {
  const file = join(createTempFolder(t), 'segment');
  for (const some of [LISTINGS, []]) {
    const segment = buildSegment(some);
    await writeSegmentFile(file, { origin: ORIGIN, segment });
    const opened = await readSegmentFile(file);
    assert.deepEqual(opened?.segment, segment);
    assert.deepEqual(opened?.origin, ORIGIN);
  }
  assert.equal(await readSegmentFile(file, ({ version }) => version > 7), null);
});

test('several that write to one file at the same time do not mix', async (t) => {
  const folder = createTempFolder(t);
  const file = join(folder, 'segment');
  const segment = buildSegment(LISTINGS);
  const versions = Array.from({ length: 8 }, (_, index) => index);
  // In one process, as in containers whose processes have the same id.
  await Promise.all(
    versions.map((version) => writeSegmentFile(file, { origin: { ...ORIGIN, version }, segment })),
  );
  assert.deepEqual(readdirSync(folder), ['segment'], 'no draft is left');
  assert.deepEqual((await readSegmentFile(file))?.segment, segment);
});

test('a file that is not whole, of another format or none of ours is not read', async (t) => {
  const folder = createTempFolder(t);
  const file = join(folder, 'segment');
  await writeSegmentFile(file, { origin: ORIGIN, segment: buildSegment(LISTINGS) });
  assert.deepEqual(readdirSync(folder), ['segment'], 'no draft is left');
  const whole = readFileSync(file);
  const flipped = Buffer.from(whole);
  flipped[whole.length - 9] = (whole.at(-9) ?? 0) ^ 1;
  const damaged = {
    flipped,
    cut: whole.subarray(0, -1),
    empty: Buffer.alloc(0),
    other: Buffer.from('some text that is not a segment'),
    newer: Buffer.from(whole.toString('latin1').replace('"format":3', '"format":9'), 'latin1'),
  };
  for (const [name, bytes] of Object.entries(damaged)) {
    writeFileSync(file, bytes);
    assert.equal(await readSegmentFile(file), null, name);
  }
});
