// A segment that was written to a file and read again.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTempFolder } from '../../../test/start-service-process.ts';
import { address } from '../../../test/test-ids.ts';
import { buildSegment } from './segment.ts';
import { readSegmentFile, writeSegmentFile } from './segment-file.ts';

test('a segment from a file has the same arrays', async (t) => {
  const file = join(createTempFolder(t), 'segment');
  const listings = ['Wrapped Ether', 'Würfel', 'a', ''].map((name, index) => ({
    token: address(`0x${String(index + 1).padStart(40, '0')}`),
    symbol: name === '' ? null : name.slice(0, 3),
    name,
    isVerified: index === 0,
    prominence: index * 1.5,
  }));
  for (const some of [listings, []]) {
    const segment = buildSegment(some);
    await writeSegmentFile(file, segment);
    assert.deepEqual(await readSegmentFile(file), segment);
  }
});
