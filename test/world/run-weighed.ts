// Whether what the service keeps in memory grows with the hours: a world is run for a quarter of
// its time, and again for all of it.

import { runWorld, type WorldPlan, type WorldReport } from './run-world.ts';

/** In four times the hours; a chain has more tokens by then, and caches are filled. */
const GROWTH_MAX = 2;
const KIB = 1024;

export async function runWeighed(plan: WorldPlan): Promise<WorldReport> {
  const early = await runWorld({ ...plan, hours: plan.hours / 4, isWeighed: true });
  const report = await runWorld({ ...plan, isWeighed: true });
  const [before, after] = [early, report].map(({ keptBytes }) => keptBytes ?? 0);
  if (before === undefined || after === undefined || before <= 0) {
    throw new Error('the memory of the service could not be told from that of its world');
  }
  if (after <= before * GROWTH_MAX) return report;
  const toText = (bytes: number) => `${Math.round(bytes / KIB)} KiB`;
  const fault = `the service keeps ${toText(after)} after ${plan.hours} h, ${toText(before)} after a quarter of them`;
  return { ...report, faults: [...report.faults, fault] };
}
