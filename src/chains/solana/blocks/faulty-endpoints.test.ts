// The indexer on three endpoints of which the preferred one is faulty all the time, in each of the
// ways that nodes and providers are: the index follows through forks, and verify finds nothing.
// With two, of which one lies, a fork would wait: nobody knows which of them is right.

import { type TestContext, test } from 'node:test';
import type { MemorySolana } from '../../../../test/fakes/memory-solana.ts';
import { type Mischief, startMisbehavingRpc } from '../../../../test/fakes/misbehaving-rpc.ts';
import { followSolana, TRADED_START, TradedSolana } from '../../../../test/fakes/traded-solana.ts';

const LAG_SLOTS = 5;
const PRUNED_BELOW = 12;
const FAR = 10_000;
const BRANCHED_FROM = TRADED_START + 8;

function refuse(code: number, message: string) {
  return { do: 'error', code, message } as const;
}

function isFinalized(params: readonly unknown[]): boolean {
  return (params.at(-1) as { commitment?: string } | undefined)?.commitment === 'finalized';
}

function changeSlots(change: (slots: number[]) => number[]) {
  return { do: 'change', change: (slots: unknown) => change(slots as number[]) } as const;
}

function changeBlock(change: (block: object) => object) {
  return { do: 'change', change: (block: unknown) => change(block as object) } as const;
}

type Fault = (chain: MemorySolana) => Mischief;

const FAULTS: Readonly<Record<string, Fault>> = {
  'lags some slots behind': (chain) => (call) => {
    const { method, params } = call;
    const head = chain.head - LAG_SLOTS;
    const config = params.at(-1) as { minContextSlot?: number } | undefined;
    if ((config?.minContextSlot ?? 0) > head) return refuse(-32016, 'not reached');
    if (method === 'getBlock' && Number(params[0]) > head) return refuse(-32004, 'not available');
    if (method === 'getBlocks') return changeSlots((all) => all.filter((slot) => slot <= head));
    if (method !== 'getSlot' || isFinalized(params)) return null;
    return { do: 'change', change: () => Math.max(head, chain.finalized) };
  },
  'says that it is behind': () => () => refuse(-32005, 'Node is behind by 42 slots'),
  'calls blocks confirmed that nobody has': () => (call) =>
    call.method === 'getSlot' && !isFinalized(call.params)
      ? { do: 'change', change: (slot) => Number(slot) + FAR }
      : null,
  'calls the newest block final': (chain) => (call) =>
    call.method === 'getSlot' ? { do: 'change', change: () => chain.head } : null,
  'has blocks that do not follow each other': () => (call) =>
    call.method === 'getBlock' && call.seen % 2 === 0
      ? changeBlock((block) => ({ ...block, previousBlockhash: 'another' }))
      : null,
  'has blocks of another branch': () => (call) =>
    call.method === 'getBlock' && Number(call.params[0]) > BRANCHED_FROM
      ? changeBlock((block) => ({ ...block, blockhash: 'x', previousBlockhash: 'y' }))
      : null,
  'sends malformed transactions': () => (call) =>
    call.method === 'getBlock'
      ? changeBlock((block) => ({ ...block, transactions: [{ meta: 1 }] }))
      : null,
  'limits by status': () => () => ({
    ...{ do: 'reply', status: 429, text: '', headers: { 'retry-after': '2' } },
  }),
  'limits whole blocks by an error': () => (call) =>
    call.method === 'getBlock' ? refuse(-32429, 'Too many requests for a specific call') : null,
  'forbids after a limit': () => (call) =>
    call.seen > 3 ? { do: 'reply', status: 403, text: 'rate limit' } : null,
  'cuts its replies': () => () => ({ do: 'cut', after: 10 }),
  'calls slots with blocks skipped': () => (call) => {
    if (call.method === 'getBlocks') return changeSlots((all) => all.filter((slot) => slot % 2));
    if (call.method !== 'getBlock' || Number(call.params[0]) % 2 !== 0) return null;
    return refuse(call.seen % 2 === 0 ? -32007 : -32009, 'Slot was skipped');
  },
  'calls all slots skipped': () => (call) => {
    if (call.method === 'getBlocks') return changeSlots(() => []);
    return call.method === 'getBlock' ? refuse(-32007, 'Slot was skipped') : null;
  },
  'has lost blocks': () => (call) =>
    call.method === 'getBlock' && Number(call.params[0]) % 3 === 0
      ? { do: 'change', change: () => null }
      : null,
  'has pruned what is older': (chain) => (call) => {
    const first = chain.head - PRUNED_BELOW;
    if (call.method === 'getBlocks') return changeSlots((all) => all.filter((s) => s >= first));
    if (call.method !== 'getBlock' || Number(call.params[0]) >= first) return null;
    return refuse(-32001, `Block cleaned up. First available block: ${first}`);
  },
  'keeps no transactions': () => (call) =>
    call.method === 'getBlock' || call.method === 'getSignaturesForAddress'
      ? refuse(-32011, 'Transaction history is not available from this node')
      : null,
};

async function startNodes(t: TestContext, chain: MemorySolana, mischief: Mischief) {
  const starting = [1, 2, 3].map(() => startMisbehavingRpc(chain.answer));
  const nodes = await Promise.all(starting);
  for (const node of nodes) t.after(() => node.stop());
  nodes[0]?.misbehave(mischief);
  return nodes;
}

for (const [name, build] of Object.entries(FAULTS)) {
  test(`the index is right although an endpoint ${name}`, async (t) => {
    const scene = new TradedSolana();
    const { chain } = scene;
    for (let count = 0; count < 20; count += 1) scene.trade({ skipped: count % 5 === 0 ? 2 : 0 });
    const nodes = await startNodes(t, chain, build(chain));
    const followed = await followSolana(t, scene, nodes);
    await followed.assertAdopted();
    for (const depth of [1, 6]) {
      scene.fork(chain.head - depth);
      for (let count = 0; count < depth; count += 1) scene.trade({ skipped: count % 2 });
      await followed.until(followed.isAtHead, 'the index is not at the head');
    }
    chain.finalized = [...chain.blocks.keys()].at(-3) ?? chain.finalized;
    await followed.until(followed.isAtHead, 'what is final is not known');
    await followed.assertAdopted();
    await followed.assertVerified();
  });
}
