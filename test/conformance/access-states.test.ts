// Keys, challenges and sessions compared with models, on two nodes that share a store.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isLiveSession } from '../../src/access/sessions.ts';
import type { SessionIdentity } from '../../src/contract/identity.ts';
import type { Store } from '../../src/store/store.ts';
import { fc } from '../fast-check.ts';
import { createEvmWallet, createSolanaWallet, type TestWallet } from '../wallets.ts';
import { keyCommands } from './access-key-states.ts';
import { AccessNodes } from './access-nodes.ts';
import { sessionCommands } from './access-session-states.ts';
import {
  type CreatePlace,
  createPostgresPlace,
  createSqlitePlace,
  type StorePlace,
} from './store-place.ts';

/** Returns the new session's token. */
async function createSession(nodes: AccessNodes, wallet: TestWallet): Promise<string> {
  const { createChallenge, verifyChallenge } = nodes.at(0).handlers;
  const { address, chain } = wallet;
  const context = nodes.buildContext({ kind: 'anonymous', key: 'x' });
  const { challengeId, message } = (await createChallenge({ address, chain }, context)) as {
    challengeId: string;
    message: string;
  };
  const signature = await wallet.sign(message);
  const input = { challengeId, signature, transport: 'token' as const };
  const { token } = (await verifyChallenge(input, context)) as { token: string };
  return token;
}

async function signIn(nodes: AccessNodes, wallet: TestWallet): Promise<SessionIdentity> {
  const identity = await nodes.use(0, { bearer: await createSession(nodes, wallet) });
  assert.ok(typeof identity !== 'string' && identity.kind === 'session');
  return identity;
}

function itCountsLateUses(getStore: () => Store): void {
  const assertUsed = async (nodes: AccessNodes, node: number, token: string) => {
    const used = await nodes.use(node, { bearer: token });
    assert.ok(typeof used !== 'string' && used.kind === 'session', `refused by node ${node}`);
  };

  it('a use just before the idle end counts', async () => {
    const nodes = new AccessNodes(getStore());
    const token = await createSession(nodes, createEvmWallet());
    for (const ms of [86_399_999, 1, 1000]) {
      await nodes.advance(ms);
      await assertUsed(nodes, 1, token);
    }
  });

  it('a use just before the idle end counts on another node that remembers the session', async () => {
    const nodes = new AccessNodes(getStore());
    const token = await createSession(nodes, createEvmWallet());
    nodes.clock.advance(86_399_999);
    // Rejected, since the transport is wrong, but looked up.
    await nodes.use(1, { cookie: token });
    await assertUsed(nodes, 0, token);
    nodes.clock.advance(1);
    await assertUsed(nodes, 1, token);
    nodes.clock.advance(86_400_000);
    assert.equal(await nodes.use(0, { bearer: token }), 'INVALID_SESSION');
    assert.equal(await nodes.use(1, { bearer: token }), 'INVALID_SESSION');
  });

  it('a use just before the idle end counts on the nodes that watch the session', async () => {
    const nodes = new AccessNodes(getStore());
    const token = await createSession(nodes, createEvmWallet());
    const identity = await nodes.use(1, { bearer: token });
    assert.ok(typeof identity !== 'string');
    await nodes.settle();
    let hasEnded = false;
    nodes.at(1).watch.watch(identity, () => {
      hasEnded = true;
    });
    nodes.clock.advance(86_399_999);
    await assertUsed(nodes, 0, token);
    nodes.clock.advance(1);
    const poll = () => nodes.at(1).watch.poll(isLiveSession);
    await poll();
    assert.equal(hasEnded, false);
    nodes.clock.advance(86_400_000);
    await poll();
    assert.equal(hasEnded, true);
  });
}

function describeStates(name: string, createPlace: CreatePlace, numRuns: number): void {
  describe(name, () => {
    let place: StorePlace;
    let store: Store;
    before(async () => {
      place = await createPlace();
      store = await place.open();
    });
    after(async () => {
      await store.close();
      await place.remove();
    });

    it('keys follow their model', async () => {
      await fc.assert(
        fc.asyncProperty(keyCommands, async (commands) => {
          const nodes = new AccessNodes(store);
          // New wallets each time: the store is the same, and so are its limits per wallet.
          const wallets = [
            await signIn(nodes, createEvmWallet()),
            await signIn(nodes, createSolanaWallet()),
          ];
          await fc.asyncModelRun(
            () => ({
              model: { nowMs: nodes.clock.nowMs(), keys: [] },
              real: { nodes, wallets, keys: [] },
            }),
            commands,
          );
        }),
        { numRuns },
      );
    });

    itCountsLateUses(() => store);

    it('challenges and sessions follow their model', async () => {
      await fc.assert(
        fc.asyncProperty(sessionCommands, async (commands) => {
          await store.access.sweep(Number.MAX_SAFE_INTEGER);
          const nodes = new AccessNodes(store);
          const wallets = [createEvmWallet(), createSolanaWallet('base64')];
          await fc.asyncModelRun(
            () => ({
              model: { nowMs: nodes.clock.nowMs(), challenges: [], sessions: [] },
              real: { nodes, wallets, challenges: [], sessions: [] },
            }),
            commands,
          );
        }),
        { numRuns },
      );
    });
  });
}

describeStates('states on SQLite', createSqlitePlace, 40);
describeStates('states on PostgreSQL', createPostgresPlace, 15);
