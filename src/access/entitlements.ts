// The limits of the caller: the content of /entitlements.

import type { Level } from '../contract/identity.ts';
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
import type { ChainSlug } from '../model/chain.ts';
import type { Tier } from './tiers.ts';

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
