// The budget and the row limits of each tier.

import type { Config } from '../config.ts';
import type { Level } from '../contract/identity.ts';
import type { Budget } from './limiter.ts';

interface Depth {
  readonly streams: number;
  readonly trades: number;
  readonly holders: number;
  readonly klines: number;
}

export interface Tier {
  readonly level: Level;
  readonly budget: Budget;
  readonly depth: Depth;
}

/** A tier for each level of access; `tiers[context.identity.kind]` is the caller's. */
export type Tiers = Readonly<Record<Level, Tier>>;

const PUBLIC_DEPTH: Depth = { streams: 4, trades: 100, holders: 100, klines: 1000 };
const WALLET_DEPTH: Depth = { streams: 50, trades: 500, holders: 1000, klines: 5000 };

export function buildTiers(limits: Config['limits']): Tiers {
  return {
    anonymous: {
      level: 'anonymous',
      budget: {
        policy: 'anonymous',
        perMinute: limits.anonymousPerMinute,
        burst: limits.anonymousBurst,
      },
      depth: PUBLIC_DEPTH,
    },
    key: {
      level: 'key',
      budget: { policy: 'key', perMinute: limits.keyPerMinute, burst: limits.keyBurst },
      depth: WALLET_DEPTH,
    },
    session: {
      level: 'session',
      budget: { policy: 'session', perMinute: limits.sessionPerMinute, burst: limits.sessionBurst },
      depth: WALLET_DEPTH,
    },
  };
}

/** The budget that all traffic from one address shares, at any level. */
export function buildIpBudget(limits: Config['limits']): Budget {
  return { policy: 'ip', perMinute: limits.ipPerMinute, burst: limits.ipBurst };
}
