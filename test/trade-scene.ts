// A chain, the service that follows it, and a wallet that trades through the service: it asks,
// signs with its own key and sends by itself.

import assert from 'node:assert/strict';
import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { MAKER } from '../devnet/accounts.ts';
import { toSendCall } from '../devnet/block-writer.ts';
import type { TestChain, TestReceipt } from '../devnet/test-chain.ts';
import { ZERO_ADDRESS } from '../src/model/market-event.ts';
import { type AccessClient, type Answer, createAccessClient } from './access-client.ts';
import { createIndexingScene, type Engine, untilAtHead } from './indexing-scene.ts';
import type { Json } from './market-scene.ts';
import { type Cleanup, type RunningService, startService } from './start-service.ts';
import { readBalance } from './trade-wallet.ts';

const LIMITS = Object.fromEntries(
  ['ANONYMOUS', 'SESSION', 'KEY', 'IP'].flatMap((name) => [
    [`LIMIT_${name}_PER_MINUTE`, '10000000'],
    [`LIMIT_${name}_BURST`, '10000000'],
  ]),
);

const TRANSFER_ABI = parseAbi([
  'function transfer(address to, uint256 value)',
  'function deposit() payable',
]);

export interface TradeInput {
  readonly mint: string;
  readonly side: 'buy' | 'sell';
  readonly amountInRaw: bigint;
  readonly slippageBps?: number;
  readonly quoteMint?: string;
}

export interface TradeScene {
  readonly chain: TestChain;
  readonly service: RunningService;
  readonly client: AccessClient;
  mintOf(key: string): string;
  /** Waits until quotes are as of the chain's newest block. */
  settle(): Promise<void>;
  quote(trade: TradeInput): Promise<Answer>;
  createTrader(): Promise<TestTrader>;
  /** Gives a wallet of what the maker has, all in one block. */
  give(owner: string, amounts: ReadonlyMap<string, bigint>): Promise<void>;
}

export interface TestTrader {
  readonly account: PrivateKeyAccount;
  readonly token: string;
  build(trade: TradeInput, more?: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Signs what was built and hands it to the node; mines nothing. */
  send(transactions: readonly Json[]): Promise<Hex[]>;
  /** Signs, sends, mines and reads what came of it. */
  execute(built: Json): Promise<Execution>;
}

export interface Execution {
  readonly receipts: readonly TestReceipt[];
  readonly receivedRaw: bigint;
  readonly spentRaw: bigint;
}

function toBody({ amountInRaw, ...trade }: TradeInput) {
  return { chain: 'devnet', ...trade, amountInRaw: amountInRaw.toString() };
}

async function readReceipts(chain: TestChain, hashes: readonly Hex[]): Promise<TestReceipt[]> {
  return chain.rpc.batch<TestReceipt>(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  );
}

function toFees(receipts: readonly TestReceipt[]): bigint {
  return receipts.reduce((sum, receipt) => {
    const { gasUsed, effectiveGasPrice } = receipt as TestReceipt & { effectiveGasPrice: Hex };
    return sum + BigInt(gasUsed) * BigInt(effectiveGasPrice);
  }, 0n);
}

async function createTrader(scene: TradeScene): Promise<TestTrader> {
  const { chain, client } = scene;
  const account = privateKeyToAccount(generatePrivateKey());
  const { token } = await client.signIn({
    address: account.address,
    chain: 'devnet',
    sign: (message) => account.signMessage({ message }),
  });
  const send = async (transactions: readonly Json[]): Promise<Hex[]> => {
    const hashes: Hex[] = [];
    for (const one of transactions) {
      const signed = await account.signTransaction({
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
      hashes.push(await chain.rpc.call<Hex>('eth_sendRawTransaction', signed));
    }
    return hashes;
  };
  return {
    account,
    token,
    build: (trade, more = {}) =>
      client.send('POST', '/trade/build', { body: { ...toBody(trade), ...more }, bearer: token }),
    send,
    execute: async ({ quote, transactions }) => {
      const [tokenIn, tokenOut] = [quote.input.mint, quote.output.mint].map((mint: string) =>
        mint.toLowerCase(),
      ) as [string, string];
      const read = () =>
        Promise.all([tokenIn, tokenOut].map((mint) => readBalance(chain, mint, account.address)));
      const [inBefore = 0n, outBefore = 0n] = await read();
      const hashes = await send(transactions);
      await chain.mine();
      const receipts = await readReceipts(chain, hashes);
      const [inAfter = 0n, outAfter = 0n] = await read();
      const fees = toFees(receipts);
      const toOwn = (mint: string) => (mint === ZERO_ADDRESS ? fees : 0n);
      return {
        receipts,
        receivedRaw: outAfter - outBefore + toOwn(tokenOut),
        spentRaw: inBefore - inAfter - toOwn(tokenIn),
      };
    },
  };
}

async function give(
  chain: TestChain,
  owner: string,
  amounts: ReadonlyMap<string, bigint>,
): Promise<void> {
  const { weth } = chain.deployment.contracts;
  const calls = [...amounts].flatMap(([token, amount]) => {
    const args = [owner as Hex, amount] as const;
    const transfer = encodeFunctionData({ abi: TRANSFER_ABI, functionName: 'transfer', args });
    const from = MAKER;
    const gas = 200_000n;
    const sent = toSendCall({ from, to: token as Hex, data: transfer, gas });
    if (token !== weth) return [sent];
    const deposit = encodeFunctionData({ abi: TRANSFER_ABI, functionName: 'deposit' });
    return [toSendCall({ from, to: weth, data: deposit, value: amount, gas }), sent];
  });
  const hashes: Hex[] = [];
  for (const { method, params } of calls) {
    hashes.push(await chain.rpc.call<Hex>(method, ...params));
  }
  await chain.mine();
  for (const { status } of await readReceipts(chain, hashes)) assert.equal(status, '0x1');
}

export async function startTradeScene(
  t: Cleanup,
  options: { readonly engine?: Engine } = {},
): Promise<TradeScene> {
  const { chain, env } = await createIndexingScene(t, { engine: options.engine ?? 'sqlite' });
  await chain.rpc.call('anvil_setBalance', MAKER, `0x${(10n ** 26n).toString(16)}`);
  const service = await startService(t, { env: { ...env, ...LIMITS } });
  await untilAtHead(service, chain);
  const client = createAccessClient(service.origin);
  const scene: TradeScene = {
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
      for (;;) {
        const { body } = await scene.quote(probe);
        const { block } = (body as Json).state ?? { block: -1 };
        if (block >= head) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    quote: (trade) => client.send('POST', '/trade/quote', { body: toBody(trade) }),
    createTrader: () => createTrader(scene),
    give: (owner, amounts) => give(chain, owner, amounts),
  };
  return scene;
}
