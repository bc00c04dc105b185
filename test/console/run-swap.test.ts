// A wallet signs only what was reviewed, with the right account on the right chain.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BuiltTradeReply } from '../../console/src/api/contract-types.ts';
import {
  PriceMovedError,
  runSwap,
  type SigningStep,
} from '../../console/src/pages/token/swap/run-swap.ts';
import { texts } from '../../console/src/texts.ts';
import { TradeError } from '../../sdk/src/trade-error.ts';
import { openFakePage } from './fake-page.ts';
import { startScriptedApi } from './scripted-api.ts';
import { createScriptedWallet } from './scripted-wallet.ts';

const TIMEOUT = { timeout: 60_000 };
const OWNER = '0xAbC0000000000000000000000000000000000001';
const OTHER = '0xDeF0000000000000000000000000000000000002';

type Kind = BuiltTradeReply['transactions'][number]['kind'];

/** What the page reads of a built trade. */
function buildReply(kinds: readonly Kind[], minAmountRaw = '1000', from = OWNER): BuiltTradeReply {
  const transactions = kinds.map((kind) => ({
    kind,
    chainId: 1337,
    from,
    to: `0x${kind}`,
    data: '0x',
    value: '1000000000000000000',
    gas: '21000',
    maxFeePerGas: '10',
    maxPriorityFeePerGas: '1',
    nonce: 0,
    type: 'eip1559' as const,
  }));
  return {
    quote: { chain: 'devnet', input: {}, output: { minAmountRaw } },
    deadline: Date.now() + 600_000,
    transactions,
  } as unknown as BuiltTradeReply;
}

interface SceneOptions {
  readonly built: BuiltTradeReply;
  readonly rebuilt?: BuiltTradeReply;
}

async function openScene(t: TestContext, { built, rebuilt }: SceneOptions) {
  const api = await startScriptedApi(t);
  openFakePage(t, api.origin);
  const script = createScriptedWallet(OWNER.toLowerCase());
  const abort = new AbortController();
  t.after(() => abort.abort());
  const steps: (readonly SigningStep[])[] = [];
  const request = { chain: 'devnet', mint: '0xA', side: 'buy', amountInRaw: '1' } as const;
  const rebuild = { before: () => undefined as unknown, signal: null as AbortSignal | null };
  const run = async () =>
    runSwap({
      wallet: await script.wallet.findSender(OWNER, 'devnet'),
      request: { ...request, slippageBps: 50 },
      built,
      rebuild: async (signal) => {
        rebuild.signal = signal;
        rebuild.before();
        return rebuilt ?? built;
      },
      onSteps: (now) => steps.push(now),
      signal: abort.signal,
    });
  const mine = async (status = 'confirmed') =>
    (await api.next('/trade/status')).answer({ status, block: 1, tradeIds: [], reason: null });
  return { api, script, steps, run, mine, abort, rebuild };
}

test('a swap without approvals is one signature, with amounts in hex', TIMEOUT, async (t) => {
  const { script, run, mine, steps } = await openScene(t, { built: buildReply(['swap']) });
  const [{ txHash }] = await Promise.all([run(), mine()]);
  assert.equal(txHash, '0xhash1');
  assert.deepEqual(script.sent, [
    {
      chainId: '0x539',
      from: OWNER,
      to: '0xswap',
      data: '0x',
      value: '0xde0b6b3a7640000',
      gas: '0x5208',
      maxFeePerGas: '0xa',
      maxPriorityFeePerGas: '0x1',
    },
  ]);
  assert.deepEqual(
    steps.map(([step]) => step?.state),
    ['asked', 'asked', 'sent', 'done'],
  );
});

test(
  'approvals go one after the other, then the swap as it is built after them',
  TIMEOUT,
  async (t) => {
    const built = buildReply(['approve', 'permit2-approve', 'swap']);
    const { script, run, mine } = await openScene(t, {
      built,
      rebuilt: buildReply(['swap'], '1001'),
    });
    const running = run();
    await mine();
    assert.equal(script.sent.length, 1);
    await mine();
    await mine();
    assert.equal((await running).txHash, '0xhash3');
    assert.deepEqual(
      script.sent.map(({ to }) => to),
      ['0xapprove', '0xpermit2-approve', '0xswap'],
    );
  },
);

test('a price below the reviewed minimum is not signed', TIMEOUT, async (t) => {
  const built = buildReply(['approve', 'swap']);
  const { script, run, mine } = await openScene(t, { built, rebuilt: buildReply(['swap'], '999') });
  const running = assert.rejects(run(), PriceMovedError);
  await mine();
  await running;
  assert.equal(script.sent.length, 1);
});

