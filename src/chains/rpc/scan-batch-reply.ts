// Finds the results in the reply to a batch, so that each can be read from its bytes.

import { skipValue, startsWithBytes, type ValueBytes, walkList, walkObject } from './json-bytes.ts';

const BLANKS: ReadonlySet<number> = new Set(Buffer.from(' \n\r\t'));
const [ID, RESULT, ERROR] = [Buffer.from('"id"'), Buffer.from('"result"'), Buffer.from('"error"')];

/** Geth ends a reply with a line feed. */
function isBlank(body: Buffer, start: number): boolean {
  return body.subarray(start).every((code) => BLANKS.has(code));
}

/** The result of each call, in order. Null if one has none, or an error: the parser says why. */
export function scanBatchReply(
  body: Buffer,
  { firstId, count }: { readonly firstId: number; readonly count: number },
): ValueBytes[] | null {
  const results: ValueBytes[] = [];
  const end = walkList(body, 0, (itemAt) => {
    let index = -1;
    let result: ValueBytes | null = null;
    const itemEnd = walkObject(body, itemAt, (nameAt, valueAt) => {
      const valueEnd = skipValue(body, valueAt);
      if (startsWithBytes(body, nameAt, RESULT)) result = { body, start: valueAt, end: valueEnd };
      if (startsWithBytes(body, nameAt, ERROR)) return -1;
      if (startsWithBytes(body, nameAt, ID)) {
        index = Number(body.toString('latin1', valueAt, valueEnd)) - firstId;
      }
      return valueEnd;
    });
    if (result === null || !(index >= 0 && index < count)) return -1;
    results[index] = result;
    return itemEnd;
  });
  const isWhole = end >= 0 && isBlank(body, end) && Object.keys(results).length === count;
  return isWhole ? results : null;
}
