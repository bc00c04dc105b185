// Access behind the real HTTP layer on its own store, with a manual clock.

import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { VerifyContractSignature } from '../src/access/contract-signatures.ts';
import { type Access, createAccess } from '../src/access/create-access.ts';
import { Peppers } from '../src/access/peppers.ts';
import { listTierBudgets } from '../src/access/tiers.ts';
import { loadConfig } from '../src/config.ts';
import type { AnyHandler } from '../src/contract/handler.ts';
import { operations } from '../src/contract/operations.ts';
import { findFamily } from '../src/engines/chain-families.ts';
import type { Clock } from '../src/lib/clock.ts';
import type { Store } from '../src/store/store.ts';
import { type AccessClient, createAccessClient } from './access-client.ts';
import { createSqlitePlace } from './conformance/store-place.ts';
import { ManualClock } from './fakes/manual-clock.ts';
import { OWN_PAGE, startTestServer, type TestServer } from './start-http-server.ts';

export interface AccessServer extends AccessClient {
  readonly server: TestServer;
  readonly access: Access;
  readonly store: Store;
  readonly clock: ManualClock;
}

export interface AccessServerOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly verifyContractSignature?: VerifyContractSignature;
  /** Separate ones, unless several servers share a store. */
  readonly peppers?: Peppers;
}

export function createTestPeppers(): Peppers {
  return new Peppers([{ version: 1, secret: randomBytes(32) }]);
}

export const PLENTY_ENV: Readonly<Record<string, string>> = Object.fromEntries(
  ['ANONYMOUS', 'KEY', 'SESSION', 'IP'].flatMap((level) => [
    [`LIMIT_${level}_PER_MINUTE`, '1000000'],
    [`LIMIT_${level}_BURST`, '1000000'],
  ]),
);

/** Contracts accept nothing unless a test says otherwise. */
const NO_CONTRACTS: VerifyContractSignature = async () => false;

export function createTestAccess(
  store: Store,
  clock: Clock,
  options: AccessServerOptions = {},
): Access {
  const config = loadConfig({ ...PLENTY_ENV, PUBLIC_ORIGIN: OWN_PAGE, ...options.env });
  return createAccess({
    config,
    store: store.access,
    peppers: options.peppers ?? createTestPeppers(),
    operations,
    listChains: () => [],
    findFamily,
    verifyContractSignature: options.verifyContractSignature ?? NO_CONTRACTS,
    clock,
    log: { warn: () => undefined },
  });
}

export async function startAccess(
  t: TestContext,
  options: AccessServerOptions = {},
): Promise<AccessServer> {
  const place = await createSqlitePlace();
  const store = await place.open();
  const clock = new ManualClock();
  const access = createTestAccess(store, clock, options);
  const names = new Set(Object.keys(access.handlers));
  const { anonymous, key, session } = access.tiers;
  const server = await startTestServer(t, {
    operations: operations.filter((operation) => names.has(operation.id)),
    handlers: access.handlers as unknown as Readonly<Record<string, AnyHandler>>,
    limits: {
      ipBudget: { policy: 'ip', perMinute: 1_000_000, burst: 1_000_000 },
      budgets: { anonymous: anonymous.budget, key: key.budget, session: session.budget },
      tierBudgets: listTierBudgets(access.tiers),
      identitiesMax: 1000,
    },
    access,
    isAllowedOrigin: (origin) => access.origins.isAllowed(origin),
    isSecure: access.origins.isSecure,
    // A clock that jumps looks like a blocked event loop.
    overload: { requestsMax: 10_000, lagMaxMs: Number.MAX_SAFE_INTEGER },
    clock,
  });
  t.after(async () => {
    await access.stop();
    await store.close();
    await place.remove();
  });
  return { ...createAccessClient(server.origin), server, access, store, clock };
}
