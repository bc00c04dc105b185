// The budget and the row limits of each tier: those of the levels of access, and those that an
// operator gives to wallets.

import type { FileTier } from '../config/read-tiers-file.ts';
import type { Config } from '../config.ts';
import type { Identity, Level } from '../contract/identity.ts';
import {
  COSTS,
  EVALUATIONS_PER_UNIT,
  LOOKUP_COST,
  type Operation,
  type OutputOf,
  ROWS_INCLUDED,
  ROWS_PER_UNIT,
  TOKENS_PER_UNIT,
} from '../contract/operation.ts';
import type { getEntitlements } from '../contract/operations/get-entitlements.ts';
import type { Budget } from '../lib/limiter.ts';
import type { ChainSlug } from '../model/chain.ts';

// Whose sessions may read the state of the whole service.

/** Ids of EVM wallets are compared in lower case, as `OPERATOR_WALLETS` has them. */
export function isOperator(identity: Identity, wallets: readonly string[]): boolean {
  if (identity.kind !== 'session') return false;
  const { id } = identity.wallet;
  return wallets.includes(id.startsWith('eip155:') ? id.toLowerCase() : id);
}

interface Depth {
  readonly streams: number;
  readonly trades: number;
  readonly holders: number;
  readonly klines: number;
  /** Tokens of a request for prices. */
  readonly prices: number;
  /** Tokens of a stream. */
  readonly streamTokens: number;
  /** Alerts of a wallet. */
  readonly alerts: number;
  /** Webhooks of a wallet; each has as many tokens as a stream. */
  readonly webhooks: number;
  /** Tokens a minute that are looked up on their chain; 0 for none. */
  readonly lookups: number;
}

export interface Tier {
  readonly name: string;
  readonly budget: Budget;
  readonly depth: Depth;
}

/** A tier for each level of access, and those of the operator by their names. */
export interface Tiers extends Readonly<Record<Level, Tier>> {
  readonly assignable: ReadonlyMap<string, Tier>;
}

/** `assigned` is the wallet's own tier; one that the file no longer has counts as none. */
export function pickTier(tiers: Tiers, level: Level, assigned: string | null): Tier {
  return (assigned === null ? undefined : tiers.assignable.get(assigned)) ?? tiers[level];
}

export function findTier(tiers: Tiers, identity: Identity): Tier {
  if (identity.kind === 'anonymous') return tiers.anonymous;
  return pickTier(tiers, identity.kind, identity.tier);
}

const PUBLIC_DEPTH: Omit<Depth, 'lookups'> = {
  ...{ streams: 4, trades: 300, holders: 100, klines: 1000, prices: 30, streamTokens: 10 },
  alerts: 0,
  webhooks: 0,
};
const WALLET_DEPTH: Omit<Depth, 'lookups'> = {
  ...{ streams: 50, trades: 500, holders: 1000, klines: 5000, prices: 100, streamTokens: 100 },
  alerts: 100,
  webhooks: 20,
};

function buildFileTier({ name, perMinute, burst, ...rows }: FileTier, key: Tier): Tier {
  const { budget, depth } = key;
  const rate = perMinute ?? budget.perMinute;
  // As large a part of a minute's budget as every key may spend at once.
  const share = Math.ceil((rate * budget.burst) / budget.perMinute);
  const given = Object.entries(rows).filter(([, value]) => value !== null);
  return {
    name,
    budget: { policy: name, perMinute: rate, burst: burst ?? Math.max(budget.burst, share) },
    depth: { ...depth, ...Object.fromEntries(given) },
  };
}

export function buildTiers(limits: Config['limits'], file: readonly FileTier[]): Tiers {
  const key: Tier = {
    name: 'key',
    budget: { policy: 'key', perMinute: limits.keyPerMinute, burst: limits.keyBurst },
    depth: { ...WALLET_DEPTH, lookups: limits.keyLookups },
  };
  return {
    assignable: new Map(file.map((one) => [one.name, buildFileTier(one, key)])),
    key,
    anonymous: {
      name: 'anonymous',
      budget: {
        policy: 'anonymous',
        perMinute: limits.anonymousPerMinute,
        burst: limits.anonymousBurst,
      },
      depth: { ...PUBLIC_DEPTH, lookups: limits.anonymousLookups },
    },
    session: {
      name: 'session',
      budget: { policy: 'session', perMinute: limits.sessionPerMinute, burst: limits.sessionBurst },
      depth: { ...WALLET_DEPTH, lookups: limits.sessionLookups },
    },
  };
}

/** By the names of the tiers that wallets can be given. */
export function listTierBudgets({ assignable }: Tiers): ReadonlyMap<string, Budget> {
  return new Map(Array.from(assignable, ([name, { budget }]) => [name, budget]));
}

/** The budget that all traffic from one address shares, at any level. */
export function buildIpBudget(limits: Config['limits']): Budget {
  return { policy: 'ip', perMinute: limits.ipPerMinute, burst: limits.ipBurst };
}

// The limits of the caller: the content of /entitlements.

/** The cost of each kind of request, and what a lookup costs on top. */
export function listCosts(operations: readonly Operation[]): Record<string, number> {
  const kinds = new Set(operations.map((operation) => operation.cost));
  kinds.delete('free');
  const costs = Object.fromEntries([...kinds].map((kind) => [kind, COSTS[kind]]));
  return { ...costs, lookup: LOOKUP_COST };
}

export function buildEntitlements(
  level: Level,
  tier: Tier,
  options: { readonly costs: Record<string, number>; readonly chains: ChainSlug[] },
): OutputOf<typeof getEntitlements> {
  return {
    level,
    tier: tier.name,
    budget: {
      perMinute: tier.budget.perMinute,
      burst: tier.budget.burst,
      costs: options.costs,
      evaluationsPerUnit: EVALUATIONS_PER_UNIT,
      rowsIncluded: ROWS_INCLUDED,
      rowsPerUnit: ROWS_PER_UNIT,
      tokensPerUnit: TOKENS_PER_UNIT,
    },
    limits: tier.depth,
    chains: options.chains,
  };
}
