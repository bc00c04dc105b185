// How real endpoints behave, as figures: round ones, for tests. What providers offer changes.

export interface Profile {
  readonly name: string;
  readonly family: 'evm' | 'solana';
  readonly latency: { readonly p50Ms: number; readonly p99Ms: number };
  /** Blocks of Solana are large. */
  readonly blockLatencyMs?: { readonly from: number; readonly to: number };
  /** Null: as many as wanted. Each call of a batch counts. */
  readonly rate: {
    readonly perSecond: number;
    /** What a call costs of it; 1 by default. */
    readonly callCost?: number;
    /** Calls of one method that have a rate of their own. */
    readonly methods?: Readonly<Record<string, number>>;
    /** What is above the rate gets. */
    readonly refusal: Refusal;
  } | null;
  /** Null: any number of calls in a request. */
  readonly batchCallsMax: number | null;
  readonly logs?: {
    readonly blocksMax?: number;
    readonly logsMax?: number;
    readonly needsAddress?: boolean;
  };
  /** Methods that it does not offer. */
  readonly missing?: readonly string[];
  /** Machines behind one URL: how far each may be behind, and how many are on another fork. */
  readonly backends?: readonly { readonly lagBlocksMax: number; readonly isOnSide?: boolean }[];
  readonly failures?: { readonly oneIn: number; readonly kinds: readonly FailureKind[] };
  /** After so many credits it answers nothing until the next day. */
  readonly creditsPerDay?: number;
}

export type Refusal =
  /** The calls above the rate get an error each; the others are answered. */
  | { readonly kind: 'items' }
  /** HTTP 429 for the whole batch. */
  | { readonly kind: 'batch'; readonly retryAfterS: number | null; readonly isHtml?: boolean }
  /** The connection ends, or an error comes with status 200. */
  | { readonly kind: 'rude' };

export type FailureKind =
  /** HTTP 502, 503 or 504. */
  | 'gateway'
  /** An error of the node, in one of the wordings of `FAILURE_TEXTS`. */
  | 'error'
  /** The connection ends, before or within the reply. */
  | 'cut'
  | 'hang'
  /** Half of a block's logs, another chain's id, no block: it looks right, and can be found out. */
  | 'wrong';

/** Values in one place of a filter that nodes of the family of geth accept. */
export const FILTER_VALUES_MAX = 1000;

export const PROFILES: readonly Profile[] = [
  {
    ...{ name: 'own-near', family: 'evm', rate: null, batchCallsMax: 1000 },
    latency: { p50Ms: 1, p99Ms: 10 },
  },
  {
    ...{ name: 'own-far', family: 'evm', rate: null, batchCallsMax: 100 },
    latency: { p50Ms: 40, p99Ms: 150 },
    logs: { logsMax: 10_000 },
  },
  {
    ...{ name: 'paid-large', family: 'evm', batchCallsMax: 100 },
    latency: { p50Ms: 60, p99Ms: 400 },
    rate: { perSecond: 300, refusal: { kind: 'items' } },
    logs: { blocksMax: 10_000, logsMax: 10_000 },
    backends: [{ lagBlocksMax: 0 }, { lagBlocksMax: 3 }],
  },
  {
    ...{ name: 'paid-small', family: 'evm', batchCallsMax: 50 },
    latency: { p50Ms: 100, p99Ms: 800 },
    rate: { perSecond: 50, refusal: { kind: 'batch', retryAfterS: 1 } },
    logs: { blocksMax: 2000 },
    failures: { oneIn: 500, kinds: ['gateway'] },
  },
  {
    ...{ name: 'free-credits', family: 'evm', batchCallsMax: 20 },
    latency: { p50Ms: 120, p99Ms: 1500 },
    rate: { perSecond: 500, callCost: 80, refusal: { kind: 'batch', retryAfterS: null } },
    logs: { logsMax: 10_000 },
    creditsPerDay: 20_000_000,
  },
  {
    ...{ name: 'free-rate', family: 'evm', batchCallsMax: 3 },
    latency: { p50Ms: 120, p99Ms: 1500 },
    rate: { perSecond: 15, refusal: { kind: 'batch', retryAfterS: null, isHtml: true } },
    logs: { blocksMax: 5 },
    missing: ['eth_getBlockReceipts'],
  },
  {
    ...{ name: 'public', family: 'evm', batchCallsMax: null },
    latency: { p50Ms: 200, p99Ms: 3000 },
    rate: { perSecond: 10, refusal: { kind: 'rude' } },
    logs: { needsAddress: true },
    failures: { oneIn: 30, kinds: ['gateway', 'error', 'cut', 'hang', 'wrong'] },
    backends: [
      ...[{ lagBlocksMax: 0 }, { lagBlocksMax: 0, isOnSide: true }],
      ...[{ lagBlocksMax: 1 }, { lagBlocksMax: 1, isOnSide: true }],
    ],
  },
  {
    ...{ name: 'solana-paid', family: 'solana', batchCallsMax: null },
    latency: { p50Ms: 100, p99Ms: 600 },
    blockLatencyMs: { from: 300, to: 900 },
    rate: {
      ...{ perSecond: 50, methods: { getBlock: 10 } },
      refusal: { kind: 'batch', retryAfterS: null },
    },
  },
  {
    ...{ name: 'solana-far', family: 'solana', batchCallsMax: null },
    latency: { p50Ms: 180, p99Ms: 1200 },
    rate: { perSecond: 15, refusal: { kind: 'batch', retryAfterS: 10 } },
  },
];

export function findProfile(name: string): Profile {
  const found = PROFILES.find((profile) => profile.name === name);
  if (found !== undefined) return found;
  const names = PROFILES.map((profile) => profile.name).join(', ');
  throw new Error(`there is no profile ${name}; there are ${names}`);
}
