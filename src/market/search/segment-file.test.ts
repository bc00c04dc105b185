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

test('a file that is not whole, of another format or none of ours is not read', async (t) => {
  const folder = createTempFolder(t);
  const file = join(folder, 'segment');
  await writeSegmentFile(file, { origin: ORIGIN, segment: buildSegment(LISTINGS) });
  assert.deepEqual(readdirSync(folder), ['segment'], 'no draft is left');
  const whole = readFileSync(file);
  const damaged = {
    cut: whole.subarray(0, -1),
    empty: Buffer.alloc(0),
    other: Buffer.from('some text that is not a segment'),
    newer: Buffer.from(whole.toString('latin1').replace('"format":1', '"format":9'), 'latin1'),
  };
  for (const [name, bytes] of Object.entries(damaged)) {
    writeFileSync(file, bytes);
    assert.equal(await readSegmentFile(file), null, name);
  }
});
