// Lookups of unknown tokens, within the limits of their callers' tiers.

import { LookupLimits, type LookupLimitsOptions } from '../access/limits/lookup-limits.ts';
import { findTier, type Tiers } from '../access/tiers.ts';
import type { Config } from '../config.ts';
import type { LookupDesk } from '../contract/look-up-token.ts';
import type { Clock } from '../lib/clock.ts';
import type { FollowedChains } from './start-chains.ts';

interface OpenLookupsOptions {
  readonly config: Config;
  readonly chains: Pick<FollowedChains, 'tokens'>;
  readonly access: { readonly tiers: Tiers };
  readonly createLimiter: LookupLimitsOptions['createLimiter'];
  readonly clock: Clock;
}

/** Undefined if nothing is looked up. */
export function openLookups(options: OpenLookupsOptions): LookupDesk | undefined {
  const { config, chains, access, createLimiter, clock } = options;
  if (!chains.tokens.isOn) return undefined;
  return new LookupLimits(chains.tokens, {
    tierOf: (identity) => findTier(access.tiers, identity),
    identitiesMax: config.limits.limiterIdentitiesMax,
    ...{ createLimiter, clock },
  });
}
