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
const OUTAGES = {
  ethereum: [outage(6, 18_000), outage(15, 10 * MINUTE_MS), outage(40, 360 * MINUTE_MS)],
  base: [outage(6, 18_000), outage(15, 10 * MINUTE_MS), outage(40, 360 * MINUTE_MS)],
  solana: [outage(4, 18_000), outage(8, 10 * MINUTE_MS), outage(25, 360 * MINUTE_MS)],
} as const;
/** What is left of a plan after the last outage. */
const MINUTES_AFTER = { ethereum: 180, base: 30, solana: 300 } as const;
/** Endpoints that take little more than Base needs: they read six hours in up to three. */
const SLOW_ON_BASE: readonly string[] = ['paid-small', 'free-rate'];

interface Row extends Pick<WorldPlan, 'scope'> {
  readonly chain: keyof typeof MINUTES_AFTER;
  readonly profile: Profile;
}

function listRows(): Row[] {
  return PROFILES.flatMap((profile) =>
    SCOPE_NAMES.flatMap((scope): Row[] => {
      if (profile.family === 'solana') return [{ profile, scope, chain: 'solana' }];
      return [
        { profile, scope, chain: 'ethereum' },
        { profile, scope, chain: 'base' },
      ];
    }),
  );
}

function planRow({ profile, scope, chain }: Row): WorldPlan {
  const outages = OUTAGES[chain];
  const lastMs = outages.at(-1)?.toMs ?? 0;
  const isSlow = chain === 'base' && SLOW_ON_BASE.includes(profile.name);
  const hours = (lastMs / MINUTE_MS + (isSlow ? 240 : MINUTES_AFTER[chain])) / 60;
  return { seed: SEED, chain, scope, profiles: [profile], hours, outages };
}

function formatMs(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return 'never';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / MINUTE_MS)} min`;
}

function formatNeed({ neededPerSecond, readyMs }: WorldReport): string {
  if (neededPerSecond !== null)
    return `${neededPerSecond.toFixed(neededPerSecond < 10 ? 1 : 0)} calls/s`;
  return readyMs === null ? 'not told' : 'enough';
}

function nameRow({ profile, scope, chain }: Row): string {
  return `| ${profile.name} | ${chain} | ${scope} |`;
}

function formatRow(row: Row, report: WorldReport): string {
  const { readyMs, lagMs, perBlock, recoveredMs, quotable, faults } = report;
  const isInCredits = row.profile.rate?.callCost !== undefined;
  const credits = perBlock === null || !isInCredits ? '–' : perBlock.credits.toFixed(0);
  const cells = [
    formatMs(readyMs),
    lagMs === null ? '–' : `${formatMs(lagMs.p50)} / ${formatMs(lagMs.p99)}`,
    formatNeed(report),
    ...[perBlock === null ? '–' : perBlock.calls.toFixed(1), credits],
    recoveredMs.map(formatMs).join(' / '),
    `${Math.round(quotable * 100)} %`,
    faults.length === 0 ? 'yes' : `no: ${faults.length}`,
  ];
  return `${nameRow(row)} ${cells.join(' | ')} |`;
}

const HEAD = [
  '| Endpoint | Chain | Scope | Ready | Lag p50 / p99 | Rate that would do | Calls a block | Credits a block | Back after 18 s / 10 min / 6 h | Quotes | Verified, named, adopted |',
  '|---|---|---|---|---|---|---|---|---|---|---|',
];

/** Puts one line in place of the row that is there; the order is that of the rows. */
function writeLine(row: Row, line: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error('docs/operating.md has no place for the table');
  const there = page.slice(start, end).split('\n');
  const lines = listRows().flatMap((one) => {
    if (nameRow(one) === nameRow(row)) return [line];
    return there.filter((old) => old.startsWith(nameRow(one)));
  });
  const before = page.slice(0, start + BEGIN.length);
  writeFileSync(PAGE, `${before}\n${[...HEAD, ...lines].join('\n')}\n${page.slice(end)}`);
}

/** Runs the worlds whose row begins with the text, and writes each row into the page. */
export async function writeTable(named: string): Promise<void> {
  const rows = listRows().filter((row) => nameRow(row).replaceAll('| ', '').startsWith(named));
  for (const row of rows) {
    const report = await runWorld(planRow(row));
    const line = formatRow(row, report);
    console.log(line, report.faults.slice(0, 3));
    writeLine(row, line);
  }
}
