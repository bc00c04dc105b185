// How many tokens a caller may have looked up on their chains, by its tier. What a lookup costs of
// the caller's budget is charged besides.

import type { Identity } from '../../contract/identity.ts';
import type { ClientCaller, LookupDesk, TokenRequest } from '../../contract/look-up-token.ts';
import { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { Limiter, type LimiterOptions, type RequestLimiter } from '../../lib/limiter.ts';
import type { Tier } from '../tiers.ts';

export interface LookupLimitsOptions {
  readonly tierOf: (identity: Identity) => Pick<Tier, 'name' | 'depth'>;
  readonly identitiesMax: number;
  /** Limits that several processes share; by default those of this one. */
  readonly createLimiter?: ((options: LimiterOptions) => RequestLimiter) | undefined;
  readonly clock: Clock;
}

export class LookupLimits implements LookupDesk {
  readonly #desk: LookupDesk;
  readonly #options: LookupLimitsOptions;
  /** By the names of tiers. */
  readonly #limiters = new Map<string, RequestLimiter>();

  constructor(desk: LookupDesk, options: LookupLimitsOptions) {
    this.#desk = desk;
    this.#options = options;
  }

  find(request: TokenRequest, caller: ClientCaller): ReturnType<LookupDesk['find']> {
    const { key } = caller.identity;
    let limiter: RequestLimiter | null = null;
    const giveBack = () => {
      limiter?.giveBack(key, 1);
      limiter = null;
    };
    return this.#desk.find(request, {
      ...caller,
      charge: () => {
        limiter = this.#take(request, caller);
        try {
          return caller.charge();
        } catch (error) {
          giveBack();
          throw error;
        }
      },
      refund: (cost) => {
        giveBack();
        caller.refund(cost);
      },
    });
  }

  noteKnown(...known: Parameters<LookupDesk['noteKnown']>): void {
    this.#desk.noteKnown(...known);
  }

  #take({ chain }: TokenRequest, caller: ClientCaller): RequestLimiter {
    const tier = this.#options.tierOf(caller.identity);
    if (tier.depth.lookups === 0) {
      throw new AppError('LOOKUPS_NOT_INCLUDED', { tier: tier.name, chain });
    }
    const limiter = this.#findLimiter(tier);
    const { allowed, resetMs } = limiter.takeNow(caller.identity.key, 1);
    if (allowed) return limiter;
    const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1000));
    const { policy } = limiter.budget;
    throw new AppError('RATE_LIMITED', { policy, retryAfterSeconds }, { retryAfterSeconds });
  }

  #findLimiter({ name, depth }: Pick<Tier, 'name' | 'depth'>): RequestLimiter {
    const known = this.#limiters.get(name);
    if (known !== undefined) return known;
    const { clock, identitiesMax, createLimiter } = this.#options;
    const perMinute = depth.lookups;
    const budget = { policy: `${name}-lookups`, perMinute, burst: Math.ceil(perMinute / 2) };
    const of = { budget, clock, identitiesMax };
    const limiter = createLimiter?.(of) ?? new Limiter(of);
    this.#limiters.set(name, limiter);
    return limiter;
  }
}
