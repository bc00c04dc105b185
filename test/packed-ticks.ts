// Arrays of ticks of Orca, packed as its program packs them.

const [ORCA_ARRAY, PACKED_ARRAY] = ['4561bdbe6e0742bb', '11d8f68ee1c7da38'];
const [ARRAY_TICKS, TICK_BYTES, TICKS_OFFSET, BITMAP_OFFSET] = [88, 113, 12, 44];

/** An empty tick becomes one byte, the others are as they were. */
export function packTicks(fixed: Buffer): Buffer {
  if (fixed.toString('hex', 0, 8) !== ORCA_ARRAY) return fixed;
  const head = Buffer.alloc(60);
  head.write(PACKED_ARRAY ?? '', 'hex');
  fixed.copy(head, 8, 8, TICKS_OFFSET);
  fixed.copy(head, 12, TICKS_OFFSET + ARRAY_TICKS * TICK_BYTES);
  const ticks = Array.from({ length: ARRAY_TICKS }, (_, index) => {
    const at = TICKS_OFFSET + index * TICK_BYTES;
    if (fixed[at] === 0) return fixed.subarray(at, at + 1);
    // A bit for each tick that is not empty.
    const mark = BITMAP_OFFSET + (index >> 3);
    head.writeUInt8(head.readUInt8(mark) | (1 << (index & 7)), mark);
    return fixed.subarray(at, at + TICK_BYTES);
  });
  return Buffer.concat([head, ...ticks]);
}
