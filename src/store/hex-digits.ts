// Ids as hexadecimal digits, which the engines store as bytes: half the size of text.
//
// An address or a hash is its own bytes. Any other text is its UTF-8 after one zero byte, or after
// two if one would make it as long as an address or a hash. No text holds U+0000, so both are read
// back exactly, and ids of one form sort as their texts do.

const HEX_ID = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const ADDRESS_BYTES = 20;
const HASH_BYTES = 32;

export function toHexDigits(text: string): string {
  if (HEX_ID.test(text)) return text.slice(2);
  if (text.includes('\0')) throw new TypeError('Text with U+0000 cannot be stored');
  const bytes = Buffer.from(text, 'utf8');
  const length = bytes.length + 1;
  const mark = length === ADDRESS_BYTES || length === HASH_BYTES ? '0000' : '00';
  return `${mark}${bytes.toString('hex')}`;
}

export function parseHexDigits(digits: string): string {
  const bytes = digits.length / 2;
  if (bytes === ADDRESS_BYTES || bytes === HASH_BYTES) return `0x${digits}`;
  return Buffer.from(digits, 'hex').toString('utf8').replace(/^\0+/, '');
}
