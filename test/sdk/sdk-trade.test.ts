// Trades with the SDK: what is signed, sent and asked, whatever gets lost on the way.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keccak256, parseTransaction } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import {
  type BuiltTrade,
  createClient,
  TradeError,
  type TradeOptions,
  type TradeProgress,
  type TradeStatus,
  trade,
} from '../../sdk/src/client.ts';
import { buildTrade } from '../../src/contract/operations/build-trade.ts';

const account = privateKeyToAccount(generatePrivateKey());
const INPUT = { chain: 'devnet', mint: '0xA', side: 'buy', amountInRaw: '1' } as const;
const TRADE_ID = 'devnet:0x1:0';
const OTHERS = { tradeIds: [], paid: null, received: null, reason: null };
const QUICK = { pollMs: 1, lostAfterMs: 20, timeoutMs: 2000 } as const;

const EXAMPLE = buildTrade.example.answer as unknown as BuiltTrade;
const SWAP = EXAMPLE.transactions[0] as Extract<
  BuiltTrade['transactions'][number],
  { type: 'eip1559' }
>;

/** As wallets are asked: in hex. */
function toQuantity(value: string | number): string {
  return `0x${BigInt(value).toString(16)}`;
}

function buildAnswer(kinds: readonly ('approve' | 'swap')[] = ['swap']): BuiltTrade {
  return {
    ...EXAMPLE,
    deadline: Date.now() + 600_000,
    transactions: kinds.map((kind, nonce) => ({ ...SWAP, kind, nonce, from: account.address })),
  };
}

/** A chain and a service at the network's edge; `log` has what was sent and asked, in order. */
function createWorld(built: BuiltTrade = buildAnswer()) {
  const world = {
    log: [] as string[],
    built,
    /** The statuses of transactions that arrived, each asked once; the last one stays. */
    fates: ['pending', 'confirmed'] as TradeStatus['status'][],
    arrived: new Map<string, number>(),
    /** What happens to the next sends: it arrives and the answer is lost, or it does not arrive. */
    faults: [] as ('lostAnswer' | 'notSent')[],
    take(hash: string): void {
      const fault = world.faults.shift();
      world.log.push(`send ${hash}`);
      if (fault !== 'notSent' && !world.arrived.has(hash)) world.arrived.set(hash, 0);
      if (fault !== undefined) throw new Error('connection reset');
    },
  };
  const readStatus = (hash: string): TradeStatus => {
    world.log.push(`ask ${hash}`);
    const asked = world.arrived.get(hash);
    if (asked === undefined) return { status: 'unknown', block: null, ...OTHERS };
    world.arrived.set(hash, asked + 1);
    const status = world.fates[Math.min(asked, world.fates.length - 1)] ?? 'pending';
    const isMined = status !== 'pending' && status !== 'unknown';
    const isTraded = isMined && asked >= world.fates.length;
    const block = isMined ? 7 : null;
    return { status, block, ...OTHERS, tradeIds: isTraded ? [TRADE_ID] : [] };
  };
  const fakeFetch: typeof fetch = async (url) => {
    const { pathname, searchParams } = new URL(String(url));
    const isBuild = pathname === '/v1/trade/build';
    return Response.json(isBuild ? world.built : readStatus(searchParams.get('txHash') ?? ''));
  };
  const client = createClient({ baseUrl: 'http://api/v1', fetch: fakeFetch });
  const run = (options: Partial<TradeOptions> = {}) =>
    trade(client, INPUT, { wallet: createLocal(world.take), ...QUICK, ...options });
  return Object.assign(world, { run });
}

/** A viem wallet client with a local account, as far as it is used. */
function createLocal(take: (hash: string) => void) {
  return {
    account,
    request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
      assert.equal(method, 'eth_sendRawTransaction');
      const [raw] = params as [`0x${string}`];
      const hash = keccak256(raw);
      take(hash);
      return hash;
    },
  };
}

/** A browser's wallet, which signs and sends by itself. */
function createBrowserWallet(send: (transaction: Record<string, string>) => string) {
  const state = { chainId: 1, address: account.address.toLowerCase() };
  return Object.assign(state, {
    request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) => {
      const [first] = params as [Record<string, string>];
      if (method === 'eth_chainId') return `0x${state.chainId.toString(16)}`;
      if (method === 'eth_accounts') return [state.address];
      if (method === 'wallet_switchEthereumChain') {
        state.chainId = Number(first['chainId']);
        return null;
      }
      assert.equal(method, 'eth_sendTransaction');
      return send(first);
    },
  });
}

