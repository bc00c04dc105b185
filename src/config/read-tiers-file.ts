// Reads the file that `TIERS_FILE` names: tiers that an operator gives to wallets. Every problem is
// named with its path; docs/api/limits.md describes the format.

import { readFileSync } from 'node:fs';
import { findDuplicateKey } from '../lib/find-duplicate-key.ts';
import { JsonFields } from './json-fields.ts';
import { wholeNumber } from './parse-factory.ts';
import { BURST_MIN } from './server-settings.ts';

/** What a tier of the file says; what it leaves out is as for any key. */
export interface FileTier {
  readonly name: string;
  readonly perMinute: number | null;
  readonly burst: number | null;
  readonly streams: number | null;
  readonly trades: number | null;
  readonly holders: number | null;
  readonly klines: number | null;
  readonly prices: number | null;
  readonly streamTokens: number | null;
  readonly alerts: number | null;
  readonly webhooks: number | null;
  readonly lookups: number | null;
}

const NAME = /^[a-z][a-z0-9-]{0,31}$/;
/** Names of budgets that exist without the file. */
const TAKEN: ReadonlySet<string> = new Set(['anonymous', 'key', 'session', 'ip', 'key-share']);
/** Of the budgets of lookups, one for each tier. */
const TAKEN_END = '-lookups';

const BUDGET_MAX = 1_000_000_000;
/** Larger answers would not fit into a request's time. */
const ROWS_MAX = { trades: 5000, holders: 10_000, klines: 50_000, prices: 1000 };
const STREAMS_MAX = 1_000_000;
const STREAM_TOKENS_MAX = 1000;
const ALERTS_MAX = 100_000;
const WEBHOOKS_MAX = 10_000;
const LOOKUPS_MAX = 1_000_000;

function parseTier(name: string, value: unknown, problems: string[]): FileTier {
  const fields = new JsonFields(value, `tiers.${name}`, problems);
  if (!NAME.test(name)) fields.note(null, 'must have a name of a-z, 0-9 and -, at most 32');
  if (TAKEN.has(name) || name.endsWith(TAKEN_END)) {
    fields.note(null, 'has a name that is taken: choose another');
  }
  const read = (key: string, min: number, max: number) =>
    fields.readOr<number | null>(key, wholeNumber(min, max), null);
  const tier = {
    name,
    perMinute: read('perMinute', 1, BUDGET_MAX),
    burst: read('burst', BURST_MIN, BUDGET_MAX),
    streams: read('streams', 1, STREAMS_MAX),
    trades: read('trades', 1, ROWS_MAX.trades),
    holders: read('holders', 1, ROWS_MAX.holders),
    klines: read('klines', 1, ROWS_MAX.klines),
    prices: read('prices', 1, ROWS_MAX.prices),
    streamTokens: read('streamTokens', 1, STREAM_TOKENS_MAX),
    alerts: read('alerts', 0, ALERTS_MAX),
    webhooks: read('webhooks', 0, WEBHOOKS_MAX),
    lookups: read('lookups', 0, LOOKUPS_MAX),
  };
  fields.refuseOthers();
  return tier;
}

export function parseTiersFile(json: string, problems: string[]): readonly FileTier[] {
  let file: unknown;
  try {
    file = JSON.parse(json);
  } catch (error) {
    problems.push(`is not JSON: ${(error as Error).message}`);
    return [];
  }
  const repeated = findDuplicateKey(json);
  if (repeated !== null) problems.push(`${repeated} is there twice`);
  const fields = new JsonFields(file, '', problems);
  const tiers = fields.read('tiers', (value) => {
    const entries = new JsonFields(value, 'tiers', problems);
    const values = value as Readonly<Record<string, unknown>>;
    return entries.keys.map((name) => parseTier(name, values[name], problems));
  });
  fields.refuseOthers();
  return tiers ?? [];
}

/** Nothing after a problem, which is added to `problems`. */
export function readTiersFile(path: string, problems: string[]): readonly FileTier[] {
  let json: string;
  try {
    json = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    problems.push(`TIERS_FILE cannot be read: ${code} (it is "${path}")`);
    return [];
  }
  const found: string[] = [];
  const tiers = parseTiersFile(json, found);
  problems.push(...found.map((problem) => `TIERS_FILE ${path}: ${problem}`));
  return found.length > 0 ? [] : tiers;
}
