// What has been indexed of a token.

import { findBaseInterval } from '../candles/interval.ts';
import type { BackfillRecord } from '../model/backfill.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type {
  ArchivedRange,
  Checkpoint,
  KeptFrom,
  KlineInterval,
  TokenRecord,
} from '../model/market-record.ts';
import type { ScopeName } from '../model/scope.ts';
import type { AnswerReader } from './read-at.ts';

interface Coverage {
  readonly scope: CoverageScope;
  readonly tradesFrom: number | null;
  readonly klinesFrom: number | null;
  readonly holdersComplete: boolean;
  readonly backfill: BackfillCoverage | null;
  readonly history: HistoryCoverage | null;
}

/** Where blocks of the past came from in place of nodes, and what is known of them. */
interface HistoryCoverage {
  readonly source: string;
  readonly provedBy: 'receipts' | 'rows';
  readonly from: number;
  readonly to: number;
}

/** How far history from before the index has been filled in. */
interface BackfillCoverage {
  readonly status: BackfillRecord['status'];
  readonly from: number | null;
  readonly to: number | null;
  readonly pct: number;
}

/** Why a token is indexed; `partial` if only some of its pools are, for other tokens' sake. */
type CoverageScope = ScopeName | 'partial';

/** Since when a token is indexed. */
export interface TokenStart {
  readonly scope: CoverageScope;
  readonly fromBlock: number;
  /** The time; null if it is unknown, or the token is not in scope. */
  readonly fromMs: number | null;
}

const NOT_IN_SCOPE: TokenStart = {
  scope: 'partial',
  fromBlock: Number.MAX_SAFE_INTEGER,
  fromMs: null,
};

/** Whether every holder is known: the balances add up to the contract's total supply. */
export function isHoldersComplete(token: TokenRecord): boolean {
  return (
    !token.balancesBroken &&
    token.supplyRaw !== null &&
    token.supplyBalanceSumRaw === token.supplyRaw &&
    token.balanceSumRaw === token.supplyRaw
  );
}

/**
 * The time after which all balances of a token were known at each of its trades; the balances must
 * be complete now.
 */