test('a swap that is given up after its approval opens no prompt', TIMEOUT, async (t) => {
  const built = buildReply(['approve', 'swap']);
  const scene = await openScene(t, { built, rebuilt: buildReply(['swap']) });
  const { abort, rebuild } = scene;
  rebuild.before = () => abort.abort();
  const running = assert.rejects(scene.run(), { name: 'AbortError' });
  await scene.mine();
  await running;
  assert.equal(rebuild.signal, abort.signal);
  assert.deepEqual(
    scene.script.sent.map(({ to }) => to),
    ['0xapprove'],
  );
});

test('approvals that did not count are not taken for done', TIMEOUT, async (t) => {
  const built = buildReply(['approve', 'swap']);
  const { run, mine } = await openScene(t, { built });
  const running = assert.rejects(run(), new RegExp(texts.swap.notApproved));
  await mine();
  await running;
});

test('another account in the wallet, or in the transaction, is not asked', TIMEOUT, async (t) => {
  const { script, run } = await openScene(t, { built: buildReply(['swap']) });
  script.account = OTHER;
  await assert.rejects(run(), { code: 'WRONG_WALLET' });
  const foreign = await openScene(t, { built: buildReply(['swap'], '1', OTHER) });
  await assert.rejects(foreign.run(), { code: 'WRONG_WALLET' });
  assert.deepEqual([...script.sent, ...foreign.script.sent], []);
});

test(
  'a wallet on another chain is asked to change, and not to sign if it does not',
  TIMEOUT,
  async (t) => {
    const { script, run, mine } = await openScene(t, { built: buildReply(['swap']) });
    Object.assign(script, { chainId: 1, mayFollow: false });
    await assert.rejects(run(), { code: 'WRONG_CHAIN' });
    assert.deepEqual(script.sent, []);
    script.mayFollow = true;
    await Promise.all([run(), mine()]);
    assert.equal(script.chainId, 1337);
  },
);

test('an account that changes with the chain is not asked to sign', TIMEOUT, async (t) => {
  const { script, run } = await openScene(t, { built: buildReply(['swap']) });
  Object.assign(script, { chainId: 1, accountAfterSwitch: OTHER });
  await assert.rejects(run(), { code: 'WRONG_WALLET' });
  assert.deepEqual(script.sent, []);
});

test('a refusal is the answer of the user, not an error', TIMEOUT, async (t) => {
  const { script, run } = await openScene(t, { built: buildReply(['swap']) });
  script.refused.add('eth_sendTransaction');
  await assert.rejects(run(), { code: 'REFUSED' });
});

test('a transaction that was mined and failed says so', TIMEOUT, async (t) => {
  const { run, mine } = await openScene(t, { built: buildReply(['swap']) });
  await Promise.all([assert.rejects(run(), { code: 'REVERTED' }), mine('reverted')]);
});

test('each request waits at the server until the status is another one', TIMEOUT, async (t) => {
  const { api, run } = await openScene(t, { built: buildReply(['swap']) });
  const running = run();
  const asked: string[] = [];
  for (const status of ['unknown', 'pending', 'confirmed']) {
    const request = await api.next('/trade/status');
    asked.push(`${request.query.get('knownStatus')} ${request.query.get('waitMs')}`);
    assert.equal(api.count('/trade/status'), 0, 'one request at a time');
    request.answer({ status, block: null, tradeIds: [], reason: null });
  }
  await running;
  assert.deepEqual(asked, ['null null', 'unknown 25000', 'pending 25000']);
});

test('a request that fails is repeated, and tells nothing of the trade', TIMEOUT, async (t) => {
  const { api, run, mine } = await openScene(t, { built: buildReply(['swap']) });
  const running = run();
  (await api.next('/trade/status')).refuse(503, 'NOT_READY');
  await mine();
  assert.equal((await running).txHash, '0xhash1');
});

test('a transaction that nobody knows for two minutes is given up', TIMEOUT, async (t) => {
  const { api, run } = await openScene(t, { built: buildReply(['swap']) });
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const running = assert.rejects(run(), (error) => {
    return (
      error instanceof TradeError && error.code === 'LOST' && `${error.progress.sent}` === '0xhash1'
    );
  });
  const answerAfter = async (waitMs: number, status: string) => {
    const request = await api.next('/trade/status');
    t.mock.timers.setTime(Date.now() + waitMs);
    request.answer({ status, block: null, tradeIds: [], reason: null });
  };
  await answerAfter(119_000, 'pending');
  await answerAfter(119_000, 'unknown');
  await answerAfter(1000, 'unknown');
  await running;
});
