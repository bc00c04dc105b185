// A logo for a token of the devnet: a disc in a colour of its own, as PNG.

import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

const SIDE = 64;
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** 8 bits for each of red, green, blue and opacity. */
const HEADER_END = Buffer.from([8, 6, 0, 0, 0]);

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A ring in the colour itself, lighter inside. */
function pickPixel(distance: number, colour: readonly number[]): readonly number[] {
  if (distance > SIDE / 2) return [0, 0, 0, 0];
  const isInside = distance < SIDE / 3;
  return [...colour.map((part) => (isInside ? Math.round((part + 255) / 2) : part)), 255];
}

export function drawLogo(name: string): Buffer {
  const colour = [...createHash('sha256').update(name).digest().subarray(0, 3)];
  const centre = (SIDE - 1) / 2;
  const rows = Array.from({ length: SIDE }, (_, y) => {
    const pixels = Array.from({ length: SIDE }, (__, x) =>
      pickPixel(Math.hypot(x - centre, y - centre), colour),
    );
    // Each row begins with the number of its filter; 0 is none.
    return Buffer.from([0, ...pixels.flat()]);
  });
  const size = Buffer.alloc(8);
  size.writeUInt32BE(SIDE, 0);
  size.writeUInt32BE(SIDE, 4);
  return Buffer.concat([
    SIGNATURE,
    writeChunk('IHDR', Buffer.concat([size, HEADER_END])),
    writeChunk('IDAT', deflateSync(Buffer.concat(rows))),
    writeChunk('IEND', Buffer.alloc(0)),
  ]);
}
