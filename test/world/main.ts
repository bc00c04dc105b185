// `npm run world`: one world by hand, of any length; a run of random ones; or the table of
// `docs/operating.md`, or some of its rows: all of them take hours.

import { parseArgs } from 'node:util';
import { drawPlan } from './draw-plan.ts';
import { findProfile } from './profiles.ts';
import { runWeighed } from './run-weighed.ts';
import { CHAIN_NAMES, runWorld, SCOPE_NAMES, type WorldPlan } from './run-world.ts';
import { writeTable } from './table.ts';

/** From so many hours on it is run for a quarter of them, too, to compare its memory. */
const WEIGHED_HOURS = 2;

function pick<T extends string>(names: readonly T[], text: string): T {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new Error(`${text} is none of ${names.join(', ')}`);
  return found;
}

async function show(plan: WorldPlan): Promise<boolean> {
  const startedAtMs = performance.now();
  const profiles = plan.profiles.map(({ name }) => name).join(',');
  console.log(`seed ${plan.seed}: ${plan.chain}, ${plan.scope}, ${profiles}`);
  const report = await (plan.hours < WEIGHED_HOURS ? runWorld(plan) : runWeighed(plan));
  const tookS = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  console.log(report, `${tookS} s`);
  return report.faults.length === 0;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    /** The random worlds from the seed up to this one. */
    to: { type: 'string' },
    profile: { type: 'string', default: 'own-near' },
    chain: { type: 'string', default: 'rollup' },
    scope: { type: 'string', default: 'all' },
    hours: { type: 'string', default: '1' },
    table: { type: 'boolean', default: false },
    /** Those rows of it alone that begin so, as "solana-paid solana". */
    rows: { type: 'string', default: '' },
  },
});
if (values.table) await writeTable(values.rows);
else await runPlans();

async function runPlans(): Promise<void> {
  const seed = Number(values.seed);
  const plans =
    values.to === undefined
      ? [
          {
            seed,
            chain: pick(CHAIN_NAMES, values.chain),
            scope: pick(SCOPE_NAMES, values.scope),
            profiles: values.profile.split(',').map(findProfile),
            hours: Number(values.hours),
          },
        ]
      : Array.from({ length: Number(values.to) - seed + 1 }, (_, at) => drawPlan(seed + at));
  const failed: number[] = [];
  for (const plan of plans) if (!(await show(plan))) failed.push(plan.seed);
  if (failed.length > 0) console.log(`failed: ${failed.join(', ')}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}
