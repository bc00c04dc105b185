// Blocks of the past from a portal on loopback, proved by a node's last hash; and what happens when
// the portal fails, limits or lies.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ALL,
  createSceneAdapter,
  endScene,
  recordChain,
  startNode,
  toEvents,
} from '../../../../test/fakes/chain-scene.ts';
import { type FakePortal, startFakePortal } from '../../../../test/fakes/fake-portal.ts';
import { FAULTS, LIES, UNPROVED_LIES } from '../../../../test/fakes/portal-lies.ts';
import { proveChain } from '../../../../test/fakes/proved-chain.ts';
import { RUN_SEED } from '../../../../test/run-seed.ts';
import type { EvmAdapter } from '../create-evm-adapter.ts';

const { lines, answer } = proveChain(recordChain());

interface Scene {
  readonly portals: readonly FakePortal[];
  readonly adapter: EvmAdapter;
  readonly node: Awaited<ReturnType<typeof startNode>>;
}

async function withScene(
  work: (scene: Scene) => Promise<void>,
  { portalCount = 1, samplePct = 2 } = {},
): Promise<void> {
  const portals = await Promise.all(
    Array.from({ length: portalCount }, () => startFakePortal(lines)),
  );
  try {
    const node = await startNode(answer);
    const places = portals.map(({ url }) => ({ kind: 'portal', place: url }) as const);
    const adapter = createSceneAdapter([node], { archives: { places, samplePct } });
    await work({ portals, adapter, node });
  } finally {
    await endScene();
    await Promise.all(portals.map((portal) => portal.stop()));
  }
}

/** As catching up does: piece after piece, without gap or overlap. */
async function readAll(adapter: EvmAdapter) {
  const blocks = [];
  const sources: (string | null)[] = [];
  for (let fromBlock = 0; fromBlock <= ALL.toBlock; ) {
    const reading = await adapter.readBlocks({ ...ALL, fromBlock });
    assert.ok(reading.toBlock >= fromBlock && reading.toBlock <= ALL.toBlock);
    assert.equal(reading.blockCount, reading.toBlock - fromBlock + 1);
    blocks.push(...toEvents(reading.blocks));
    sources.push(reading.archive?.source ?? null);
    fromBlock = reading.toBlock + 1;
  }
  return { blocks, sources };
}

async function readTruly() {
  const { blocks } = await createSceneAdapter([await startNode(answer)]).readBlocks(ALL);
  return toEvents(blocks);
}

describe('a portal', () => {
  test('gives the same events as the node, for a fraction of the requests', async () => {
    await withScene(async ({ portals: [portal], adapter, node }) => {
      const { blocks, sources } = await readAll(adapter);
      const requests = node.requests;
      assert.deepEqual(blocks, await readTruly());
      assert.deepEqual(new Set(sources), new Set(['127.0.0.1']));
      assert.ok(portal!.requests.every(({ includeAllBlocks }) => includeAllBlocks));
      assert.ok(requests < 20, `${requests} requests`);
    });
  });

  test('takes over again from the node, which goes on where it ends', async () => {
    await withScene(async ({ portals: [portal], adapter }) => {
      portal!.behave(({ fromBlock }) => (fromBlock < 30 ? null : { status: 204 }));
      const { blocks, sources } = await readAll(adapter);
      assert.deepEqual(blocks, await readTruly());
      assert.equal(sources[0], '127.0.0.1');
      assert.equal(sources.at(-1), null);
    });
  });

  test('without some columns is asked again, and sampled where it cannot be proved', async () => {
    await withScene(async ({ portals: [portal], adapter }) => {
      const body =
        "Bad request: couldn't parse request: column 'requests_hash' is not found in 'blocks'";
      portal!.behave(({ fields }) =>
        fields.block['requestsHash'] === true ? { status: 400, body } : null,
      );
      const reading = await adapter.readBlocks(ALL);
      assert.deepEqual(reading.archive, { source: '127.0.0.1', isProved: false });
      assert.deepEqual((await readAll(adapter)).blocks, await readTruly());
    });
  });
});

describe('a lie', () => {
  for (const [name, behaviour] of Object.entries(LIES)) {
    test(`${name}: the archive is used no more, and nothing of it stays`, async () => {
      await withScene(async ({ portals: [portal], adapter }) => {
        portal!.behave(({ fromBlock }) => (fromBlock >= 25 ? behaviour : null));
        const { blocks, sources } = await readAll(adapter);
        assert.deepEqual(blocks, await readTruly());
        assert.equal(sources.at(-1), null, 'the node went on');
        const asked = portal!.requests.length;
        await readAll(adapter);
        assert.equal(portal!.requests.length, asked, 'not asked again');
        assert.match(adapter.status!().limitations.join(), /archive 127\.0\.0\.1 sent false data/);
      });
    });
  }

  for (const [name, behaviour] of Object.entries(UNPROVED_LIES)) {
    test(`${name}, which no hash covers: found where blocks are compared`, async () => {
      const all = { samplePct: 100 };
      await withScene(async ({ portals: [portal], adapter }) => {
        portal!.behave(() => behaviour);
        const { blocks } = await readAll(adapter);
        assert.deepEqual(blocks, await readTruly());
        assert.match(adapter.status!().limitations.join(), /a transaction or its sender/);
      }, all);
    });
  }
});

describe('a fault', () => {
  for (const [name, behaviour] of Object.entries(FAULTS)) {
    test(`${name}: another archive goes on from the same block`, async () => {
      const two = { portalCount: 2 };
      await withScene(async ({ portals: [first, second], adapter }) => {
        first!.behave(({ fromBlock }) => (fromBlock >= 25 ? behaviour : null));
        const { blocks, sources } = await readAll(adapter);
        assert.deepEqual(blocks, await readTruly());
        assert.ok(!sources.includes(null), 'the node was not needed');
        assert.ok(second!.requests.length > 0);
        assert.doesNotMatch(adapter.status!().limitations.join(), /false data/);
      }, two);
    });
  }
});

test('two hundred mixtures of lies and faults: the same events in the end', {
  timeout: 300_000,
}, async (t) => {
  // A linear congruential generator (Numerical Recipes): the same mixtures for a seed.
  let state = RUN_SEED >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const choices = [...Object.values(LIES), ...Object.values(FAULTS)];
  const truth = await readTruly();
  await endScene();
  let archived = 0;
  for (let round = 0; round < 200; round += 1) {
    const options = { portalCount: 1 + Math.floor(random() * 3) };
    await withScene(async ({ portals, adapter }) => {
      for (const portal of portals) {
        portal.behave(() => {
          if (random() < 0.6) return null;
          return choices[Math.floor(random() * choices.length)] ?? null;
        });
      }
      const { blocks, sources } = await readAll(adapter);
      assert.deepEqual(blocks, truth, `round ${round}`);
      archived += sources.filter((source) => source !== null).length;
    }, options);
  }
  assert.ok(archived > 100, `${archived} readings came from archives`);
  t.diagnostic(`${archived} readings came from archives`);
});
