// A chain, the service that follows it, and a wallet that trades through the service: it signs with
// its own key and sends itself.

import assert from 'node:assert/strict';
import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { MAKER } from '../devnet/accounts.ts';
import { createBlockWriter } from '../devnet/block-writer.ts';
import type { TestChain, TestReceipt } from '../devnet/test-chain.ts';
import { ZERO_ADDRESS } from '../src/chains/evm/data/zero-address.ts';
import { type AccessClient, type ClientAnswer, createAccessClient } from './access-client.ts';
import { untilAtHead } from './indexed-service.ts';
import { createIndexingScene, type Engine } from './indexing-scene.ts';
import type { Json } from './market-scene.ts';
import { type Cleanup, type RunningService, startServiceProcess } from './start-service-process.ts';
import { buildBalanceCall } from './trade-wallet.ts';

/** Tests may trade as often as they like. */
export const LIMITS = Object.fromEntries(
  ['ANONYMOUS', 'SESSION', 'KEY', 'IP'].flatMap((name) => [
    [`LIMIT_${name}_PER_MINUTE`, '10000000'],
    [`LIMIT_${name}_BURST`, '10000000'],
  ]),
);

const GIFT_GAS = 200_000n;
const TRANSFER_ABI = parseAbi([
  'function transfer(address to, uint256 value)',
  'function deposit() payable',
]);

export interface ServiceTradeInput {
  readonly mint: string;
  readonly side: 'buy' | 'sell';
  /** One of the two. */
  readonly amountInRaw?: bigint;
  readonly amountOutRaw?: bigint;
  readonly slippageBps?: number | 'auto';
  readonly quoteMint?: string;
  readonly priority?: string | { readonly microLamports: string };
}

export interface TradeService {
  readonly chain: TestChain;
  readonly service: RunningService;
  readonly client: AccessClient;
  mintOf(key: string): string;
  /** Waits until quotes are as of the chain's newest block, and their measurements not in doubt. */
  settle(): Promise<void>;
  quote(trade: ServiceTradeInput): Promise<ClientAnswer>;
  createTrader(): Promise<TestTrader>;
  /** Gives away some of the maker's tokens, all in one block. */
  give(gifts: readonly Gift[]): Promise<void>;
}

export interface TestTrader {
  readonly account: PrivateKeyAccount;
  readonly token: string;
  build(trade: ServiceTradeInput, more?: Readonly<Record<string, unknown>>): Promise<ClientAnswer>;
  /** Signs built transactions and sends them to the node; mines nothing. */
  send(transactions: readonly Json[]): Promise<Hex[]>;
  /** A transaction of the wallet itself, with fees and nonce filled in; mined. */
  sendOwn(transaction: Json): Promise<void>;
  /** Signs, sends, mines and reads the result. */
  execute(built: Json): Promise<TradeExecution>;
}

export interface TradeExecution {
  readonly receipts: readonly TestReceipt[];
  readonly receivedRaw: bigint;
  readonly spentRaw: bigint;
}

export function buildBody(input: ServiceTradeInput, chain = 'devnet') {
  const { mint, side, amountInRaw, amountOutRaw, slippageBps, quoteMint, priority } = input;
  return {
    ...{ chain, mint, side, slippageBps, quoteMint, priority },
    ...{ amountInRaw: amountInRaw?.toString(), amountOutRaw: amountOutRaw?.toString() },
  };
}

function sumFees(receipts: readonly TestReceipt[]): bigint {
  return receipts.reduce((sum, receipt) => {
    const { gasUsed, effectiveGasPrice } = receipt as TestReceipt & { effectiveGasPrice: Hex };
    return sum + BigInt(gasUsed) * BigInt(effectiveGasPrice);
  }, 0n);
}

async function createTrader(scene: TradeService): Promise<TestTrader> {
  const { chain, client } = scene;
  const account = privateKeyToAccount(generatePrivateKey());
  const { token } = await client.signIn({
    address: account.address,
    chain: 'devnet',
    sign: (message) => account.signMessage({ message }),
  });
  const send = async (transactions: readonly Json[]): Promise<Hex[]> => {
    const signed: Hex[] = [];
    for (const one of transactions) {
      const raw = await account.signTransaction({
        chainId: one.chainId,
        to: one.to,
        data: one.data,
        value: BigInt(one.value),
        gas: BigInt(one.gas),
        maxFeePerGas: BigInt(one.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(one.maxPriorityFeePerGas),
        nonce: one.nonce,
        type: one.type,
      });
      signed.push(raw);
    }
    return chain.rpc.batch<Hex>(
      signed.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] })),
    );
  };
  return {
    account,
    token,
    build: (trade, more = {}) =>
      client.send('POST', '/trade/build', {
        body: { ...buildBody(trade), ...more },
        bearer: token,
      }),
    send,
    sendOwn: async (transaction) => {
      const { address } = account;
      const nonce = Number(
        await chain.rpc.call<Hex>('eth_getTransactionCount', address, 'pending'),
      );
      const fees = { maxFeePerGas: '100000000000', maxPriorityFeePerGas: '1000000' };
      await send([{ ...transaction, ...fees, nonce, chainId: 1337, type: 'eip1559' }]);
      await chain.mine();
    },
    execute: async (built) => {
      const watch = await watchTrade(chain, account.address, built);
      const hashes = await send(built.transactions);
      await chain.mine();
      return watch(hashes);
    },
  };
}

