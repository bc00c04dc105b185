// The table of `docs/operating.md`: what an operator may expect of each kind of endpoint, in each
// scope, measured in worlds with a fixed seed.

import { readFileSync, writeFileSync } from 'node:fs';
import { PROFILES, type Profile } from './profiles.ts';
import type { Outage } from './provider.ts';
import { runWorld, SCOPE_NAMES, type WorldPlan, type WorldReport } from './run-world.ts';

const PAGE = new URL('../../docs/operating.md', import.meta.url);
const [BEGIN, END] = ['<!-- world table: npm run world -- --table -->', '<!-- end of table -->'];
const MINUTE_MS = 60_000;
const SEED = 39;

function outage(fromMinute: number, ms: number): Outage {
  return { kind: 'close', fromMs: fromMinute * MINUTE_MS, toMs: fromMinute * MINUTE_MS + ms };
}

/** Outages of 18 seconds, 10 minutes and 6 hours, each with time to come back. */
const OUTAGES = [outage(6, 18_000), outage(12, 10 * MINUTE_MS), outage(32, 360 * MINUTE_MS)];
const HOURS = (32 + 360 + 40) / 60;

export function planRow(profile: Profile, scope: WorldPlan['scope']): WorldPlan {
  const chain = profile.family === 'solana' ? 'solana' : 'rollup';
  return { seed: SEED, chain, scope, profiles: [profile], hours: HOURS, outages: OUTAGES };
}

function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return 'never';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / MINUTE_MS)} min`;
}

export function formatRow(profile: Profile, scope: string, report: WorldReport): string {
  const { readyMs, lagMs, perBlock, recoveredMs, quotable, faults, neededPerSecond } = report;
  const isInCredits = profile.rate?.callCost !== undefined;
  const credits = perBlock === null || !isInCredits ? '–' : perBlock.credits.toFixed(0);
  const cells = [
    ...[profile.name, scope, formatMs(readyMs)],
    lagMs === null ? '–' : `${formatMs(lagMs.p50)} / ${formatMs(lagMs.p99)}`,
    neededPerSecond === null ? 'enough' : `${Math.round(neededPerSecond)} calls/s`,
    ...[perBlock === null ? '–' : perBlock.calls.toFixed(1), credits],
    recoveredMs.map(formatMs).join(' / '),
    `${Math.round(quotable * 100)} %`,
    faults.length === 0 ? 'yes' : `no: ${faults.length}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Runs all worlds and writes the table into the page. */
export async function writeTable(): Promise<void> {
  const lines = [
    '| Endpoint | Scope | Ready | Lag p50 / p99 | Rate that would do | Calls a block | Credits a block | Back after 18 s / 10 min / 6 h | Quotes | Verified, named, adopted |',
    '|---|---|---|---|---|---|---|---|---|---|',
  ];
  for (const profile of PROFILES) {
    for (const scope of SCOPE_NAMES) {
      const report = await runWorld(planRow(profile, scope));
      const row = formatRow(profile, scope, report);
      console.log(row, report.faults.slice(0, 3));
      lines.push(row);
    }
  }
  const page = readFileSync(PAGE, 'utf8');
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error('docs/operating.md has no place for the table');
  const before = page.slice(0, start + BEGIN.length);
  writeFileSync(PAGE, `${before}\n${lines.join('\n')}\n${page.slice(end)}`);
}
