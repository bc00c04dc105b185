// Conformance: challenges stay within limits and sign in once; sessions start, extend and end.

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { AccessStore } from '../../src/store/access-store.ts';
import { walletId } from '../test-ids.ts';
import { buildChallenge, buildSession, NOW_MS } from './access-samples.ts';
import { type CreatePlace, useStore } from './store-place.ts';

const BOUNDS = { perCallerMax: 3, perAddressMax: 5, totalMax: 8 };
const MANY = { perCallerMax: 1000, perAddressMax: 1000, totalMax: 1000 };
const SESSIONS = { sessionsMax: 50 };

export function describeSignIn(createPlace: CreatePlace): void {
  describe('sign-in', () => {
    const scene = useStore(createPlace);
    beforeEach(async () => {
      for (const table of ['access_challenges', 'access_sessions', 'access_wallets']) {
        await scene.place.run(`DELETE FROM ${table}`);
      }
    });
    itBoundsChallenges(() => scene.store.access);
    itSignsInOnce(() => scene.store.access);
    itKeepsSessions(() => scene.store.access);
  });
}

function itBoundsChallenges(get: () => AccessStore): void {
  it('reads a challenge as it was written, until it expires', async () => {
    const challenge = buildChallenge();
    assert.deepEqual(await get().openChallenge(challenge, BOUNDS), { outcome: 'opened' });
    assert.deepEqual(await get().readChallenge(challenge.id, NOW_MS), challenge);
    const { expiresAtMs } = challenge;
    assert.deepEqual(await get().readChallenge(challenge.id, expiresAtMs - 1), challenge);
    assert.equal(await get().readChallenge(challenge.id, expiresAtMs), null);
    assert.equal(await get().readChallenge('ch_other', NOW_MS), null);
  });

  it('rejects beyond each limit, says when there is room, and does not affect others', async () => {
    const open = (fields: object) => get().openChallenge(buildChallenge(fields), BOUNDS);
    const first = buildChallenge({
      callerMark: 'a',
      address: '0x1',
      expiresAtMs: NOW_MS + 100_000,
    });
    assert.equal((await get().openChallenge(first, BOUNDS)).outcome, 'opened');
    for (const address of ['0x2', '0x3']) await open({ callerMark: 'a', address });
    const full = { outcome: 'full', freeAtMs: NOW_MS + 100_000 };
    assert.deepEqual(await open({ callerMark: 'a', address: '0x4' }), full);
    for (const callerMark of ['b', 'c', 'd', 'e']) {
      assert.equal((await open({ callerMark, address: '0x1' })).outcome, 'opened');
    }
    assert.deepEqual(await open({ callerMark: 'f', address: '0x1' }), full, 'of one address');
    assert.equal((await open({ callerMark: 'g', address: '0x5' })).outcome, 'opened');
    assert.deepEqual(await open({ callerMark: 'h', address: '0x6' }), full, 'in all');
    assert.deepEqual(await get().readChallenge(first.id, NOW_MS), first);
    const later = { createdAtMs: NOW_MS + 100_000, expiresAtMs: NOW_MS + 400_000 };
    assert.equal((await open({ callerMark: 'a', address: '0x1', ...later })).outcome, 'opened');
  });

  it('keeps the limits under concurrent requests', async () => {
    const openings = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        get().openChallenge(
          buildChallenge({ callerMark: `c${n % 20}`, address: `0x${n}` }),
          BOUNDS,
        ),
      ),
    );
    assert.equal(openings.filter(({ outcome }) => outcome === 'opened').length, BOUNDS.totalMax);
  });
}

