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
import { POOL, toSwapSignature } from '../../../../test/fakes/solana-scene.ts';
import { RUN_SEED } from '../../../../test/run-seed.ts';
import type { RawTransaction } from '../data/raw-transaction.ts';

afterEach(endArchivedScene);

/** Swaps, and among them what is not asked for. */
const openFiltered = (samplePct = 100, only = WATCHED) =>
  openScene({ samplePct, chain: buildChain(40, true), only });

const readNodes = (only = WATCHED) => readByNodes({ chain: buildChain(40, true), only });

const bySignatures = (asked: readonly string[]) =>
  asked.filter((call) => call === 'getBlock signatures').length;

describe('single pools from a Portal', () => {
  it('give the rows of the nodes, in a few calls', async () => {
    const scene = await openFiltered(2);
    const { blocks, archived, limitations } = await scene.read();
    assert.equal(toText(blocks, true), await readNodes());
    assert.ok(archived > 1);
    assert.deepEqual(limitations, []);
    assert.equal(bySignatures(scene.asked), 0);
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
    const { blocks, limitations } = await scene.read();
    assert.deepEqual(limitations, []);
    assert.equal(toText(blocks, true), await readNodes(only));
    assert.equal(bySignatures(scene.asked), 0);
  });

  it('have what is wanted of a transaction that the node keeps no list of', async () => {
    const scene = await openFiltered(100);
    const answer = scene.chain.answer;
    Object.assign(scene.chain, {
      answer: (method: string, params: readonly unknown[]) =>
        method === 'getSignaturesForAddress' ? [] : answer(method, params),
    });
    const { blocks, limitations } = await scene.read();
    assert.deepEqual(limitations, []);
    assert.equal(toText(blocks, true), await readNodes());
  });

  it('are told apart from what the filter cannot find', async () => {
    // The node lists it by an account that no instruction of it names.
    const scene = await openFiltered(100);
    const isOther = ({ transaction }: RawTransaction) =>
      !transaction.message.accountKeys.includes(POOL);
    const [slot, block] =
      [...scene.chain.blocks].find(([at, { transactions }]) => {
        return at > START + 10 && transactions.some(isOther);
      }) ?? assert.fail();
    const transactions = block.transactions.map((raw) => {
      const { message, signatures } = raw.transaction;
      const accountKeys = [...message.accountKeys, POOL];
      return isOther(raw)
        ? { ...raw, transaction: { signatures, message: { ...message, accountKeys } } }
        : raw;
    });
    scene.chain.blocks.set(slot, { ...block, transactions });
    const { limitations, archived } = await scene.read();
    assert.deepEqual(limitations, []);
    assert.ok(archived > 1);
  });

  for (const [name, behaviour] of FAULTS) {
    it(`are the node's after ${name}`, async () => {
      const scene = await openFiltered();
      scene.portals[0]!.behave(behaviour);
      const { blocks, limitations } = await scene.read();
      assert.equal(toText(blocks, true), await readNodes());
      assert.ok(limitations.every((text) => text.startsWith('archive 127.0.0.1 is paused: ')));
      assert.ok(bySignatures(scene.asked) > 0);
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
