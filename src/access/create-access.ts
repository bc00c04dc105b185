// Composes access: authentication, limits and handlers.

import type { ChainFamily } from '../chains/family.ts';
import type { Config } from '../config.ts';
import type { Identity } from '../contract/identity.ts';
import type { Operation } from '../contract/operation.ts';
import type { Clock } from '../lib/clock.ts';
import type { ChainSlug } from '../model/chain.ts';
import { type AccessStore, SESSION_SOURCE } from '../store/access-store.ts';
import { type AccessHandlers, createAccessHandlers } from './access-handlers.ts';
import { ContractSignatures, type VerifyContractSignature } from './contract-signatures.ts';
import { CredentialWatch } from './credential-cache.ts';
import { createIdentify, type Identify } from './identify.ts';
import { Keys } from './keys.ts';
import { type AnsweredRequest, OperationUsage } from './operation-usage.ts';
import type { Peppers } from './peppers.ts';
import { SessionOrigins, Sessions } from './sessions.ts';
import { SignIn } from './sign-in.ts';
import { buildTiers, listCosts, type Tiers } from './tiers.ts';
import { UsageCounter } from './usage-counter.ts';

// Background work of access: stores uses, polls watched credentials, evicts expired entries.

/** Twice within the second in which a revocation in another process must take effect. */
const TICK_MS = 450;
/** A commit of the embedded store blocks the event loop for as long as the disk takes. */
const FLUSH_EVERY_TICKS = 20;
const SWEEP_EVERY_TICKS = 140;

interface UpkeepParts {
  readonly store: AccessStore;
  readonly usage: UsageCounter;
  readonly operationUsage: OperationUsage;
  readonly sessions: Sessions;
  readonly keys: Keys;
  readonly watch: CredentialWatch;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

class Upkeep {
  readonly #parts: UpkeepParts;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #ticks = 0;
  #failing = false;

  constructor(parts: UpkeepParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer ??= setTimeout(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Resolves when everything is stored. */
  async stop(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running;
    await this.#attempt(() => this.#flush());
  }

  #tick(): void {
    this.#ticks += 1;
    this.#running = this.#attempt(() => this.#work()).then(() => {
      if (this.#timer) this.#timer = setTimeout(() => this.#tick(), TICK_MS).unref();
    });
  }

  async #work(): Promise<void> {
    const { store, sessions, keys, watch, clock } = this.#parts;
    keys.purge();
    sessions.purge();
    if (this.#ticks % FLUSH_EVERY_TICKS === 0) await this.#flush();
    await watch.poll((session, nowMs) => sessions.isLive(session, nowMs));
    if (this.#ticks % SWEEP_EVERY_TICKS === 0) await store.sweep(clock.nowMs());
  }

  async #flush(): Promise<void> {
    const { usage, operationUsage, sessions } = this.#parts;
    await Promise.all([usage.flush(), operationUsage.flush(), sessions.flush()]);
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failing = false;
    } catch (error) {
      // Logged once per outage: it recovers by itself, and no counts are lost.
      if (!this.#failing)
        this.#parts.log.warn({ err: error }, 'the access store cannot be reached');
      this.#failing = true;
    }
  }
}

/** With the time of a lookup, this keeps a revocation in another process within one second. */
export const CREDENTIAL_LIFE_MS = 750;
const CACHE = { lifeMs: CREDENTIAL_LIFE_MS, sizeMax: 10_000 };

interface AccessOptions {
  readonly config: Pick<Config, 'access' | 'limits' | 'knownChains' | 'tiers'>;
  readonly store: AccessStore;
  readonly peppers: Peppers;
  readonly operations: readonly Operation[];
  readonly listChains: () => ChainSlug[];
  readonly findFamily: (chain: ChainSlug) => ChainFamily;
  readonly verifyContractSignature: VerifyContractSignature;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

export interface Access {
  readonly identify: Identify;
  /** The promise, if any, resolves when other nodes can see the use. */
  readonly countUse: (identity: Identity) => Promise<void> | undefined;
  /** Called when the answer to a caller is sent. */
  readonly countAnswer: (identity: Identity, answered: AnsweredRequest) => void;
  readonly handlers: AccessHandlers;
  readonly origins: SessionOrigins;
  readonly tiers: Tiers;
  /** For streams: calls back when the credential that opened one stops working. */
  readonly watch: CredentialWatch;
  start(): void;
  stop(): Promise<void>;
}

export function createAccess(options: AccessOptions): Access {
  const { config, store, peppers, clock, log, findFamily } = options;
  const { limits, knownChains } = config;
  const origins = new SessionOrigins({
    publicOrigin: config.access.publicOrigin,
    allowed: config.access.sessionOrigins,
  });
  const watch = new CredentialWatch({ store, clock });
  const usage = new UsageCounter({ store, clock });
  const operationUsage = new OperationUsage({ store, clock });
  const credentials = { store, peppers, clock, watch, cache: CACHE };
  const sessions = new Sessions(credentials);
  const keys = new Keys(credentials);
  const contracts = new ContractSignatures({
    verify: options.verifyContractSignature,
    clock,
    identitiesMax: limits.limiterIdentitiesMax,
  });
  const signIn = new SignIn({
    ...{ peppers, sessions, knownChains, findFamily, contracts, origins, clock },
  });
  const tiers = buildTiers(limits, config.tiers);
  const upkeep = new Upkeep({ store, usage, operationUsage, sessions, keys, watch, clock, log });
  return {
    identify: createIdentify({
      key: (token) => keys.authenticate(token),
      session: (token, transport) => sessions.authenticate(token, transport),
    }),
    countUse: (identity) => {
      if (identity.kind === 'key') usage.count(identity.walletId, identity.keyId);
      if (identity.kind !== 'session') return undefined;
      usage.count(identity.wallet.id, SESSION_SOURCE);
      return sessions.touch(identity);
    },
    countAnswer: (identity, answered) => operationUsage.count(identity, answered),
    handlers: createAccessHandlers({
      ...{ store, peppers, signIn, sessions, keys, usage, operationUsage, tiers, clock },
      costs: listCosts(options.operations),
      listChains: options.listChains,
      operatorWallets: config.access.operatorWallets,
    }),
    origins,
    tiers,
    watch,
    start: () => upkeep.start(),
    stop: () => upkeep.stop(),
  };
}
