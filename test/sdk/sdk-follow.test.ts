// The status of a transaction: requests that wait at the server for news.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createClient, followTransaction, type TradeStatus } from '../../sdk/src/client.ts';

const OTHERS = { tradeIds: [], paid: null, received: null, reason: null };

describe('a transaction that is followed', () => {
  /** Answers with these statuses in turn; the last one stays. */
  function createFollowed(statuses: readonly TradeStatus['status'][]) {
    const asked: string[] = [];
    const fakeFetch: typeof fetch = async (url) => {
      const { searchParams: fields } = new URL(String(url));
      asked.push(`${fields.get('knownStatus')} ${fields.get('waitMs')}`);
      const status = statuses[Math.min(asked.length, statuses.length) - 1] ?? 'unknown';
      return Response.json({ status, block: null, ...OTHERS });
    };
    return { asked, client: createClient({ baseUrl: 'http://api/v1', fetch: fakeFetch }) };
  }

  test('is asked for once, then each request waits at the server for news', async () => {
    const { asked, client } = createFollowed(['pending', 'confirmed', 'confirmed', 'finalized']);
    const seen: string[] = [];
    const sent = { chain: 'devnet', txHash: '0x1' };
    for await (const { status } of followTransaction(client, sent, { pollMs: 1 })) {
      seen.push(status);
      if (status === 'finalized') break;
    }
    assert.deepEqual(seen, ['pending', 'confirmed', 'confirmed', 'finalized']);
    assert.deepEqual(asked, ['null null', 'pending 25000', 'confirmed 25000', 'confirmed 25000']);
  });

  test('is waited for at the server longer than the client waits for other answers', async () => {
    const asked: string[] = [];
    const fakeFetch: typeof fetch = async (url, init) => {
      const waitMs = Number(new URL(String(url)).searchParams.get('waitMs') ?? 0);
      asked.push(`${waitMs}`);
      // As the server: it answers after the wait. Timers of a busy machine are only later.
      const end = AbortSignal.any([init?.signal ?? assert.fail(), AbortSignal.timeout(waitMs)]);
      if (waitMs > 0) await new Promise((resolve) => end.addEventListener('abort', resolve));
      init?.signal?.throwIfAborted();
      const status = asked.length === 1 ? 'pending' : 'confirmed';
      return Response.json({ status, block: null, ...OTHERS });
    };
    const options = { baseUrl: 'http://api/v1', fetch: fakeFetch, timeoutMs: 50 };
    const client = createClient({ ...options, retry: { countMax: 0 } });
    const how = { pollMs: 1, waitMaxMs: 200 };
    for await (const { status } of followTransaction(client, { chain: 'a', txHash: '0x1' }, how)) {
      if (status === 'confirmed') break;
    }
    assert.deepEqual(asked, ['0', '200']);
  });

  test('whose trades are wanted is not waited for once it is mined: they are no news', async () => {
    const { asked, client } = createFollowed(['confirmed']);
    const options = { pollMs: 1, wantsTrades: true };
    let rounds = 0;
    for await (const _ of followTransaction(client, { chain: 'devnet', txHash: '0x1' }, options)) {
      rounds += 1;
      if (rounds === 3) break;
    }
    assert.deepEqual(asked, Array(3).fill('null null'));
  });
});
