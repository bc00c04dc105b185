// `npm run bench [-- parts] [--quick] [--check] [--only …]`: benchmarks as ratios to peers.

import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname } from 'node:path';
import { readCommand, refuseCommand } from '../src/cli/read-command.ts';
import { benchAccess } from './bench-access.ts';
import { benchAlerts } from './bench-alerts.ts';
import { benchCompat } from './bench-compat.ts';
import { benchConsole } from './bench-console.ts';
import { benchHistory } from './bench-history.ts';
import { benchIngest, INGEST_CHAINS } from './bench-ingest.ts';
import { benchLists } from './bench-lists.ts';
import { benchMcp } from './bench-mcp.ts';
import { benchNodes } from './bench-nodes.ts';
import { benchQuote } from './bench-quote.ts';
import { benchServe } from './bench-serve.ts';
import { benchSolana } from './bench-solana.ts';
import { benchStart } from './bench-start.ts';
import { benchStream } from './bench-stream.ts';
import { benchWebhooks } from './bench-webhooks.ts';
import { GOALS, type Goal } from './goals.ts';
import { benchGrow } from './grow.ts';
import { readCoreTicks } from './measure.ts';
import { benchFeed } from './nodes-feed.ts';
import { benchWorkers } from './nodes-workers.ts';
import { formatSpread, isMet, renderPerformance } from './performance-page.ts';
import { profilePaths } from './profile.ts';
import { type Results, readCommit, readMachine, writeResults } from './results.ts';
import type { Row } from './row.ts';

interface RunOptions {
  readonly quick: boolean;
  /** The chains of `ingest` to measure; both by default. */
  readonly only?: string | undefined;
}

interface Part {
  readonly run: (options: RunOptions) => Promise<readonly Row[]>;
  /** The duration on two cores, for the plan that is shown first. */
  readonly seconds: number;
  readonly quickSeconds: number;
}

const PARTS: Readonly<Record<string, Part>> = {
  serve: { run: benchServe, seconds: 340, quickSeconds: 40 },
  lists: { run: benchLists, seconds: 400, quickSeconds: 30 },
  mcp: { run: benchMcp, seconds: 60, quickSeconds: 15 },
  compat: { run: benchCompat, seconds: 130, quickSeconds: 40 },
  stream: { run: benchStream, seconds: 290, quickSeconds: 60 },
  access: { run: benchAccess, seconds: 100, quickSeconds: 15 },
  nodes: { run: runNodes, seconds: 900, quickSeconds: 80 },
  console: { run: benchConsole, seconds: 100, quickSeconds: 45 },
  start: { run: benchStart, seconds: 300, quickSeconds: 40 },
  ingest: { run: benchIngest, seconds: 1800, quickSeconds: 90 },
  history: { run: benchHistory, seconds: 120, quickSeconds: 60 },
  alerts: { run: benchAlerts, seconds: 240, quickSeconds: 60 },
  webhooks: { run: benchWebhooks, seconds: 400, quickSeconds: 120 },
  grow: { run: benchGrow, seconds: 960, quickSeconds: 45 },
  quote: { run: benchQuote, seconds: 100, quickSeconds: 15 },
  solana: { run: benchSolana, seconds: 30, quickSeconds: 15 },
  profile: { run: runProfile, seconds: 60, quickSeconds: 30 },
};

function printRow(row: Row): void {
  const goal: Goal = GOALS[row.goal];
  const ratio = row.ratio === null ? '' : ` ratio ${row.ratio.toFixed(2)}`;
  const aim =
    goal.ratioMin === null ? '' : ` (goal ${goal.ratioMin}: ${isMet(row) ? 'met' : 'MISSED'})`;
  const peer = row.peer === '' ? '' : ` against ${row.peer}`;
  console.log(
    `${goal.part}: ${goal.name}\n  ${row.ours}${peer}${ratio} ${formatSpread(row)}${aim}`,
  );
  if (row.note !== '') console.log(`  ${row.note}`);
}

function formatDuration(seconds: number): string {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}

