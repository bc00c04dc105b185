// `npm run bench [-- parts] [--quick] [--check]`: measurements as ratios to peers, in one run.

import { benchAccess } from './access.ts';
import { GOALS, type Goal } from './goals.ts';
import { benchIngest } from './ingest.ts';
import { benchQuote } from './quote.ts';
import type { Row } from './row.ts';
import { benchServe } from './serve.ts';
import { benchStart } from './start.ts';

const PARTS: Readonly<Record<string, (options: { quick: boolean }) => Promise<Row[]>>> = {
  serve: benchServe,
  access: benchAccess,
  start: benchStart,
  ingest: benchIngest,
  quote: benchQuote,
};

function printRow(row: Row): boolean {
  const goal: Goal = GOALS[row.goal];
  const met = goal.ratioMin === null || (row.ratio ?? 0) >= goal.ratioMin;
  const ratio = row.ratio === null ? '' : ` ratio ${row.ratio.toFixed(2)}`;
  const aim = goal.ratioMin === null ? '' : ` (goal ${goal.ratioMin}: ${met ? 'met' : 'MISSED'})`;
  const width = row.spread === null ? '' : ` ±${(row.spread * 100).toFixed(0)} %`;
  const peer = row.peer === '' ? '' : ` against ${row.peer}`;
  console.log(`${goal.part}: ${goal.name}\n  ${row.ours}${peer}${ratio}${width}${aim}`);
  if (row.note !== '') console.log(`  ${row.note}`);
  return met;
}

const args = process.argv.slice(2);
const quick = args.includes('--quick');
const chosen = args.filter((arg) => !arg.startsWith('--'));
const unknown = chosen.filter((name) => !PARTS[name]);
if (unknown.length > 0) {
  console.error(`no such part: ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}
let missed = 0;
for (const [name, bench] of Object.entries(PARTS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  for (const row of await bench({ quick })) if (!printRow(row)) missed += 1;
}
if (args.includes('--check') && missed > 0) process.exitCode = 1;
