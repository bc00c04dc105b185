// Compressed bodies decompress to what was given, and nothing is compressed twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fc } from '../../test/fast-check.ts';
import { type CompressibleBody, compressBody, gzipParts } from './compress-body.ts';

const DECOMPRESS = { br: brotliDecompressSync, gzip: gunzipSync } as const;
const ENCODINGS = ['br', 'gzip'] as const;

function buildBody(long: Buffer, end: Buffer): CompressibleBody {
  return { bytes: Buffer.concat([long, end]), parts: { long, end } };
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('', 'x', '{"a":1}'.repeat(40), 'abc'.repeat(9000), 'é'.repeat(40_000)),
);
const bytes = fc.oneof(
  text.map((one) => Buffer.from(one)),
  fc.uint8Array({ maxLength: 3000 }).map(Buffer.from),
);
const shortBytes = bytes.filter(({ length }) => length < 60_000);

test('a body in two parts decompresses to both', async () => {
  await fc.assert(
    fc.asyncProperty(bytes, shortBytes, async (long, end) => {
      for (const encoding of ENCODINGS) {
        const compressed = await compressBody(buildBody(long, end), encoding);
        assert.deepEqual(DECOMPRESS[encoding](compressed), Buffer.concat([long, end]));
      }
    }),
    { numRuns: 150 },
  );
});

test('so does a body in one part, and several parts as one stream', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { maxLength: 5 }), async (parts) => {
      const whole = Buffer.concat(parts);
      for (const encoding of ENCODINGS) {
        const compressed = await compressBody({ bytes: whole }, encoding);
        assert.deepEqual(DECOMPRESS[encoding](compressed), whole);
      }
      assert.deepEqual(gunzipSync(Buffer.concat(await gzipParts(parts))), whole);
    }),
    { numRuns: 100 },
  );
});

test('the long part is compressed once for all ends, and each body once', async () => {
  const long = Buffer.from('{"open":"1.5","close":"1.6"},'.repeat(9000));
  for (const encoding of ENCODINGS) {
    const first = buildBody(long, Buffer.from('"asOf":1}'));
    const working = compressBody(first, encoding);
    assert.ok(working instanceof Promise, 'a long body is compressed on another thread');
    const both = await Promise.all([working, compressBody(first, encoding)]);
    assert.equal(both[0].length, both[1].length);
    assert.ok(both[0].length < long.length / 20);
    // What is known needs no thread.
    const again = compressBody(first, encoding);
    assert.equal(again, compressBody(first, encoding));
    const next = compressBody(buildBody(long, Buffer.from('"asOf":2}')), encoding);
    assert.ok(Buffer.isBuffer(next));
    assert.equal(DECOMPRESS[encoding](next).subarray(-9).toString(), '"asOf":2}');
  }
});