function itSignsInOnce(get: () => AccessStore): void {
  it('lets one of a hundred sign-ins with one challenge succeed', async () => {
    const { id } = buildChallenge();
    await get().openChallenge(buildChallenge({ id }), MANY);
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => get().signIn(id, buildSession(), SESSIONS)),
    );
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'signedIn').length, 1);
    assert.equal((await get().readSessions(walletId('eip155:0xA'))).length, 1);
    assert.equal(await get().readChallenge(id, NOW_MS), null);
  });

  it('does not sign in with an expired challenge', async () => {
    const challenge = buildChallenge();
    await get().openChallenge(challenge, MANY);
    const late = buildSession({ createdAtMs: challenge.expiresAtMs });
    const outcome = await get().signIn(challenge.id, late, SESSIONS);
    assert.deepEqual(outcome, { outcome: 'challengeGone' });
    assert.equal(await get().findSession(late.tokenHash), null);
  });

  it('invalidates a challenge after the allowed failures and not before', async () => {
    const challenge = buildChallenge();
    await get().openChallenge(challenge, MANY);
    for (let i = 0; i < 2; i += 1) await get().failChallenge(challenge.id, 3);
    assert.deepEqual(await get().readChallenge(challenge.id, NOW_MS), challenge);
    await get().failChallenge(challenge.id, 3);
    assert.equal(await get().readChallenge(challenge.id, NOW_MS), null);
    await get().failChallenge(challenge.id, 3);
  });

  it('ends the sessions used longest ago where a wallet has too many, and only its own', async () => {
    const begin = async (fields: object) => {
      const [challenge, session] = [buildChallenge(), buildSession(fields)];
      await get().openChallenge(challenge, MANY);
      return { session, result: await get().signIn(challenge.id, session, { sessionsMax: 3 }) };
    };
    const wallet = { id: 'eip155:0xB', address: '0xB' };
    const other = await begin({ wallet });
    const first = await begin({ lastUsedAtMs: NOW_MS + 50 });
    const second = await begin({ lastUsedAtMs: NOW_MS + 10 });
    await begin({ lastUsedAtMs: NOW_MS + 20 });
    const { result } = await begin({ lastUsedAtMs: NOW_MS });
    assert.deepEqual(result, { outcome: 'signedIn', endedIds: [second.session.id] });
    assert.equal(await get().findSession(second.session.tokenHash), null);
    assert.ok(await get().findSession(first.session.tokenHash));
    assert.ok(await get().findSession(other.session.tokenHash));
  });
}

function itKeepsSessions(get: () => AccessStore): void {
  async function begin(fields: object = {}) {
    const [challenge, session] = [buildChallenge(), buildSession(fields)];
    await get().openChallenge(challenge, MANY);
    await get().signIn(challenge.id, session, SESSIONS);
    return session;
  }

  it('finds a session by its token and by its id, as it was written', async () => {
    const session = await begin({ transport: 'cookie', chain: 'solana' });
    assert.deepEqual(await get().findSession(session.tokenHash), session);
    assert.equal(await get().findSession('other'), null);
    const another = await begin();
    const found = await get().readSessionsById([session.id, 'se_none', another.id]);
    assert.deepEqual(found.map((one) => one.id).sort(), [session.id, another.id].sort());
    assert.deepEqual(await get().readSessionsById([]), []);
  });

  it('moves the last use forward and never back', async () => {
    const { id, tokenHash } = await begin();
    await get().touchSessions([{ id, lastUsedAtMs: NOW_MS + 5 }]);
    await get().touchSessions([{ id, lastUsedAtMs: NOW_MS + 1 }]);
    await get().touchSessions([{ id: 'se_none', lastUsedAtMs: NOW_MS + 9 }]);
    assert.equal((await get().findSession(tokenHash))?.lastUsedAtMs, NOW_MS + 5);
  });

  it('ends the sessions of the wallet that asks and of no other', async () => {
    const mine = await begin();
    const wallet = { id: 'eip155:0xB', address: '0xB' };
    const theirs = await begin({ wallet });
    const ids = [mine.id, theirs.id, 'se_none'];
    assert.deepEqual(await get().endSessions(walletId('eip155:0xA'), ids), [mine.id]);
    assert.deepEqual(await get().endSessions(walletId('eip155:0xA'), ids), []);
    assert.ok(await get().findSession(theirs.tokenHash));
  });

  it('lists sessions newest first, and finds wallets by id and by address', async () => {
    const older = await begin({ createdAtMs: NOW_MS - 5 });
    const newer = await begin({ createdAtMs: NOW_MS + 5 });
    const ids = (await get().readSessions(walletId('eip155:0xA'))).map((session) => session.id);
    assert.deepEqual(ids, [newer.id, older.id]);
    await begin({ wallet: { id: 'eip155:8453:0xA', address: '0xA' } });
    const both = ['eip155:0xA', 'eip155:8453:0xA'];
    assert.deepEqual((await get().findWallets('0xA')).map((one) => one.id).sort(), both.sort());
    assert.deepEqual(await get().findWallets('eip155:0xA'), [{ id: 'eip155:0xA', address: '0xA' }]);
    assert.deepEqual(await get().findWallets('0xZ'), []);
  });

  it('deletes expired rows and keeps the rest', async () => {
    const [old, young] = [buildChallenge(), buildChallenge({ expiresAtMs: NOW_MS + 900_000 })];
    await get().openChallenge(old, MANY);
    await get().openChallenge(young, MANY);
    const session = await begin({ expiresAtMs: NOW_MS + 1000 });
    const kept = await begin();
    await get().sweep(NOW_MS + 600_000);
    assert.equal(await get().readChallenge(old.id, NOW_MS), null);
    assert.ok(await get().readChallenge(young.id, NOW_MS));
    assert.equal(await get().findSession(session.tokenHash), null);
    assert.ok(await get().findSession(kept.tokenHash));
  });
}
