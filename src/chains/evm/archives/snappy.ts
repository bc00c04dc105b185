// Snappy in its framing format, as era files have it. Its checksums are not read: what is in the
// frames is proved by hashes.

export class SnappyError extends Error {}

const [COMPRESSED, PLAIN] = [0x00, 0x01];
/** From here on chunks may be skipped: padding, and the name of the format. */
const SKIPPABLE_MIN = 0x80;
const CHECKSUM_BYTES = 4;
/** A frame has no more. */
const FRAME_BYTES_MAX = 65_536;

export function unpackSnappyFrames(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) throw new SnappyError('a frame is cut off');
    const type = bytes.readUInt8(at);
    const end = at + 4 + bytes.readUIntLE(at + 1, 3);
    if (end > bytes.length) throw new SnappyError('a frame is cut off');
    const data = bytes.subarray(at + 4 + CHECKSUM_BYTES, end);
    if (type === COMPRESSED) parts.push(unpackSnappy(data));
    else if (type === PLAIN) parts.push(data);
    else if (type < SKIPPABLE_MIN) throw new SnappyError(`a frame of type ${type}`);
    at = end;
  }
  return Buffer.concat(parts);
}

function unpackSnappy(bytes: Buffer): Buffer {
  let [length, at] = [0, 0];
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at];
    if (byte === undefined || shift > 21) throw new SnappyError('no length');
    at += 1;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  if (length > FRAME_BYTES_MAX) throw new SnappyError('a frame is too long');
  const out = Buffer.alloc(length);
  let filled = 0;
  while (at < bytes.length) {
    const tag = bytes.readUInt8(at);
    at += 1;
    const short = tag >> 2;
    if ((tag & 3) === 0) {
      const size = Math.max(0, short - 59);
      if (at + size > bytes.length) throw new SnappyError('a literal is cut off');
      const count = 1 + (size === 0 ? short : bytes.readUIntLE(at, size));
      at += size;
      if (at + count > bytes.length || filled + count > length) {
        throw new SnappyError('a literal is too long');
      }
      bytes.copy(out, filled, at, at + count);
      [at, filled] = [at + count, filled + count];
      continue;
    }
    const size = [0, 1, 2, 4][tag & 3] ?? 0;
    if (at + size > bytes.length) throw new SnappyError('a copy is cut off');
    const isNear = size === 1;
    const count = isNear ? (short & 7) + 4 : short + 1;
    const offset = bytes.readUIntLE(at, size) + (isNear ? (tag >> 5) << 8 : 0);
    at += size;
    if (offset === 0 || offset > filled || filled + count > length) {
      throw new SnappyError('a copy from nowhere');
    }
    // It may read what it writes.
    for (let copied = 0; copied < count; copied += 1, filled += 1) {
      out[filled] = out[filled - offset] ?? 0;
    }
  }
  if (filled !== length) throw new SnappyError('too few bytes');
  return out;
}
