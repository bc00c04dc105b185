// Conformance: challenges sign in once; sessions start, extend and end.

import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { AccessStore } from '../../src/store/access-store.ts';
import { walletId } from '../test-ids.ts';
import { buildChallenge, buildKey, buildSession, NOW_MS } from './access-samples.ts';
import { type CreatePlace, useStore } from './store-place.ts';

const SESSIONS = { sessionsMax: 50 };
const HOUR_MS = 3_600_000;

export function describeSignIn(createPlace: CreatePlace): void {
  describe('sign-in', () => {
    const scene = useStore(createPlace);
    beforeEach(async () => {
      for (const table of [
        'access_used_challenges',
        'access_sessions',
        'access_wallets',
        'access_keys',
      ]) {
        await scene.place.run(`DELETE FROM ${table}`);
      }
    });
    itSignsInOnce(() => scene.store.access);
    itKeepsSessions(() => scene.store.access);
  });
}

function itSignsInOnce(get: () => AccessStore): void {
  it('lets one of a hundred sign-ins with one challenge succeed', async () => {
    const challenge = buildChallenge();
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => get().signIn(challenge, buildSession(), SESSIONS)),
    );
    assert.equal(outcomes.filter(({ outcome }) => outcome === 'signedIn').length, 1);
    assert.equal((await get().readSessions(walletId('eip155:0xA'))).length, 1);
  });

  it('does not sign in with an expired challenge, nor with one whose use was swept', async () => {
    const challenge = buildChallenge();
    const late = buildSession({ createdAtMs: challenge.expiresAtMs });
    const gone = { outcome: 'challengeGone' };
    assert.deepEqual(await get().signIn(challenge, late, SESSIONS), gone);
    assert.equal(await get().findSession(late.tokenHash), null);
    const early = buildSession({ createdAtMs: challenge.expiresAtMs - 1 });
    assert.equal((await get().signIn(challenge, early, SESSIONS)).outcome, 'signedIn');
    await get().sweep(challenge.expiresAtMs);
    const again = buildSession({ createdAtMs: challenge.expiresAtMs - 1 });
    assert.deepEqual(await get().signIn(challenge, again, SESSIONS), gone);
  });

  it('ends the sessions used longest ago where a wallet has too many, and only its own', async () => {
    const begin = async (fields: object) => {
      const [challenge, session] = [buildChallenge(), buildSession(fields)];
      return { session, result: await get().signIn(challenge, session, { sessionsMax: 3 }) };
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
    await get().signIn(challenge, session, SESSIONS);
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
    const session = await begin({ expiresAtMs: NOW_MS + 1000 });
    const kept = await begin();
    await get().sweep(NOW_MS + 600_000);
    assert.equal(await get().findSession(session.tokenHash), null);
    assert.ok(await get().findSession(kept.tokenHash));
  });

  it('deletes sessions that were not used for a day', async () => {
    const idle = await begin();
    const used = await begin({ lastUsedAtMs: NOW_MS + 12 * HOUR_MS });
    await get().sweep(NOW_MS + 24 * HOUR_MS);
    assert.ok(await get().findSession(idle.tokenHash), 'another node may have a later use');
    await get().sweep(NOW_MS + 26 * HOUR_MS);
    assert.equal(await get().findSession(idle.tokenHash), null);
    assert.ok(await get().findSession(used.tokenHash));
  });

  it('deletes wallets that have nothing left, and no others', async () => {
    const names = ['gone', 'late', 'open', 'keyed', 'tiered'];
    const ids = names.map((name) => walletId(`eip155:0x${name}`));
    const [, late, open, keyed, tiered] = ids;
    assert.ok(late && open && keyed && tiered);
    const end = { createdAtMs: NOW_MS - 48 * HOUR_MS, lastUsedAtMs: NOW_MS - 48 * HOUR_MS };
    for (const id of ids) await begin({ wallet: { id, address: id }, ...end });
    await begin({ wallet: { id: late, address: late }, lastUsedAtMs: NOW_MS - 48 * HOUR_MS });
    await begin({ wallet: { id: open, address: open } });
    await get().issueKey(buildKey({ walletId: keyed }), { activeMax: 10, idempotency: null });
    await get().assignTier(tiered, 'gold', NOW_MS);
    await get().sweep(NOW_MS);
    const left = await Promise.all(ids.map((id) => get().findWallets(id)));
    assert.deepEqual(
      left.map((found) => found.length),
      [0, 1, 1, 1, 1],
    );
    await get().assignTier(tiered, null, NOW_MS);
    await get().sweep(NOW_MS + 30 * HOUR_MS);
    const later = await Promise.all(ids.map((id) => get().findWallets(id)));
    assert.deepEqual(
      later.map((found) => found.length),
      [0, 0, 0, 1, 0],
    );
  });

  it('deletes ended keys after a week', async () => {
    const id = walletId('eip155:0xA');
    await begin();
    const options = { activeMax: 10, idempotency: null };
    const [revoked, expired, active] = [
      buildKey({ walletId: id }),
      buildKey({ walletId: id, expiresAtMs: NOW_MS }),
      buildKey({ walletId: id }),
    ];
    for (const key of [revoked, expired, active]) await get().issueKey(key, options);
    await get().revokeKey({ walletId: id, id: revoked.id }, NOW_MS);
    await get().sweep(NOW_MS + 7 * 24 * HOUR_MS - 1);
    assert.equal((await get().readKeys(id, { after: null, limit: 10 })).length, 3);
    await get().sweep(NOW_MS + 7 * 24 * HOUR_MS);
    const kept = await get().readKeys(id, { after: null, limit: 10 });
    assert.deepEqual(
      kept.map((key) => key.id),
      [active.id],
    );
  });
}
