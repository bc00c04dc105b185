// The type of an image by its first bytes: what a server calls it decides nothing. SVG is left out,
// because it can have scripts.

import type { IMAGE_TYPES } from '../../contract/operation.ts';

export type ImageType = (typeof IMAGE_TYPES)[number];

const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const JPEG = Buffer.from('ffd8ff', 'hex');

/** Null if it is no image of these types. */
export function sniffImage(bytes: Buffer): ImageType | null {
  const startsWith = (start: Buffer) => bytes.subarray(0, start.length).equals(start);
  if (startsWith(PNG)) return 'image/png';
  if (startsWith(JPEG)) return 'image/jpeg';
  const head = bytes.toString('latin1', 0, 12);
  if (/^RIFF....WEBP$/s.test(head)) return 'image/webp';
  return /^GIF8[79]a/.test(head) ? 'image/gif' : null;
}