function writePages(fresh: Partial<Results>): void {
  for (const [path, text] of Object.entries(renderPerformance(writeResults(fresh)))) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Runs one part and stores its rows at once, so that a later failure loses nothing. */
async function runPart(name: string, part: Part, options: RunOptions): Promise<readonly Row[]> {
  const { quick, only } = options;
  const [loadBefore = 0] = loadavg();
  const startedMs = performance.now();
  const before = readCoreTicks();
  const rows = await part.run(options);
  const after = readCoreTicks();
  const seconds = (performance.now() - startedMs) / 1000;
  for (const row of rows) printRow(row);
  const stolenShare = (after.stolen - before.stolen) / (after.all - before.all);
  console.log(`${(stolenShare * 100).toFixed(1)} % of the cores' time went to other machines`);
  // Some rows of a part would replace all of them.
  if (only !== undefined) return rows;
  const measured = { measuredAt: new Date().toISOString(), commit: readCommit(), quick };
  const fresh = { ...measured, seconds, loadBefore, stolenShare, machine: readMachine(), rows };
  writePages({ parts: { [name]: fresh } });
  return rows;
}

async function runNodes(options: { readonly quick: boolean }): Promise<readonly Row[]> {
  return [
    ...(await benchNodes(options)),
    ...(await benchWorkers(options)),
    ...(await benchFeed(options)),
  ];
}

/** Not a comparison, so it has no rows: the largest costs of each hot path. */
async function runProfile({ quick }: { readonly quick: boolean }): Promise<readonly Row[]> {
  const measured = { measuredAt: new Date().toISOString(), commit: readCommit() };
  const profiles = Object.entries(await profilePaths({ quick })).map(([path, costs]) => {
    console.log(`profile: ${path}`);
    for (const { name, share } of costs) console.log(`  ${(share * 100).toFixed(0)} % ${name}`);
    return [path, { ...measured, costs }];
  });
  writePages({ profiles: Object.fromEntries(profiles) });
  return [];
}

const PROFILE = 'profile';
const names = Object.keys(PARTS).join(', ');
const FORM = {
  name: 'npm run bench',
  help: `usage: npm run bench -- [part …] [--quick] [--check] [--only …]

Measures ourselves against peers, as ratios: all parts but profile unless some are named. The parts
are ${names}.
--quick takes fewer and shorter turns; --check ends with exit code 1 where a goal is missed.
--only ${INGEST_CHAINS.join('|')} measures that much of ingest, and prints it without keeping it.
`,
  flags: { quick: { type: 'boolean' }, check: { type: 'boolean' }, only: { type: 'string' } },
  takesAnyArgs: true,
} as const;

const command = readCommand(process.argv.slice(2), FORM);
if (command === null) process.exit();
const { quick = false, check = false, only } = command.values;
const chosen = command.args;
const unknown = chosen.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  refuseCommand(FORM, `no part ${unknown.join(', ')}; known: ${names}`);
  process.exit();
}
const isOnly = INGEST_CHAINS.some((one) => one === only) && chosen.join() === 'ingest';
if (only !== undefined && !isOnly) {
  refuseCommand(FORM, `--only takes ${INGEST_CHAINS.join(' or ')}, with the part ingest alone`);
  process.exit();
}
// A profile compares nothing, so it runs only on request.
const isChosen = (name: string) => (chosen.length === 0 ? name !== PROFILE : chosen.includes(name));
const plan = Object.entries(PARTS).filter(([name]) => isChosen(name));
const pickSeconds = (part: Part) => (quick ? part.quickSeconds : part.seconds);
const total = plan.reduce((sum, [, part]) => sum + pickSeconds(part), 0);
console.error(
  `${plan.map(([name]) => name).join(', ')}: about ${formatDuration(total)}, and longer where a peer is installed first`,
);
const missed: Row[] = [];
for (const [index, [name, part]] of plan.entries()) {
  console.error(
    `\n[${index + 1}/${plan.length}] ${name}, about ${formatDuration(pickSeconds(part))}`,
  );
  const rows = await (name === PROFILE
    ? part.run({ quick })
    : runPart(name, part, { quick, only }));
  missed.push(...rows.filter((row) => !isMet(row)));
}
if (only === undefined)
  console.error('\nwritten: bench/results/latest.json, docs/performance.md and its plots');
for (const row of missed) console.log(`MISSED ${GOALS[row.goal].part}: ${GOALS[row.goal].name}`);
if (check && missed.length > 0) process.exitCode = 1;
