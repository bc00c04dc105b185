// Repeats the alerts of a stored index in a rebuilt one, and compares what fired.

import type { AlertRecord, AlertState } from '../../model/alert.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { NewsRecord } from '../../model/news.ts';
import type { AlertReads } from '../../store/alert-store.ts';
import type { StreamReads } from '../../store/stream-reads.ts';
import type { ChainIndex } from '../follow/chain-index.ts';
import type { VerifyReport } from './verify-report.ts';

type Firing = Extract<NewsRecord, { kind: 'alert' }>;

/** What happens to an alert after a block. */
interface AlertChange {
  readonly block: number;
  repeat(): Promise<void>;
}

/** The alerts that the rebuilt index has begun, and after which block. */
export type BegunAlerts = Map<string, { readonly fromBlock: number; readonly isEnded: boolean }>;

/** Those up to a block that were not repeated yet; null if a rollback took an earlier one back. */
export async function listAlertChanges(
  { index, begun }: { readonly index: ChainIndex; readonly begun: BegunAlerts },
  stored: AlertReads,
  { chain, toBlock }: { readonly chain: ChainSlug; readonly toBlock: number },
): Promise<AlertChange[] | null> {
  const records = new Map<string, AlertRecord>();
  for await (const page of stored.scanAlerts(chain)) {
    for (const record of page) records.set(record.id, record);
  }
  const changes: AlertChange[] = [];
  for await (const states of stored.scanAlertStates(chain)) {
    for (const state of states) {
      const record = records.get(state.alert);
      if (record === undefined || state.block > toBlock) continue;
      const known = begun.get(state.alert);
      if (known !== undefined && known.fromBlock !== state.fromBlock) return null;
      if (state.block === state.fromBlock && known === undefined) {
        changes.push({ block: state.block, repeat: () => begin({ index, begun }, record, state) });
      }
      const { endedBlock: block } = state;
      if (block === null || known?.isEnded === true) continue;
      changes.push({ block, repeat: async () => end({ index, begun }, state) });
    }
  }
  return changes;
}

async function begin(
  { index, begun }: { readonly index: ChainIndex; readonly begun: BegunAlerts },
  record: AlertRecord,
  state: AlertState,
): Promise<void> {
  const { endedBlock, ...start } = state;
  index.resumeAlerts([{ record, state: { ...start, endedBlock: null } }]);
  begun.set(record.id, { fromBlock: state.fromBlock, isEnded: false });
}

function end(
  { index, begun }: { readonly index: ChainIndex; readonly begun: BegunAlerts },
  { alert, fromBlock }: AlertState,
): void {
  index.endAlerts([alert]);
  begun.set(alert, { fromBlock, isEnded: true });
}

const PAGE_SIZE = 1000;

/** With the time of the first news that the store still has. */
async function readFirings(reader: StreamReads, chain: ChainSlug) {
  const firings: Firing[] = [];
  let sinceMs: number | null = null;
  let after = { version: 0, index: -1 };
  for (;;) {
    const page = await reader.readNewsAfter(chain, { after, limit: PAGE_SIZE });
    sinceMs ??= page[0]?.timestampMs ?? null;
    for (const one of page) if (one.kind === 'alert') firings.push(one);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIZE) return { firings, sinceMs };
    after = last;
  }
}

function toKey({ alert, block, firing }: Firing): string {
  const { trade, pool, token } = firing;
  // A swap between two tokens is a trade of each.
  const by = trade === null ? (pool ?? 'block') : `${trade.txHash}:${trade.index} of ${token}`;
  return `firing of alert ${alert} in block ${block} by ${by}`;
}

function toComparable({ firing, timestampMs }: Firing): object {
  const { owner, figure, bound, pool } = firing;
  return { owner, figure, bound, pool, timestampMs };
}

/** Old firings are forgotten with other news, so only what may still be stored must be. */
export async function compareFirings(
  { stored, expected }: { readonly stored: StreamReads; readonly expected: StreamReads },
  { chain, toBlock }: { readonly chain: ChainSlug; readonly toBlock: number },
  report: VerifyReport,
): Promise<void> {
  const epoch = await stored.readEpoch(chain);
  const { firings, sinceMs } = await readFirings(stored, chain);
  const isWhole = epoch?.newsForgottenVersion === 0;
  const rebuilt = (await readFirings(expected, chain)).firings;
  const byKey = new Map(rebuilt.map((one) => [toKey(one), one]));
  for (const one of firings) {
    if (one.block > toBlock) continue;
    const key = toKey(one);
    const other = byKey.get(key);
    byKey.delete(key);
    const found = other === undefined ? null : toComparable(other);
    report.compare(key, { stored: toComparable(one), expected: found });
    report.count('firing of an alert');
  }
  for (const [key, one] of byKey) {
    const isKept = isWhole || (sinceMs !== null && one.timestampMs > sinceMs);
    if (isKept && one.block <= toBlock) report.compare(key, { stored: null, expected: {} });
  }
}
