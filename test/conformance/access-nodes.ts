// Two nodes on one store, used without HTTP, on a manual clock.

import type { Access } from '../../src/access/create-access.ts';
import type { HandlerContext } from '../../src/contract/handler.ts';
import type { Identity } from '../../src/contract/identity.ts';
import { AppError } from '../../src/errors/app-error.ts';
import type { Store } from '../../src/store/store.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { createTestAccess, createTestPeppers, PLENTY_ENV } from '../start-access.ts';
import { OWN_PAGE } from '../start-http-server.ts';

export interface Credentials {
  readonly bearer?: string;
  readonly cookie?: string;
}

/** A node writes uses to the store every nine seconds. */
const BETWEEN_FLUSHES_MS = 1000;

export class AccessNodes {
  readonly clock = new ManualClock();
  readonly nodes: readonly Access[];

  constructor(store: Store) {
    const options = { peppers: createTestPeppers(), env: PLENTY_ENV };
    this.nodes = [0, 1].map(() => createTestAccess(store, this.clock, options));
  }

  at(node: number): Access {
    return this.nodes[node % this.nodes.length]!;
  }

  /** Uses a credential like a request; returns the code if it is rejected. */
  async use(node: number, credentials: Credentials): Promise<Identity | string> {
    const access = this.at(node);
    try {
      const identity = await access.identify({
        authorization:
          credentials.bearer === undefined ? undefined : `Bearer ${credentials.bearer}`,
        sessionCookie: credentials.cookie,
        addressGroup: '203.0.113.1',
      });
      await access.countUse(identity);
      return identity;
    } catch (error) {
      return readCode(error);
    }
  }

  buildContext(identity: Identity): HandlerContext {
    return {
      identity,
      requestId: 'test',
      addressGroup: '203.0.113.1',
      origin: OWN_PAGE,
      idempotencyKey: null,
    };
  }

  /** Lets time pass. Background work of the nodes runs first, unless the time is short. */
  async advance(ms: number): Promise<void> {
    if (ms > BETWEEN_FLUSHES_MS) await this.settle();
    this.clock.advance(ms);
  }

  async settle(): Promise<void> {
    for (const node of this.nodes) await node.stop();
  }
}

export function readCode(error: unknown): string {
  if (error instanceof AppError) return error.code;
  throw error;
}
