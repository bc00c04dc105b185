// Part `ingest`: indexing a recorded chain, against Ponder for transfers, and on each store for
// swaps.

import type { IngestPart, OursTiming } from './ingest-ours.ts';
import { benchSwaps, type SwapRuns, takeSwapRuns } from './ingest-swaps.ts';
import { benchTransfers, TRANSFER_CASES } from './ingest-transfers.ts';
import { median, spread } from './measure.ts';
import type { Row } from './row.ts';

const PEAK_RSS_MAX_MIB = 400;

function buildMemoryRow(timings: readonly OursTiming[]): Row {
  const peaks = timings.map((timing) => timing.peakRssMiB);
  const peak = Math.max(...peaks);
  return {
    goal: 'ingestMemory',
    ours: `${peak.toFixed(0)} MiB`,
    peer: `the limit of ${PEAK_RSS_MAX_MIB} MiB`,
    ratio: PEAK_RSS_MAX_MIB / peak,
    spread: spread(peaks),
    note: `the highest resident size of ${peaks.length} runs over several chains and stores, median ${median(peaks).toFixed(0)} MiB`,
  };
}

/** What this part may be limited to. */
export const INGEST_CHAINS = ['transfers', 'swaps'] as const;

export async function benchIngest(options: {
  readonly quick: boolean;
  readonly only?: string | undefined;
}): Promise<Row[]> {
  const { quick, only } = options;
  const repeated = { quick, repetitions: quick ? 2 : 3 };
  const parts: IngestPart[] = [];
  const swaps: SwapRuns[] = [];
  const takeSwaps = async () => {
    if (only !== 'transfers') swaps.push(await takeSwapRuns(repeated));
  };
  await takeSwaps();
  for (const one of TRANSFER_CASES) {
    if (only !== 'swaps') parts.push(await benchTransfers(one, repeated));
    if (!quick) await takeSwaps();
  }
  if (only !== 'transfers') parts.push(await benchSwaps(swaps, repeated));
  const timings = parts.flatMap((part) => part.timings);
  return [...parts.flatMap((part) => part.rows), buildMemoryRow(timings)];
}
