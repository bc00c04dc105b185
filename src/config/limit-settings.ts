// The budgets of callers, by how they identify themselves.

import { integer, optionalSetting, redisUrl, type Setting, setting } from './setting.ts';

/** The cost of the most expensive request: a smaller burst could never pay for it. */
export const BURST_MIN = 10;

/** Lookups a minute; none at all if it is 0. */
function lookupLimit(name: string, about: { why: string; fallback: string }): Setting<number> {
  return setting(name, integer({ min: 0, max: 1_000_000 }), {
    ...about,
    group: 'Limits',
    example: about.fallback,
  });
}

function limit(name: string, about: { why: string; fallback: string }): Setting<number> {
  const min = name.endsWith('_BURST') ? BURST_MIN : 1;
  return setting(name, integer({ min, max: 1_000_000_000 }), {
    ...about,
    group: 'Limits',
    example: about.fallback,
  });
}

export const LIMIT_SETTINGS = {
  anonymousPerMinute: limit('LIMIT_ANONYMOUS_PER_MINUTE', {
    why: 'The budget per minute of a caller without credentials, counted per IPv4 address or IPv6 /64.',
    fallback: '120',
  }),
  anonymousBurst: limit('LIMIT_ANONYMOUS_BURST', {
    why: 'The burst of that budget: how much may be spent at once.',
    fallback: '60',
  }),
  keyPerMinute: limit('LIMIT_KEY_PER_MINUTE', {
    why: 'The budget per minute shared by all API keys of a wallet.',
    fallback: '1200',
  }),
  keyBurst: limit('LIMIT_KEY_BURST', {
    why: 'The burst of that budget: how much may be spent at once.',
    fallback: '300',
  }),
  sessionPerMinute: limit('LIMIT_SESSION_PER_MINUTE', {
    why: 'The budget per minute shared by all sessions of a wallet.',
    fallback: '600',
  }),
  sessionBurst: limit('LIMIT_SESSION_BURST', {
    why: 'The burst of that budget: how much may be spent at once.',
    fallback: '150',
  }),
  ipPerMinute: limit('LIMIT_IP_PER_MINUTE', {
    why: 'The budget per minute of everything that comes from one address, with any credentials.',
    fallback: '3000',
  }),
  ipBurst: limit('LIMIT_IP_BURST', {
    why: 'The burst of that budget: how much may be spent at once.',
    fallback: '600',
  }),
  anonymousLookups: lookupLimit('LIMIT_ANONYMOUS_LOOKUPS', {
    why: 'How many tokens a minute are looked up on their chain for a caller without credentials; half of them at once, 0 for none. `LOOKUPS_PER_MINUTE` bounds those of all callers.',
    fallback: '12',
  }),
  keyLookups: lookupLimit('LIMIT_KEY_LOOKUPS', {
    why: 'The same for all API keys of a wallet. A tier of `TIERS_FILE` may have its own (`lookups`).',
    fallback: '120',
  }),
  sessionLookups: lookupLimit('LIMIT_SESSION_LOOKUPS', {
    why: 'The same for all sessions of a wallet.',
    fallback: '60',
  }),
  addressConnections: limit('LIMIT_ADDRESS_CONNECTIONS', {
    why: 'How many connections one address may have open to a process; more are closed with 503 `OVERLOADED`. In all, a process has twice `STREAMS_MAX`, and fewer than the limit of open files allows; when they are taken, the address with the most loses its oldest. Trusted proxies are not counted: they bound their own clients.',
    fallback: '1000',
  }),
  redisUrl: optionalSetting('REDIS_URL', redisUrl, {
    group: 'Limits',
    why: 'A Redis or Valkey server through which processes on one `DATABASE_URL` share budgets and stream caps. While it is down, each takes its share of them. Unset, each process counts on its own.',
    example: 'redis://:secret@redis.internal:6379/0',
    secret: true,
  }),
  limiterIdentitiesMax: limit('LIMIT_IDENTITIES_MAX', {
    why: 'How many callers a limiter keeps in memory; the limit holds when very many addresses call.',
    fallback: '100000',
  }),
  overloadRequestsMax: limit('OVERLOAD_REQUESTS_MAX', {
    why: 'Above this many requests in work, new ones get 503 `OVERLOADED`. A request is in work from the arrival of its body until its answer is sent off. As many bodies may be on their way, a tenth of them from one address; when they are too many, the address with the most loses its oldest.',
    fallback: '1000',
  }),
  overloadLagMs: limit('OVERLOAD_LAG_MS', {
    why: 'Above this event-loop delay in milliseconds, new requests get 503 `OVERLOADED`.',
    fallback: '500',
  }),
} as const;