function findBalancesStart(
  token: TokenRecord,
  start: TokenStart,
  jobs: readonly BackfillRecord[],
): number {
  if (start.scope === 'partial') return Number.POSITIVE_INFINITY;
  if (start.scope === 'all' && start.fromBlock <= 1) return Number.NEGATIVE_INFINITY;
  // A job from before the token left the scope and returned says nothing.
  const job = jobs.find((one) => one.token === token.token && one.kind === 'holders');
  const isCurrent = job !== undefined && job.toBlock >= start.fromBlock;
  if (isCurrent && job.joinBlock !== null) return job.nextMs ?? Number.POSITIVE_INFINITY;
  const isFromBirth = token.firstSeenBlock >= start.fromBlock;
  return isFromBirth ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** For tokens: the time after which positions that began have a known cost. */
export async function readBalanceStarts(
  reader: AnswerReader,
  at: { readonly chain: ChainSlug; readonly checkpoint: Checkpoint },
  tokens: readonly TokenRecord[],
): Promise<(token: TokenRecord) => number> {
  const { chain, checkpoint } = at;
  const complete = tokens.filter(isHoldersComplete).map(({ token }) => token);
  const findStart = await readTokenStarts(reader, at, complete);
  const jobs = await readBackfills(reader, chain, { tokens: complete, checkpoint });
  return (token) =>
    isHoldersComplete(token)
      ? findBalancesStart(token, findStart(token.token), jobs)
      : Number.POSITIVE_INFINITY;
}

/** The chain time at which indexing began; if it was not recorded, the time of the first trade. */
export async function readChainStart(
  reader: AnswerReader,
  chain: ChainSlug,
  checkpoint: Checkpoint,
): Promise<TokenStart> {
  const fromMs =
    checkpoint.startAtMs ?? (await reader.readFirstTradeTime(chain, checkpoint.startBlock));
  return { scope: 'all', fromBlock: checkpoint.startBlock, fromMs };
}

/** Since when tokens are indexed: with the chain, or from when they came into scope. */
export async function readTokenStarts(
  reader: AnswerReader,
  at: { readonly chain: ChainSlug; readonly checkpoint: Checkpoint },
  tokens: readonly Address[],
): Promise<(token: Address) => TokenStart> {
  const { chain, checkpoint } = at;
  const { scope } = checkpoint;
  if (scope === undefined) {
    const start = await readChainStart(reader, chain, checkpoint);
    return () => start;
  }
  const entries = await reader.readScopeEntries(chain, tokens);
  const starts = new Map(entries.map((entry) => [entry.token, { ...entry, scope }]));
  return (token) => starts.get(token) ?? NOT_IN_SCOPE;
}

/** The same for one token. */
export async function readTokenStart(
  reader: AnswerReader,
  at: { readonly chain: ChainSlug; readonly checkpoint: Checkpoint },
  token: Address,
): Promise<TokenStart> {
  return (await readTokenStarts(reader, at, [token]))(token);
}

/** How much of the chain's time up to now is indexed; before block 0 there is none. */
export function computeCovered(
  start: Omit<TokenStart, 'scope'> & { readonly scope?: CoverageScope },
  nowMs: number,
  jobs: readonly BackfillRecord[] = [],
): number {
  if (start.fromBlock <= 1) return Number.POSITIVE_INFINITY;
  if (start.scope === 'partial') return 0;
  const fromMs = findTradesStart(start.fromMs, jobs);
  return fromMs === null ? 0 : nowMs - fromMs;
}

/** From when on klines of an interval are kept; 0 if all are. */
export function toKlinesKeptFrom(interval: KlineInterval, kept: KeptFrom): number {
  const base = findBaseInterval(interval);
  if (base === null) return kept.tradesFromMs ?? 0;
  return base === '1d' ? 0 : (kept.candlesFromMs ?? 0);
}

function toLater(startMs: number | null, keptFromMs: number): number | null {
  return keptFromMs > (startMs ?? 0) ? keptFromMs : startMs;
}

/** Whether a token has a past from before it was indexed. */
export function mayHaveHistory({ scope, fromBlock }: TokenStart): boolean {
  return scope !== 'partial' && fromBlock > 1;
}

/** The jobs of tokens; an index of the whole chain has none. */
export async function readBackfills(
  reader: AnswerReader,
  chain: ChainSlug,
  of: { readonly tokens: readonly Address[]; readonly checkpoint: Checkpoint },
): Promise<readonly BackfillRecord[]> {
  const { scope, startBlock } = of.checkpoint;
  if (scope === undefined && startBlock <= 1) return [];
  return await reader.readBackfills(chain, of.tokens);
}

/** The time from which on a token's trades are known: where the index began, or a backfill is. */
export function findTradesStart(
  startMs: number | null,
  jobs: readonly BackfillRecord[],
): number | null {
  const reachedMs = jobs.find(({ kind }) => kind === 'trades')?.nextMs ?? null;
  return reachedMs === null ? startMs : Math.min(reachedMs, startMs ?? reachedMs);
}

/** Per cent of the blocks that were read; 100 only when the job is done. */
function computePct(job: BackfillRecord): number {
  const { status, kind, fromBlock, toBlock, nextBlock } = job;
  if (status === 'done') return 100;
  if (fromBlock === null || fromBlock >= toBlock) return 0;
  const read = kind === 'trades' ? toBlock - nextBlock : nextBlock - fromBlock;
  return Math.min(99.9, Math.floor((read * 1000) / (toBlock - fromBlock)) / 10);
}

const STATUSES = ['running', 'queued', 'failed', 'done'] as const;

/** Both jobs of a token as one: its status is that of the one that is least far. */
function buildBackfill(jobs: readonly BackfillRecord[]): BackfillCoverage | null {
  if (jobs.length === 0) return null;
  const has = (status: BackfillRecord['status']) => jobs.some((job) => job.status === status);
  const isBegun = has('queued') && has('done');
  const status = isBegun ? 'running' : (STATUSES.find(has) ?? 'done');
  const froms = jobs.flatMap(({ fromMs }) => fromMs ?? []);
  const pct = jobs.reduce((sum, job) => sum + computePct(job), 0) / jobs.length;
  return {
    status,
    from: froms.length === 0 ? null : Math.min(...froms),
    to: jobs[0]?.toMs ?? null,
    pct: Math.floor(pct * 10) / 10,
  };
}

const NO_HISTORY = { backfill: null, history: null };

/** Null if no block since the token is indexed came from an archive. */
function buildHistory(
  archived: ArchivedRange | undefined,
  startMs: number | null,
): HistoryCoverage | null {
  if (archived === undefined || archived.toMs < (startMs ?? 0)) return null;
  const { sources, isProved, fromMs, toMs } = archived;
  const provedBy = isProved ? 'receipts' : 'rows';
  return { source: sources.join(', '), provedBy, from: fromMs, to: toMs };
}

/** `klinesFrom` depends on the interval, because fine candles are deleted earlier. */
export async function readCoverage(
  reader: AnswerReader,
  chain: ChainSlug,
  of: {
    readonly token: TokenRecord;
    readonly checkpoint: Checkpoint;
    readonly start?: TokenStart;
    readonly interval?: KlineInterval;
  },
): Promise<Coverage> {
  const { token, checkpoint, interval = '1m' } = of;
  const start = of.start ?? (await readTokenStart(reader, { chain, checkpoint }, token.token));
  const jobs = await readBackfills(reader, chain, { tokens: [token.token], checkpoint });
  return buildCoverage(token, start, { kept: checkpoint, jobs, interval });
}

/** `klinesFrom` depends on the interval, because fine candles are deleted earlier. */
export function buildCoverage(
  token: TokenRecord,
  { scope, fromMs }: TokenStart,
  of: {
    readonly kept: KeptFrom & Pick<Checkpoint, 'archived'>;
    readonly jobs: readonly BackfillRecord[];
    readonly interval: KlineInterval;
  },
): Coverage {
  if (scope === 'partial') {
    return { scope, tradesFrom: null, klinesFrom: null, holdersComplete: false, ...NO_HISTORY };
  }
  const backfill = buildBackfill(of.jobs);
  const startMs = findTradesStart(fromMs, of.jobs);
  return {
    scope,
    tradesFrom: toLater(startMs, of.kept.tradesFromMs ?? 0),
    klinesFrom: toLater(startMs, toKlinesKeptFrom(of.interval, of.kept)),
    holdersComplete: isHoldersComplete(token),
    backfill,
    history: buildHistory(of.kept.archived, startMs),
  };
}
