// The past of single tokens and pools from a Portal, by filtered queries: the rows are those that
// nodes give by their lists of signatures, and what is wrong ends the Portal's use.

import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import {
  buildChain,
  endArchivedScene,
  FAULTS,
  FILTERED_LIES,
  openScene,
  readByNodes,
  readMixtures,
  START,
  toText,
  WATCHED,
} from '../../../../test/archived-solana.ts';
import { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import {
  buildMakerSwap,
  POOL,
  setMaker,
  setPool,
  TOKEN,
  toSwapSignature,
} from '../../../../test/fakes/solana-scene.ts';
import type { PortalLine } from '../../../../test/fakes/to-portal-block.ts';
import { RUN_SEED } from '../../../../test/run-seed.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';

afterEach(endArchivedScene);

/** Swaps, and among them what is not asked for. */
const openFiltered = (samplePct = 100, only = WATCHED) =>
  openScene({ samplePct, chain: buildChain(40, true), only });

const readNodes = (only = WATCHED) => readByNodes({ chain: buildChain(40, true), only });

interface ListedRow {
  readonly signature: string;
}

type PickRows = (
  rows: readonly ListedRow[],
  /** Those of the account, and where the list is to begin. */
  query: { readonly all: readonly ListedRow[]; readonly before: string | undefined },
) => readonly ListedRow[];

function changeLists(chain: MemorySolana, pickRows: PickRows): void {
  const { answer } = chain;
  Object.assign(chain, {
    answer: (method: string, params: readonly unknown[]) => {
      if (method !== 'getSignaturesForAddress') return answer(method, params);
      const [account, { before }] = params as [string, { readonly before?: string }];
      const all = answer(method, [account, {}]) as readonly ListedRow[];
      return pickRows(answer(method, params) as readonly ListedRow[], { all, before });
    },
  });
}

const LISTS: readonly (readonly [string, PickRows])[] = [
  ['keeps no lists', () => []],
  [
    'begins lists only at signatures of the account',
    (rows, { all, before }) => (all.some(({ signature }) => signature === before) ? rows : []),
  ],
];

describe('single pools from a Portal', () => {
  it('give the rows of the nodes, in a few calls', async () => {
    const scene = await openFiltered(2);
    const { blocks, archived, fromNode, limitations } = await scene.read();
    assert.equal(toText(blocks, true), await readNodes());
    assert.ok(archived > 1);
    assert.deepEqual(limitations, []);
    assert.equal(fromNode, 0);
    assert.ok(scene.asked.includes('getTransaction'));
    assert.ok(scene.asked.includes('getSignaturesForAddress'));
    const [{ instructions = [] } = {}] = scene.portals[0]!.queries;
    assert.deepEqual(instructions[3]?.['a3'], [POOL, ...WATCHED.tokens]);
    assert.equal(instructions.length, 16);
  });

  it('are asked for with their vaults, once these are known', async () => {
    const scene = await openFiltered();
    await scene.read();
    const counts = scene.portals[0]!.queries.map(
      ({ instructions: [first] }) => (first?.['a0'] as string[] | undefined)?.length,
    );
    assert.equal(counts[0], 2);
    assert.ok(
      counts.slice(2).every((count) => count === 4),
      counts.join(),
    );
  });

  it('come in with their token', async () => {
    const only = { ...WATCHED, pools: new Set<never>() };
    const scene = await openFiltered(100, only);
    const { blocks, fromNode, limitations } = await scene.read();
    assert.deepEqual(limitations, []);
    assert.equal(toText(blocks, true), await readNodes(only));
    assert.equal(fromNode, 0);
  });

  for (const [name, pickRows] of LISTS) {
    it(`are told as not compared where the node ${name}`, async () => {
      const scene = await openFiltered(100);
      changeLists(scene.chain, pickRows);
      const { blocks, archived, limitations } = await scene.read();
      assert.equal(toText(blocks, true), await readNodes());
      const expected = `archive 127.0.0.1: ${archived} readings could not be compared with`;
      assert.equal(limitations.length, 1);
      assert.ok(limitations[0]?.startsWith(expected), limitations[0]);
    });
  }

  it('do not need a list without gaps', async () => {
    const scene = await openFiltered(100);
    const isGap = ({ signature }: ListedRow) => signature === toSwapSignature(14);
    changeLists(scene.chain, (rows) => rows.filter((row) => !isGap(row)));
    const { blocks, fromNode, limitations } = await scene.read();
    assert.deepEqual(limitations, []);
    assert.equal(fromNode, 0);
    assert.equal(toText(blocks, true), await readNodes());
  });

  it('are read in parts from a slow Portal', async () => {
    const scene = await openFiltered(100);
    scene.portals[0]!.behave(() => {
      scene.clock.advance(10_000);
      return null;
    });
    const { blocks, archived, fromNode } = await scene.read();
    assert.equal(toText(blocks, true), await readNodes());
    assert.equal(fromNode, 0);
    const starts = new Set(scene.portals[0]!.queries.map(({ fromBlock }) => fromBlock));
    assert.equal(archived, starts.size);
  });

  it('count the blocks that were sent', async () => {
    const scene = await openFiltered(100);
    const { blockCount } = await scene.read();
    assert.ok(blockCount > 0);
    assert.ok(blockCount <= 40, String(blockCount));
  });

  it('leave nothing of a Portal that lied to the next one', async () => {
    const options = { samplePct: 100, chain: buildChain(40, true), only: WATCHED };
    const scene = await openScene({ ...options, portalCount: 2 });
    const [, , change] = FILTERED_LIES.find(([name]) => name === 'another wallet')!;
    scene.portals[0]!.behave(() => ({ change }));
    const { fromNode } = await scene.read();
    assert.equal(fromNode, 0);
    // Its vaults are not known yet.
    const [{ instructions: [filter] = [] } = {}] = scene.portals[1]!.queries;
    assert.deepEqual(filter?.['a0'], [POOL, TOKEN]);
  });

  it('are told apart from what the filter cannot find', async () => {
    // The node lists them by an account that no instruction of theirs names.
    const scene = await openFiltered(100);
    const isOther = ({ transaction }: RawTransaction) =>
      !transaction.message.accountKeys.includes(POOL);
    let hidden = 0;
    for (const [slot, block] of scene.chain.blocks) {
      const transactions = block.transactions.map((raw) => {
        if (!isOther(raw) || slot < START + 10) return raw;
        hidden += 1;
        const { message, signatures } = raw.transaction;
        const accountKeys = [...message.accountKeys, POOL];
        return { ...raw, transaction: { signatures, message: { ...message, accountKeys } } };
      });
      scene.chain.blocks.set(slot, { ...block, transactions });
    }
    const { limitations, archived } = await scene.read();
    assert.deepEqual(limitations, []);
    assert.ok(archived > 1);
    // They are read many at a time.
    const single = scene.calls.filter(
      ({ method, batch }) => method === 'getTransaction' && batch === 1,
    );
    assert.ok(hidden > 10);
    assert.ok(single.length < hidden / 2, `${single.length} of ${hidden}`);
  });

  it('have trades compared, also of a pool without an account of its own', async () => {
    const chain = new MemorySolana();
    setPool(chain, 50_000_000n, 50_000_000n);
    setMaker(chain);
    chain.add(START - 1);
    const terms = { amountIn: 30n, isSale: true, namesMint: true };
    for (let id = 1; id <= 4; id += 1) {
      const { meta, ...swap } = buildMakerSwap({ ...terms, id, amountOut: 20n });
      const logged = { ...swap, meta: { err: null, ...meta, logMessages: [] } };
      chain.add(START + id, { transactions: [logged] });
    }
    chain.finalized = chain.head;
    const only = { pools: new Set<never>(), tokens: new Set([TOKEN]) };
    const honest = await (await openScene({ chain, only })).read();
    assert.deepEqual([honest.fromNode, honest.limitations], [0, []]);
    assert.ok(honest.blocks.length > 0);
    const scene = await openScene({ chain, only });
    const paid = ({ meta }: RawTransaction) => meta?.innerInstructions?.[0]?.instructions[0]?.data;
    const [own, forged] = [20n, 21n].map((amountOut) =>
      paid(buildMakerSwap({ ...terms, id: 0, amountOut })),
    );
    scene.portals[0]!.behave(() => ({
      change: (lines) => {
        const rows = lines.flatMap(({ instructions = [] }) => instructions);
        for (const row of rows) if (row['data'] === own) row['data'] = forged;
        return lines;
      },
    }));
    assert.match((await scene.read()).limitations.join(), /the node has otherwise/);
  });

  for (const [name, behaviour] of FAULTS) {
    it(`are the node's after ${name}`, async () => {
      const scene = await openFiltered();
      scene.portals[0]!.behave(behaviour);
      const { blocks, fromNode, limitations } = await scene.read();
      assert.equal(toText(blocks, true), await readNodes());
      assert.ok(limitations.every((text) => text.startsWith('archive 127.0.0.1 is paused: ')));
      assert.ok(fromNode > 0);
    });
  }

  for (const [name, reason, change] of FILTERED_LIES) {
    it(`end the use of a Portal that sends ${name}`, async () => {
      const scene = await openFiltered();
      scene.portals[0]!.behave(() => ({ change }));
      const { blocks, limitations } = await scene.read();
      assert.equal(toText(blocks, true), await readNodes());
      assert.equal(limitations.length, 1, limitations.join());
      assert.match(limitations[0] ?? '', /^archive 127\.0\.0\.1 sent false data/);
      assert.match(limitations[0] ?? '', reason);
    });
  }

  it('go on from the reading before where a pool comes in and all is read again', async () => {
    const only = { ...WATCHED, pools: new Set<never>() };
    const honest = await openFiltered(0, only);
    const [, start = assert.fail('only one reading')] = (await honest.read()).starts;
    const asked = honest.portals[0]!.queries.filter(({ fromBlock }) => fromBlock === start);
    assert.ok(asked.length > 1);
    const scene = await openFiltered(0, only);
    changeLists(scene.chain, () => []);
    const isSwap = ({ instructions = [] }: PortalLine) => instructions.length > 1;
    scene.portals[0]!.behave(({ fromBlock }) =>
      fromBlock === start
        ? {
            change: (lines) => {
              const first = lines.find(isSwap) ?? assert.fail('no swap');
              return lines.map((line) => (line === first ? { header: line.header } : line));
            },
          }
        : null,
    );
    const { limitations } = await scene.read();
    assert.match(limitations.join(), /a balance does not go on/);
  });

  it('show by the balances of their vaults what was left out, whatever is sampled', async () => {
    const scene = await openFiltered(0);
    const hidden = toSwapSignature(14);
    const isHidden = (row: Record<string, unknown>) =>
      (row['signatures'] as string[])[0] === hidden;
    scene.portals[0]!.behave(() => ({
      change: (lines) =>
        lines.map((line) =>
          line.transactions?.some(isHidden) === true ? { header: line.header } : line,
        ),
    }));
    const { limitations } = await scene.read();
    assert.match(limitations.join(), /a balance does not go on/);
  });
});

/** `archive-mixtures.long.test.ts` has the others. */
const ROUNDS = 4;

for (const isFiltered of [false, true]) {
  const what = isFiltered ? 'filtered answers' : 'whole blocks';
  it(`mixtures of lies and faults in ${what} leave the rows of the nodes`, async (t) => {
    const used = await readMixtures(ROUNDS, { seed: RUN_SEED, isFiltered });
    t.diagnostic(`${used} of ${ROUNDS} rounds used archives`);
  });
}