async function catchTradeError(work: Promise<unknown>): Promise<TradeError> {
  const error = await work.then(
    () => assert.fail('it did not throw'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof TradeError, String(error));
  return error;
}

const countSends = ({ log }: { readonly log: readonly string[] }) =>
  log.filter((line) => line.startsWith('send')).length;

/** Never two sends of a transaction without a question about it between them. */
function assertAsked(log: readonly string[]): void {
  for (const [index, line] of log.entries()) {
    if (!line.startsWith('send') || !log.slice(0, index).includes(line)) continue;
    assert.equal(log[index - 1], line.replace('send', 'ask'), log.join('\n'));
  }
}

describe('a local account', () => {
  test('signs what was built, sends it once, and waits for its trades', async () => {
    const world = createWorld();
    const raws: `0x${string}`[] = [];
    const local = createLocal(world.take);
    const outcome = await world.run({
      wallet: {
        account,
        request: (call) => {
          raws.push(call.params?.[0] as `0x${string}`);
          return local.request(call);
        },
      },
    });
    assert.deepEqual(
      [outcome.status, outcome.block, outcome.tradeIds],
      ['confirmed', 7, [TRADE_ID]],
    );
    assert.equal(countSends(world), 1);
    const [raw] = raws;
    assert.ok(raw !== undefined);
    assert.deepEqual(outcome.hashes, [keccak256(raw)]);
    const { to, value, gas, nonce, chainId } = parseTransaction(raw);
    assert.deepEqual(
      [to?.toLowerCase(), value, gas, nonce, chainId],
      [SWAP.to.toLowerCase(), BigInt(SWAP.value), BigInt(SWAP.gas), 0, SWAP.chainId],
    );
  });

  test('whose send had its answer lost asks, and does not send again', async () => {
    const world = createWorld();
    world.faults = ['lostAnswer'];
    assert.equal((await world.run()).status, 'confirmed');
    assert.equal(countSends(world), 1);
  });

  test('whose send did not arrive asks, then sends the same bytes', async () => {
    const world = createWorld();
    world.faults = ['notSent', 'notSent'];
    assert.equal((await world.run()).status, 'confirmed');
    assert.equal(countSends(world), 3);
    assertAsked(world.log);
    assert.equal(new Set(world.log.filter((line) => line.startsWith('send'))).size, 1);
  });

  test('whose node never takes it gives up', async () => {
    const world = createWorld();
    world.faults = ['notSent', 'notSent', 'notSent', 'notSent'];
    const error = await catchTradeError(world.run());
    assert.equal(error.code, 'LOST');
    assert.equal(countSends(world), 3);
    assertAsked(world.log);
  });

  test('goes on after a crash at any point without sending twice', async () => {
    const whole = createWorld(buildAnswer(['approve', 'swap']));
    const points: TradeProgress[] = [];
    await whole.run({ onProgress: (progress) => void points.push(structuredClone(progress)) });
    assert.equal(points.length, 2);
    for (const [index, point] of points.entries()) {
      // Before it was sent, and after.
      for (const hasArrived of [false, true]) {
        const world = createWorld(point.built);
        for (const hash of point.sent.slice(0, hasArrived ? undefined : -1)) {
          world.arrived.set(hash ?? '', 0);
        }
        const outcome = await world.run({ resume: point });
        assert.deepEqual(outcome.tradeIds, [TRADE_ID]);
        assert.equal(countSends(world), 2 - index - (hasArrived ? 1 : 0), JSON.stringify(point));
        assertAsked(world.log);
      }
    }
  });

  test('sends an approval, and the swap once it is mined', async () => {
    const world = createWorld(buildAnswer(['approve', 'swap']));
    const { hashes } = await world.run();
    assert.equal(hashes.length, 2);
    const [approval, swap] = hashes;
    const sent = world.log.indexOf(`send ${swap}`);
    assert.ok(world.log.slice(0, sent).filter((line) => line === `ask ${approval}`).length >= 2);
  });
});

describe('a wallet that sends by itself', () => {
  test('is put on the chain, asked once, and followed by its hash', async () => {
    const world = createWorld();
    const asked: Record<string, string>[] = [];
    const wallet = createBrowserWallet((transaction) => {
      asked.push(transaction);
      world.take('0xh');
      return '0xh';
    });
    const outcome = await world.run({ wallet });
    assert.deepEqual(outcome.hashes, ['0xh']);
    assert.equal(wallet.chainId, SWAP.chainId);
    assert.deepEqual(asked, [
      {
        ...{ chainId: '0x539', from: account.address, to: SWAP.to, data: SWAP.data },
        ...{ value: toQuantity(SWAP.value), gas: toQuantity(SWAP.gas) },
        maxFeePerGas: toQuantity(SWAP.maxFeePerGas),
        maxPriorityFeePerGas: toQuantity(SWAP.maxPriorityFeePerGas),
      },
    ]);
  });

  test('that fails without a hash is never asked again', async () => {
    const world = createWorld();
    let asked = 0;
    const wallet = createBrowserWallet(() => {
      asked += 1;
      throw new Error('the extension crashed');
    });
    const first = await catchTradeError(world.run({ wallet }));
    assert.deepEqual([first.code, first.progress.sent], ['SEND_UNCERTAIN', [null]]);
    const second = await catchTradeError(world.run({ wallet, resume: first.progress }));
    assert.equal(second.code, 'SEND_UNCERTAIN');
    assert.equal(asked, 1);
  });

  test('whose transaction nobody knows is not asked again either', async () => {
    const world = createWorld();
    let asked = 0;
    const wallet = createBrowserWallet(() => {
      asked += 1;
      return '0xh';
    });
    const first = await catchTradeError(world.run({ wallet }));
    assert.deepEqual([first.code, first.progress.sent], ['LOST', ['0xh']]);
    const second = await catchTradeError(world.run({ wallet, resume: first.progress }));
    assert.deepEqual([second.code, asked], ['LOST', 1]);
  });

  test('whose user says no has sent nothing, and may say yes later', async () => {
    const world = createWorld();
    let isWilling = false;
    const wallet = createBrowserWallet(() => {
      if (!isWilling) throw Object.assign(new Error('no'), { code: 4001 });
      world.take('0xh');
      return '0xh';
    });
    const error = await catchTradeError(world.run({ wallet }));
    assert.deepEqual([error.code, error.progress.sent], ['REFUSED', []]);
    isWilling = true;
    const outcome = await world.run({ wallet, resume: error.progress });
    assert.equal(outcome.status, 'confirmed');
  });

  test('with another account, or that stays on its chain, is not asked', async () => {
    const world = createWorld();
    const wallet = createBrowserWallet(() => assert.fail('it was asked'));
    wallet.address = `0x${'1'.repeat(40)}`;
    assert.equal((await catchTradeError(world.run({ wallet }))).code, 'WRONG_WALLET');
    const stubborn = createBrowserWallet(() => assert.fail('it was asked'));
    Object.defineProperty(stubborn, 'chainId', { value: 5, writable: false });
    const fixed = {
      request: (call: { method: string; params?: readonly unknown[] }) =>
        call.method === 'wallet_switchEthereumChain'
          ? Promise.resolve(null)
          : stubborn.request(call),
    };
    assert.equal((await catchTradeError(world.run({ wallet: fixed }))).code, 'WRONG_CHAIN');
  });
});

describe('a trade that is given up', () => {
  test('while the wallet is looked at has it open no prompt', async () => {
    const world = createWorld();
    const abort = new AbortController();
    const wallet = createBrowserWallet(() => assert.fail('it was asked'));
    const noted: (readonly (string | null)[])[] = [];
    const slow = {
      request: (call: { method: string; params?: readonly unknown[] }) => {
        if (call.method === 'eth_accounts') abort.abort();
        return wallet.request(call);
      },
    };
    const { signal } = abort;
    const onProgress = ({ sent }: TradeProgress) => void noted.push(sent);
    await assert.rejects(world.run({ wallet: slow, signal, onProgress }), { name: 'AbortError' });
    assert.deepEqual(noted.at(-1), [], 'nothing was sent');
  });

  test('before it is signed is not signed, and while it is signed is not sent', async () => {
    const world = createWorld();
    const abort = new AbortController();
    const { signal } = abort;
    let signed = 0;
    const signTransaction: typeof account.signTransaction = (transaction) => {
      signed += 1;
      abort.abort();
      return account.signTransaction(transaction);
    };
    const wallet = { ...createLocal(world.take), account: { ...account, signTransaction } };
    await assert.rejects(world.run({ wallet, signal }), { name: 'AbortError' });
    const review = () => true;
    const resume = { built: world.built, sent: [] };
    await assert.rejects(world.run({ wallet, signal, review, resume }), { name: 'AbortError' });
    assert.deepEqual([signed, countSends(world)], [1, 0]);
  });
});

describe('an end without a trade', () => {
  test('a refused review, missing funds and a passed deadline send nothing', async () => {
    const refused = createWorld();
    assert.equal((await catchTradeError(refused.run({ review: () => false }))).code, 'REFUSED');
    const shortfall = { mint: '0x', requiredRaw: '2', actualRaw: '1' };
    const poor = createWorld({ ...buildAnswer(), issues: { balance: shortfall } });
    assert.equal((await catchTradeError(poor.run())).code, 'INSUFFICIENT_FUNDS');
    const late = createWorld({ ...buildAnswer(), deadline: Date.now() });
    assert.equal((await catchTradeError(late.run())).code, 'EXPIRED');
    assert.deepEqual([refused, poor, late].map(countSends), [0, 0, 0]);
  });

  test('a reverted transaction ends it, and the next one is not sent', async () => {
    const world = createWorld(buildAnswer(['approve', 'swap']));
    world.fates = ['pending', 'reverted'];
    assert.equal((await catchTradeError(world.run())).code, 'REVERTED');
    assert.equal(countSends(world), 1);
  });

  test('one that is not mined in time can be followed later', async () => {
    const world = createWorld();
    world.fates = ['pending'];
    const error = await catchTradeError(world.run({ timeoutMs: 10 }));
    assert.equal(error.code, 'PENDING');
    world.fates = ['pending', 'finalized'];
    const outcome = await world.run({ resume: error.progress, until: 'finalized' });
    assert.equal(outcome.status, 'finalized');
    assert.equal(countSends(world), 1);
  });
});