/** Records a wallet's balances before a trade; the returned function reads the change. */
export async function watchTrade(
  chain: TestChain,
  owner: string,
  { quote }: Json,
): Promise<(hashes: readonly Hex[]) => Promise<TradeExecution>> {
  const [tokenIn, tokenOut] = [quote.input.mint, quote.output.mint].map((mint: string) =>
    mint.toLowerCase(),
  ) as [string, string];
  const balances = [tokenIn, tokenOut].map((token) => buildBalanceCall(token, owner));
  const before = await chain.rpc.batch<Hex>(balances);
  return async (hashes) => {
    const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    const [inAfter, outAfter, ...rest] = await chain.rpc.batch<Hex>([...balances, ...calls]);
    const receipts = rest as unknown as TestReceipt[];
    const fees = sumFees(receipts);
    const findFees = (mint: string) => (mint === ZERO_ADDRESS ? fees : 0n);
    return {
      receipts,
      receivedRaw: BigInt(outAfter ?? 0) - BigInt(before[1] ?? 0) + findFees(tokenOut),
      spentRaw: BigInt(before[0] ?? 0) - BigInt(inAfter ?? 0) - findFees(tokenIn),
    };
  };
}

export function assertProblem(answer: ClientAnswer, status: number, code: string): Json {
  assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
  return answer.body;
}

export async function buildWell(
  who: TestTrader,
  ...args: Parameters<TestTrader['build']>
): Promise<Json> {
  const { status, body } = await who.build(...args);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Of built transactions, in signing order. */
export function listKinds({ transactions }: Json): string[] {
  return transactions.map(({ kind }: Json) => kind);
}

export type Gift = readonly [owner: string, token: string, amountRaw: bigint];

async function give(chain: TestChain, gifts: readonly Gift[]): Promise<void> {
  const { weth } = chain.deployment.contracts;
  const nonce = Number(await chain.rpc.call<Hex>('eth_getTransactionCount', MAKER, 'latest'));
  const writer = createBlockWriter(chain.rpc, new Map([[MAKER, nonce]]));
  const wrapped = gifts.reduce(
    (sum, [, token, amount]) => sum + (token === weth ? amount : 0n),
    0n,
  );
  const deposit = encodeFunctionData({ abi: TRANSFER_ABI, functionName: 'deposit' });
  const common = { from: MAKER, gas: GIFT_GAS };
  if (wrapped > 0n) writer.queue({ ...common, to: weth, data: deposit, value: wrapped });
  for (const [owner, token, amountRaw] of gifts) {
    const args = [owner as Hex, amountRaw] as const;
    const data = encodeFunctionData({ abi: TRANSFER_ABI, functionName: 'transfer', args });
    writer.queue({ ...common, to: token as Hex, data });
  }
  while (writer.queuedCount > 0) {
    const hashes = await writer.mine();
    const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    for (const { status } of await chain.rpc.batch<TestReceipt>(calls)) assert.equal(status, '0x1');
  }
}

const WAIT_MAX_MS = 120_000;

/** Polls until the condition holds; fails with `what` otherwise. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  while (!(await isSo())) {
    if (Date.now() > deadlineMs) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** Waits until every pool has been probed, so that quotes can be exact. */
async function untilMeasured(scene: TradeService): Promise<void> {
  const { tokens, pools } = scene.chain.deployment;
  const traded = new Set(pools.map(({ token }) => token));
  const isKnown = async (mint: string) => {
    const { body } = await scene.quote({ mint, side: 'buy', amountInRaw: 10n ** 16n });
    const { warnings = [], networkCost } = body as Json;
    return Boolean(networkCost) && !warnings.some(({ code }: Json) => code === 'SAFETY_UNKNOWN');
  };
  for (const { key, address } of tokens) {
    if (traded.has(key)) await until(`${key} is measured`, () => isKnown(address));
  }
}

export async function startTradeService(
  t: Cleanup,
  options: { readonly engine?: Engine; readonly hasOthers?: boolean } = {},
): Promise<TradeService> {
  const { engine = 'sqlite', hasOthers } = options;
  const { chain, env } = await createIndexingScene(t, { engine, hasOthers });
  await chain.rpc.call('anvil_setBalance', MAKER, `0x${(10n ** 26n).toString(16)}`);
  const service = await startServiceProcess(t, { env: { ...env, ...LIMITS } });
  await untilAtHead(service, chain);
  const client = createAccessClient(service.origin);
  const scene: TradeService = {
    chain,
    service,
    client,
    mintOf: (key) => {
      if (key === 'eth') return ZERO_ADDRESS;
      if (key === 'weth') return chain.deployment.contracts.weth;
      const token = chain.deployment.tokens.find((one) => one.key === key);
      return token?.address ?? assert.fail(`no token ${key}`);
    },
    settle: async () => {
      const head = await chain.readHead();
      const probe = { mint: scene.mintOf('wire'), side: 'buy', amountInRaw: 10n ** 15n } as const;
      await until(`quotes are at block ${head}`, async () => {
        const { state, warnings = [] } = (await scene.quote(probe)).body as Json;
        const isStale = warnings.some(({ code }: Json) => code === 'SAFETY_STALE');
        return (state?.block ?? -1) >= head && !isStale;
      });
    },
    quote: (trade) => client.send('POST', '/trade/quote', { body: buildBody(trade) }),
    createTrader: () => createTrader(scene),
    give: (gifts) => give(chain, gifts),
  };
  await untilMeasured(scene);
  return scene;
}
