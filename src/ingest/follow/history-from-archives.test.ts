// An index whose old blocks came from archives that fail and lie: `verify`, which asks the node
// alone, finds no difference.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import {
  ARCHIVED_BLOCKS,
  ARCHIVED_LINES,
  indexFrom,
  indexMixtures,
  withPortals,
} from '../../../test/archived-index.ts';
import { endScene, TOKEN } from '../../../test/fakes/chain-scene.ts';
import { FAULTS, LIES } from '../../../test/fakes/portal-lies.ts';
import { createTestMarket, type Json } from '../../../test/market-scene.ts';
import { RUN_SEED } from '../../../test/run-seed.ts';
import { startTestServer } from '../../../test/start-http-server.ts';
import { getToken } from '../../contract/operations/get-token.ts';
import type { Store } from '../../store/store.ts';

afterEach(endScene);

/** `history-mixtures.long.test.ts` has the others. */
const ROUNDS = 5;

test('what came from an archive is stored with its proof, and the node took over', async () => {
  const { differences, archived } = await withPortals(1, (portals) => indexFrom(portals, 2));
  assert.deepEqual(differences, []);
  const { toBlock = 0, ...rest } = archived ?? {};
  assert.deepEqual(rest, {
    ...{ sources: ['127.0.0.1'], isProved: true, fromBlock: 0 },
    fromMs: Number(ARCHIVED_LINES[1]!.header['timestamp']) * 1000,
    toMs: Number(ARCHIVED_LINES[toBlock]!.header['timestamp']) * 1000,
  });
  assert.ok(toBlock > 100 && toBlock < ARCHIVED_BLOCKS, `up to block ${toBlock}`);
});

test('a sender that is false in every answer is found where every block is compared', async () => {
  const { differences, limitations } = await withPortals(1, async (portals) => {
    portals[0]!.behave(() => ({
      change: (sent) => {
        for (const { transactions } of sent) {
          for (const one of transactions) one['from'] = `0x${'66'.repeat(20)}`;
        }
        return sent;
      },
    }));
    return await indexFrom(portals, 100);
  });
  assert.deepEqual(differences, []);
  assert.match(limitations.join(), /a transaction or its sender/);
});

const COLUMN_MISSING = {
  status: 400,
  body: "column 'requests_hash' is not found in 'blocks'",
} as const;

/** From where on the Portal lacks a column of the hash, and what a token's coverage says then. */
const MARKS = [
  ['proved blocks', Number.POSITIVE_INFINITY, 'receipts'],
  ['compared blocks', 0, 'rows'],
  ['some of each', 200, 'rows'],
] as const;

for (const [what, missingFrom, provedBy] of MARKS) {
  test(`coverage over HTTP tells of ${what}: ${provedBy}`, async (t) => {
    await withPortals(1, async (portals) => {
      portals[0]!.behave(({ fields, fromBlock }) =>
        fromBlock >= missingFrom && fields.block['requestsHash'] ? COLUMN_MISSING : null,
      );
      const inspect = async (store: Store) => {
        const market = createTestMarket({ store });
        await market.states.poll();
        const { getToken: answer } = market.handlers;
        const server = await startTestServer(t, {
          operations: [getToken],
          handlers: { getToken: (input, context) => answer(input as never, context) },
        });
        const response = await server.get(`/v1/token?chain=devnet&mint=${TOKEN}`);
        assert.equal(response.status, 200);
        const { coverage } = (await response.json()) as Json;
        const { from, to, ...told } = coverage.history;
        assert.deepEqual(told, { source: '127.0.0.1', provedBy });
        assert.ok(from < to);
      };
      const { archived, differences } = await indexFrom(portals, 2, { inspect });
      assert.equal(archived?.isProved, provedBy === 'receipts');
      assert.deepEqual(differences, []);
    });
  });
}

test('verify reads an archive as a second opinion', async () => {
  const agreed = await withPortals(1, (portals) => indexFrom([], 2, { opinions: portals }));
  assert.deepEqual(agreed.differences, []);
  assert.deepEqual([agreed.opinions, agreed.problems], [[], []]);
  const { 'blocks from 127.0.0.1': blocks = 0 } = agreed.checked;
  assert.ok(blocks > 100 && blocks < ARCHIVED_BLOCKS, `${blocks} blocks`);
  assert.equal(agreed.archived, undefined);
});

test('an archive that lies to verify is named, and the nodes are read', async () => {
  const lied = await withPortals(1, async (portals) => {
    portals[0]!.behave(() => LIES['a digit of a log'] ?? null);
    return await indexFrom([], 2, { opinions: portals });
  });
  assert.deepEqual(lied.differences, []);
  assert.match(lied.opinions.join(), /^archive 127\.0\.0\.1 sent false data/);
  assert.equal(lied.checked['blocks from 127.0.0.1'], undefined);
  assert.match(
    lied.problems.join('\n'),
    /^archive 127.* sent false data.*\nno archive gave a block/,
  );
});

for (const fault of ['no access (403)', 'nothing but 204', 'no lines at all'] as const) {
  test(`an archive that gives verify nothing is no second opinion: ${fault}`, async () => {
    const { differences, problems } = await withPortals(1, async (portals) => {
      portals[0]!.behave(() => FAULTS[fault] ?? assert.fail(fault));
      return await indexFrom([], 2, { opinions: portals });
    });
    assert.deepEqual(differences, []);
    assert.match(problems.join('\n'), /no archive gave a block: all were read from the nodes$/);
  });
}

test('an archive that lied after it gave blocks is a problem of the second opinion', async () => {
  const { checked, problems } = await withPortals(1, async (portals) => {
    portals[0]!.behave(({ fromBlock }) => {
      return fromBlock < 100 ? null : (LIES['a digit of a log'] ?? assert.fail());
    });
    return await indexFrom([], 2, { opinions: portals });
  });
  assert.ok((checked['blocks from 127.0.0.1'] ?? 0) > 0);
  assert.match(problems.join('\n'), /^archive 127\.0\.0\.1 sent false data/);
});

test('an archive shows what an index has from a source that lied unseen', async () => {
  const { differences, limitations } = await withPortals(2, async ([liar, honest]) => {
    liar!.behave(() => ({
      change: (sent) => {
        const line = sent.find(({ header }) => header.number === 99);
        for (const one of line?.transactions ?? []) one['from'] = `0x${'66'.repeat(20)}`;
        return sent;
      },
    }));
    // No sample: draws are in the middle.
    return await indexFrom([liar!], 0, { opinions: [honest!] });
  });
  assert.deepEqual(limitations, []);
  assert.ok(
    differences.some((line) => line.includes(`0x${'66'.repeat(20)}`)),
    differences.join(),
  );
});

test('mixtures of lies and faults leave no difference', { timeout: 600_000 }, async (t) => {
  const archived = await indexMixtures(ROUNDS, RUN_SEED);
  assert.ok(archived > 0, 'no round used an archive');
  t.diagnostic(`${archived} of ${ROUNDS} rounds used archives`);
});
