// The limits of the caller: the content of /entitlements.

import {
  COSTS,
  EVALUATIONS_PER_UNIT,
  type Operation,
  type OutputOf,
} from '../contract/operation.ts';
import type { getEntitlements } from '../contract/operations/get-entitlements.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Tier } from './tiers.ts';

/** The cost of each kind of request. */
export function listCosts(operations: readonly Operation[]): Record<string, number> {
  const kinds = new Set(operations.map((operation) => operation.cost));
  kinds.delete('free');
  return Object.fromEntries([...kinds].map((kind) => [kind, COSTS[kind]]));
}

export function buildEntitlements(
  tier: Tier,
  options: { readonly costs: Record<string, number>; readonly chains: ChainSlug[] },
): OutputOf<typeof getEntitlements> {
  return {
    level: tier.level,
    budget: {
      perMinute: tier.budget.perMinute,
      burst: tier.budget.burst,
      costs: options.costs,
      evaluationsPerUnit: EVALUATIONS_PER_UNIT,
    },
    limits: tier.depth,
    chains: options.chains,
  };
}
