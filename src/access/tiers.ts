// What each level of access may spend and how deep its reads go.

import type { Config } from '../config.ts';
import type { Budget } from './limiter.ts';

export interface Depth {
  readonly streams: number;
  readonly trades: number;
  readonly holders: number;
  readonly klines: number;
}

export interface Tier {
  readonly level: 'anonymous';
  readonly budget: Budget;
  readonly depth: Depth;
}

export function toAnonymousTier(limits: Config['limits']): Tier {
  return {
    level: 'anonymous',
    budget: {
      policy: 'anonymous',
      perMinute: limits.anonymousPerMinute,
      burst: limits.anonymousBurst,
    },
    depth: { streams: 4, trades: 100, holders: 100, klines: 1000 },
  };
}

/** The ceiling that all traffic of one address shares, whatever its level. */
export function toIpBudget(limits: Config['limits']): Budget {
  return { policy: 'ip', perMinute: limits.ipPerMinute, burst: limits.ipBurst };
}
