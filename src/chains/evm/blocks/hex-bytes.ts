// Hex values as the bytes of a reply.

const [CODE_0, CODE_9, CODE_A, CODE_F, CODE_X] = [48, 57, 97, 102, 120];

/** The end of the digits that start here. Upper-case digits do not count. */
export function findHexEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const code = bytes[at] ?? 0;
    if (code < CODE_0 || code > CODE_F || (code > CODE_9 && code < CODE_A)) return at;
    at += 1;
  }
}

export function hasHexPrefix(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === CODE_0 && bytes[at + 1] === CODE_X;
}

/** Whether a range is lower-case hex with a prefix. */
export function isLowerHex(bytes: Uint8Array, start: number, end: number): boolean {
  return hasHexPrefix(bytes, start) && findHexEnd(bytes, start + 2) >= end;
}

/** The value of hex digits that were already validated. */
export function readHexNumber(bytes: Uint8Array, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const code = bytes[at] ?? 0;
    number = number * 16 + (code <= CODE_9 ? code - CODE_0 : code - CODE_A + 10);
  }
  return number;
}

export function equalBytes(
  left: { readonly bytes: Uint8Array; readonly at: number },
  right: { readonly bytes: Uint8Array; readonly at: number },
  length: number,
): boolean {
  for (let index = 0; index < length; index += 1) {
    if (left.bytes[left.at + index] !== right.bytes[right.at + index]) return false;
  }
  return true;
}
