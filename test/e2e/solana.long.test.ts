// The composed service on Solana: recorded transactions of mainnet, served by fake nodes that fork,
// fail and lie.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PumpPool } from '../../src/amm/pump/pump-kind.ts';
import { type MemoryAccount, MemorySolana } from '../fakes/memory-solana.ts';
import { type MisbehavingRpc, startMisbehavingRpc } from '../fakes/misbehaving-rpc.ts';
import {
  buildNamedMint,
  type RecordedBlock,
  readRecordedTransactions,
  setRecordedAccounts,
} from '../fakes/recorded-solana.ts';
import { assertVerified, stopService, untilAtHead } from '../indexed-service.ts';
import type { Json } from '../market-scene.ts';
import { openHttpStream } from '../open-http-stream.ts';
import { skipWithoutSolana as skip } from '../solana-fixtures.ts';
import {
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';
import { waitUntil } from '../wait-until.ts';

const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const START = 1000;
const SOL = 'So11111111111111111111111111111111111111112';
/** Created in a recorded transaction, on a curve. */
const COIN = '4i39ueoavjHaMwv6Lizq5LYjAi4xDqGDEnj7CmS3pump';
const CURVE = 'GiNeuFq3G3pWy93UU2zCF8QoTki7Sm6vstwjPhhKxiCv';
const CREATOR = '3DQTxiyw5DaSLrQyd6837V61uobTkPbB4KFrqqbNo95F';

/** The address and the content of the curves' fees: one tier for all market values. */
const CURVE_FEES = '8Wf5TiAheLUqBrKXeYg2JtAFFMWtKdG2BSFgqUcPVwTt';
function buildCurveFees(): Buffer {
  const data = Buffer.alloc(109);
  data.write('8f3492bbdb7b4c9b', 'hex');
  data.writeUInt32LE(1, 65);
  data.writeBigUInt64LE(95n, 69 + 16 + 8);
  data.writeBigUInt64LE(30n, 69 + 16 + 16);
  return data;
}

/** The recorded transactions in blocks, with skipped slots between some of them. */
class RecordedChain {
  readonly memory = new MemorySolana(GENESIS);
  readonly #recorded: readonly RecordedBlock[];
  #next = 0;
  #branch = 0;
  #accountsBefore = new Map<string, MemoryAccount>();

  constructor() {
    this.#recorded = readRecordedTransactions();
    this.memory.accounts.set(COIN, {
      owner: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
      data: buildNamedMint({
        ...{ supply: 2n * 10n ** 15n, decimals: 6, name: 'valueless coin', symbol: 'valueless' },
      }),
    });
    this.memory.accounts.set(CURVE_FEES, { owner: SOL, data: buildCurveFees() });
    const blockTime = (this.#recorded[0]?.blockTime ?? 0) - 1;
    for (const slot of [START - 1, START]) this.memory.add(slot, { blockTime });
    this.memory.finalized = START;
  }

  get signature(): string {
    return this.#last.raw.transaction.signatures[0] ?? assert.fail();
  }

  get #last(): RecordedBlock {
    return this.#recorded[this.#next - 1] ?? assert.fail();
  }

  /** Adds blocks up to the one with the named recording. */
  growTo(name: string): void {
    const end = this.#recorded.findIndex(({ file }) => file.includes(name)) + 1;
    assert.ok(end > this.#next, name);
    while (this.#next < end) this.#add();
  }

  #add(): void {
    const { raw, blockTime } = this.#recorded[this.#next] ?? assert.fail();
    this.#next += 1;
    this.#accountsBefore = new Map(this.memory.accounts);
    setRecordedAccounts(this.memory, raw);
    const slot = this.memory.head + (this.#next % 4 === 0 ? 3 : 1);
    this.memory.add(slot, { transactions: [raw], blockTime, branch: `b${this.#branch}` });
  }

  /** The newest transaction moves to another block, some slots later. */
  fork(): void {
    this.#branch += 1;
    this.memory.cut(this.memory.head);
    this.#next -= 1;
    for (const [address, account] of this.#accountsBefore) {
      this.memory.accounts.set(address, account);
    }
    for (let count = 0; count < 2; count += 1) {
      const blockTime = this.#last.blockTime + 1;
      this.memory.add(this.memory.head + 1, { blockTime, branch: `b${this.#branch}` });
    }
    this.#add();
  }

  finalize(): void {
    this.memory.finalized = this.memory.head;
  }
}

async function startNode(t: TestContext, chain: MemorySolana): Promise<MisbehavingRpc> {
  const node = await startMisbehavingRpc(chain.answer);
  t.after(() => node.stop());
  return node;
}

async function readJson(service: RunningService, path: string, body?: object): Promise<Json> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${service.origin}/v1/${path}`, init);
  return { status: response.status, json: await response.json() };
}

async function createScene(t: TestContext) {
  const chain = new RecordedChain();
  chain.growTo('create-v2-initial-buy');
  chain.finalize();
  const [faulty, honest] = [await startNode(t, chain.memory), await startNode(t, chain.memory)];
  const env = {
    RPC_SOLANA: `${faulty.url},${honest.url}`,
    START_BLOCK_SOLANA: String(START),
    DATA_DIR: createTempFolder(t),
  };
  const service = await startServiceProcess(t, { env });
  const untilThere = () => untilAtHead(service, { readHead: async () => chain.memory.head });
  await untilThere();
  const get = async (path: string) => {
    const { status, json } = await readJson(service, path);
    assert.equal(status, 200, `${path} ${JSON.stringify(json)}`);
    return json as Json;
  };
  return { chain, faulty, env, service, untilThere, get };
}

type Scene = Awaited<ReturnType<typeof createScene>>;

async function assertCoin({ get }: Scene): Promise<void> {
  let token: Json = {};
  // Its supply is read beside the blocks, and its balances count as whole from then on.
  await waitUntil(async () => {
    token = await get(`token?chain=solana&mint=${COIN}`);
    return token.createdAt !== null;
  });
  assert.deepEqual(
    [token.name, token.symbol, token.decimals],
    [...['valueless coin', 'valueless', 6]],
  );
  assert.equal(token.createdAt, 1785265230000);
  assert.equal(token.topPool.address, CURVE);
  const { venue, progressPct, graduatedAt } = token.launchpad;
  assert.deepEqual([venue, graduatedAt], ['pump', null]);
  assert.ok(progressPct > 0 && progressPct < 1, String(progressPct));
  for (const q of ['valueless', COIN]) {
    const { tokens } = await get(`tokens/search?q=${q}&chain=solana`);
    assert.equal(tokens[0].mint, COIN);
  }
  const launched = await get('tokens?chain=solana&sort=new&launchpad=pump');
  assert.ok(launched.tokens.some(({ mint }: Json) => mint === COIN));
  const { trades } = await get(`token/trades?chain=solana&mint=${COIN}`);
  assert.equal(trades.length, 1);
  assert.deepEqual([trades[0].side, trades[0].venue], ['buy', 'pump']);
  assert.equal(trades[0].amountRaw, '2142050506401');
  assert.notEqual(trades[0].priceUsd, null);
  const { klines } = await get(`token/klines?chain=solana&mint=${COIN}&interval=1m`);
  assert.equal(klines.at(-1).trades, 1);
  const { holders, coverage } = await get(`token/holders?chain=solana&mint=${COIN}`);
  assert.equal(coverage.holdersComplete, true);
  const kinds = new Map(holders.map(({ owner, kind }: Json) => [owner, kind]));
  assert.equal(kinds.get(CURVE), 'pool');
  assert.ok(kinds.has(CREATOR));
}

/** What a purchase on the curve is quoted at, to the unit, once the curve's accounts were read. */
async function assertQuoted({ service }: Scene): Promise<void> {
  const trade = { chain: 'solana', mint: COIN, side: 'buy', amountInRaw: '1000000' };
  let quote: Json = {};
  await waitUntil(async () => {
    quote = await readJson(service, 'trade/quote', trade);
    return quote.status === 200 && quote.json.exact;
  });
  const curve = new PumpPool({
    ...{ stage: 'curve', reserve0: 1_070_857_949_493_599n, reserve1: 30_060_009_374n },
    ...{ held0: 10n ** 14n, held1: 60_009_374n, lpBps: 0, protocolBps: 95, creatorBps: 0 },
  });
  const { amountOut } = curve.swapIn(false, 1_000_000n);
  const { output, route, networkCost, tokenSafety, input } = quote.json;
  assert.equal(output.amountRaw, amountOut.toString());
  assert.equal(output.minAmountRaw, ((amountOut * 9950n) / 10_000n).toString());
  assert.deepEqual([input.native, input.symbol], [true, 'SOL']);
  assert.deepEqual([route[0].hops[0].venue, route[0].hops[0].pool], ['pump', CURVE]);
  const { baseFeeRaw, priorityFeeRaw, rentRaw, totalRaw, computeUnits } = networkCost;
  assert.deepEqual([baseFeeRaw, rentRaw], ['5000', '2157600']);
  // What half of the last blocks asked for at most.
  assert.equal(priorityFeeRaw, ((BigInt(computeUnits) * 20_000n) / 1_000_000n).toString());
  assert.equal(BigInt(totalRaw), 2_162_600n + BigInt(priorityFeeRaw));
  assert.deepEqual([tokenSafety.sellable, tokenSafety.buyTaxBps], [true, 0]);
}

/** Names are case-sensitive and of this chain only; amounts have 64 bits. */
async function assertRefusals({ service, chain }: Scene): Promise<void> {
  const ask = (path: string) => readJson(service, path);
  const lower = await ask(`token?chain=solana&mint=${COIN.toLowerCase()}`);
  assert.equal(lower.status, 400);
  assert.equal(lower.json.code, 'INVALID_ADDRESS');
  const trade = { chain: 'solana', mint: COIN, side: 'sell', amountInRaw: String(2n ** 64n) };
  const quote = await readJson(service, 'trade/quote', trade);
  assert.deepEqual([quote.status, quote.json.code], [400, 'INVALID_INPUT']);
  const { signature } = chain;
  const { json } = await ask(`trade/status?chain=solana&txHash=${signature}`);
  assert.deepEqual([json.status, json.block], ['finalized', chain.memory.head]);
}

/** A stream of the coin while its last block is replaced. */
async function assertStreamed(scene: Scene): Promise<void> {
  const { service, chain, untilThere, get, faulty } = scene;
  const query = `chain=solana&mint=${COIN}&events=trade`;
  const stream = await openHttpStream(`${service.origin}/v1/token/stream?${query}`);
  await stream.until(({ event }) => event === 'snapshot');
  faulty.misbehave(({ method, seen }) => {
    if (method === 'getBlock' && seen % 3 === 0) {
      return { do: 'error', code: -32007, message: 'Slot was skipped' };
    }
    return method === 'getBlocks' ? { do: 'change', change: () => [] } : null;
  });
  chain.growTo('pumpfun-sell-cpi');
  const first = await stream.until(({ event }) => event === 'trade');
  assert.equal(first.data.side, 'sell');
  await untilThere();
  chain.fork();
  await stream.until(({ event }) => event === 'revert');
  const block = chain.memory.head;
  await stream.until(({ event, data }) => event === 'trade' && data.block === block);
  await untilThere();
  faulty.misbehave(null);
  stream.leave();
  const { trades } = await get(`token/trades?chain=solana&mint=${COIN}`);
  assert.deepEqual(
    trades.map(({ side, block: at }: Json) => [side, at === block]),
    [
      ['sell', true],
      ['buy', false],
    ],
  );
}

/** The last recording moves a coin from its curve to a pool of its own. */
async function assertGraduated({ chain, untilThere, get }: Scene): Promise<void> {
  chain.growTo('migrate-v2-create-pool');
  chain.finalize();
  await untilThere();
  const { tokens } = await get('tokens?chain=solana&sort=new&launchpad=pump&include=unpriced');
  const graduated = tokens.filter(({ launchpad }: Json) => launchpad.graduatedAt !== null);
  assert.equal(graduated.length, 1);
  assert.deepEqual(graduated[0].launchpad, {
    ...{ venue: 'pump', progressPct: 100, graduatedAt: 1786177043000 },
  });
  const token = await get(`token?chain=solana&mint=${graduated[0].mint}`);
  assert.equal(token.topPool.venue, 'pumpswap');
  const pool = await get(`pool?chain=solana&pool=${token.topPool.address}`);
  assert.equal(pool.createdAt, 1786177043000);
}

test('Solana is followed, read, streamed and verified', { skip }, async (t) => {
  const scene = await createScene(t);
  const { chains } = await scene.get('chains');
  assert.deepEqual([chains[0].slug, chains[0].caip2], ['solana', `solana:${GENESIS.slice(0, 32)}`]);
  const sol = await scene.get(`token?chain=solana&mint=${SOL}`);
  assert.ok(Number(sol.priceUsd) > 100 && Number(sol.priceUsd) < 300, sol.priceUsd);
  await assertCoin(scene);
  await assertQuoted(scene);
  await assertRefusals(scene);
  await assertStreamed(scene);
  await assertGraduated(scene);
  await stopService(scene.service);
  const output = await assertVerified(scene.env, 'solana');
  assert.match(output, /^ {2}pool of contract +\d\d/m);
});

test('an endpoint of another chain is refused', { skip }, async (t) => {
  const other = new MemorySolana('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG');
  other.add(START);
  const node = await startNode(t, other);
  const service = await startServiceProcess(t, { env: { RPC_SOLANA: node.url } });
  await waitUntil(() => service.output().includes('serves chain EtWTRABZaYq6iMfeYKouRu166VU2xqa1'));
  assert.equal((await fetch(`${service.origin}/v1/ready`)).status, 503);
  assert.equal(node.count('getBlock'), 0);
});
