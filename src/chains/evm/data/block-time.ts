// The time of a block. Chains with several blocks in a second tell the milliseconds apart, if the
// node does.

import type { BlockHeader } from '../../../model/block-header.ts';

/** In milliseconds where the node gives them and they are of that second. */
export function toTimeMs(seconds: number, ms: number | null): number {
  return ms !== null && Math.floor(ms / 1000) === seconds ? ms : seconds * 1000;
}

/**
 * Headers with the times that the logs of their blocks have. History is read by logs alone, so a
 * node that gives milliseconds in headers only must not put the blocks of a second out of order.
 */
export function takeLogTimes(
  blocks: readonly { readonly header: BlockHeader }[],
  logged: readonly { readonly block: number; readonly timestampMs: number | null }[],
): BlockHeader[] {
  const times = new Map(logged.map(({ block, timestampMs }) => [block, timestampMs]));
  return blocks.map(({ header }) => {
    const timestampMs = times.get(header.position) ?? header.timestampMs;
    return timestampMs === header.timestampMs ? header : { ...header, timestampMs };
  });
}

/** Whether two times may be of one block: one of them may be known in seconds only. */
export function isSameTime(one: number, other: number): boolean {
  if (one === other) return true;
  const isWhole = one % 1000 === 0 || other % 1000 === 0;
  return isWhole && Math.floor(one / 1000) === Math.floor(other / 1000);
}
