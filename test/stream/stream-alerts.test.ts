// Alerts over HTTP: their owner creates them, is told on the stream, and nobody else is.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../market-scene.ts';
import { type HttpStream, openHttpStream } from '../open-http-stream.ts';
import { createEvmWallet } from '../wallets.ts';
import { type StreamServer, startStreamServer } from './stream-server.ts';

async function signInWithKey(server: StreamServer) {
  const { token } = await server.signIn(createEvmWallet());
  const body = { name: 'alerts', scopes: ['data', 'webhooks'] };
  const issued = await server.send('POST', '/keys', { body, bearer: token });
  return { token, key: String(issued.body['key']) };
}

async function listen(server: StreamServer, bearer: string, lastEventId?: string) {
  const query = 'chain=devnet&mint=*&events=alert';
  const stream = await openHttpStream(`${server.server.origin}/v1/token/stream?${query}`, {
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  assert.equal(stream.status, 200);
  return stream;
}

const isAlert = ({ event }: { event: string }) => event.startsWith('alert');

function listTold(stream: HttpStream): Json[] {
  return stream.events.filter(isAlert);
}

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`alerts on ${engine}`, () => {
    test('are told to their owner, in order, over reorganisations, and resume', async (t) => {
      const server = await startStreamServer(t, { engine });
      const { scene } = server;
      const owner = await signInWithKey(server);
      const other = await signInWithKey(server);
      const when = { trade: { valueUsdAbove: '0' } };
      const body = { chain: 'devnet', when };
      const created = await server.send('POST', '/alerts', { body, bearer: owner.key });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      assert.deepEqual([created.body['status'], created.body['when']], ['pending', when]);
      const id = String(created.body['alertId']);
      const [own, foreign] = [await listen(server, owner.key), await listen(server, other.token)];
      await own.until(({ event }) => event === 'snapshot');
      await foreign.until(({ event }) => event === 'snapshot');
      // Seconds pass for the indexer, which then has the alert.
      for (let round = 0; listTold(own).length < 4; round += 1) {
        assert.ok(round < 200);
        scene.chain.extend(2);
        await scene.settle();
      }
      const [first] = listTold(own);
      assert.equal(first!.data.alertId, id);
      assert.deepEqual(first!.data.when, when);
      const trades = await scene.ask('getTrades', { chain: 'devnet', mint: first!.data.mint });
      const trade = trades.json.trades.find((one: Json) => one.id === first!.data.trade.id);
      assert.deepEqual([trade.valueUsd, trade.outlier], [first!.data.value, false]);
      const listed = await server.send('GET', '/alerts', { bearer: owner.token });
      const [alert] = listed.body['alerts'] as Json[];
      assert.deepEqual([alert!.status, alert!.firings > 0], ['active', true]);
      // A reader that went away gets what it missed, and what was taken back of what it had.
      own.leave();
      const told = listTold(own);
      const head = scene.chain.head.position;
      const seen = told.at(-1)!;
      assert.ok(scene.chain.reorganise(head - seen.data.block + 1, 6));
      await scene.settle();
      const back = await listen(server, owner.token, seen.id!);
      await back.until(({ event }) => event === 'alert.reverted');
      const taken = listTold(back).filter(({ event }) => event === 'alert.reverted');
      const gone = told.filter(({ data }) => data.block >= seen.data.block);
      assert.deepEqual(
        taken.map(({ data }) => data),
        gone.map(({ data }) => data),
      );
      back.leave();
      assert.deepEqual(listTold(foreign), []);
      foreign.leave();
      const ended = await server.send('DELETE', `/alerts?id=${id}`, { bearer: other.token });
      assert.deepEqual([ended.status, ended.body['code']], [404, 'ALERT_NOT_FOUND']);
      const own204 = await server.send('DELETE', `/alerts?id=${id}`, { bearer: owner.key });
      assert.deepEqual([own204.status, own204.body['alertId']], [200, id]);
      const none = await server.send('GET', '/alerts', { bearer: owner.token });
      assert.deepEqual([none.body['alerts'], none.body['active']], [[], 0]);
    });
  });
}

test('what cannot be an alert, or be asked by nobody, says why', async (t) => {
  const server = await startStreamServer(t);
  const { token, key } = await signInWithKey(server);
  const { mint } = server;
  for (const [body, path] of [
    [{ chain: 'devnet', mint, when: {} }, 'when'],
    [{ chain: 'devnet', when: { priceUsd: { above: '1' } } }, 'mint'],
    [{ chain: 'devnet', mint, when: { priceUsd: { above: '1', below: '2' } } }, 'when.priceUsd'],
    [{ chain: 'devnet', mint, when: { changePct: { window: '1h' } } }, 'when.changePct'],
    [{ chain: 'devnet', mint, when: { priceUsd: { above: '-1' } } }, 'when.priceUsd.above'],
    [{ chain: 'devnet', when: { wallet: { address: '0x1' } } }, 'when.wallet.address'],
  ] as const) {
    const refused = await server.send('POST', '/alerts', { body, bearer: token });
    assert.equal(refused.status, 400, JSON.stringify(body));
    const [error] = refused.body['errors'] as { path: string }[];
    assert.equal(error?.path, path);
  }
  const when = { trade: { valueUsdAbove: '1' } };
  const create = () =>
    server.send('POST', '/alerts', { body: { chain: 'devnet', when }, bearer: key });
  const answers = await Promise.all(Array.from({ length: 103 }, create));
  const statuses = Map.groupBy(answers, ({ status }) => status);
  assert.deepEqual([statuses.get(201)?.length, statuses.get(409)?.length], [100, 3]);
  assert.equal(statuses.get(409)?.[0]?.body['code'], 'ALERT_LIMIT_REACHED');
  const url = `${server.server.origin}/v1/token/stream?chain=devnet&mint=*&events=alert`;
  assert.equal((await fetch(url)).status, 401);
  const plain = (await server.issueKey(token)).key;
  const refused = await fetch(url, { headers: { authorization: `Bearer ${plain}` } });
  assert.equal(refused.status, 403);
});

test('paging walks through all alerts once', async (t) => {
  const server = await startStreamServer(t);
  const { token } = await signInWithKey(server);
  const when = { newPool: { minLiquidityUsd: '1' } };
  for (let count = 0; count < 5; count += 1) {
    await server.send('POST', '/alerts', { body: { chain: 'devnet', when }, bearer: token });
  }
  const ids: string[] = [];
  let cursor = '';
  for (let page = 0; page < 3; page += 1) {
    const answer = await server.send('GET', `/alerts?limit=2${cursor}`, { bearer: token });
    ids.push(...(answer.body['alerts'] as Json[]).map(({ alertId }) => alertId));
    cursor = `&cursor=${answer.body['nextCursor']}`;
  }
  assert.equal(cursor, '&cursor=null');
  assert.deepEqual(ids, ['al_5', 'al_4', 'al_3', 'al_2', 'al_1']);
});
