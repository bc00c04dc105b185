// Volumes in steps, each twice the one before, to index positions by: few trades take a position
// to the next step, so the index changes seldom. A step bounds the volumes in it.

/** Ascends with the volume; 0 for none. */
export function computeVolumeStep(volumeE6: bigint): number {
  return volumeE6 === 0n ? 0 : volumeE6.toString(2).length;
}

/** The largest volume in a step. */
export function findStepMax(step: number): bigint {
  return (1n << BigInt(step)) - 1n;
}
