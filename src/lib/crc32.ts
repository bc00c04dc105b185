// CRC-32 of ASCII text: a table and a loop, a tenth of what the way into native code costs.

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Of the first `length` characters, none of which may be beyond ASCII. */
export function crc32OfAscii(text: string, length = text.length): number {
  let crc = 0xffffffff;
  for (let at = 0; at < length; at += 1) {
    crc = (crc >>> 8) ^ (TABLE[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
