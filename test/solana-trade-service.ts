// The embedded Solana chain with blocks on demand, the service that follows it, and wallets that
// trade through the service: they sign with @solana/kit and send themselves.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import {
  createKeyPairFromPrivateKeyBytes,
  createSolanaRpc,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
  signBytes,
} from '@solana/kit';
import { writeJsonAtomically } from '../devnet/deployment.ts';
import {
  findTokenAccount,
  type MintRef,
  openTokenAccount,
  transferTokens,
} from '../devnet/solana/instructions.ts';
import { planLaunch, planMigration } from '../devnet/solana/launches.ts';
import { openChain } from '../devnet/solana/open-chain.ts';
import { type CurveCoin, describeCurve } from '../devnet/solana/pump-instructions.ts';
import { startRpcServer } from '../devnet/solana/rpc-server.ts';
import { buildScene, describeGenesis, type Scene, send, toRaw } from '../devnet/solana/scene.ts';
import type { SolanaChain } from '../devnet/solana/solana-chain.ts';
import { describeDeployment } from '../devnet/solana/start-solana-devnet.ts';
import { createSigningKey, type SigningKey } from '../devnet/solana/wire-transaction.ts';
import { SYSTEM_PROGRAM, WRAPPED_SOL } from '../src/chains/solana/data/solana-ids.ts';
import { type AccessClient, type ClientAnswer, createAccessClient } from './access-client.ts';
import type { Json } from './market-scene.ts';
import {
  type Cleanup,
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from './start-service-process.ts';
import { buildBody, LIMITS, type ServiceTradeInput, until } from './trade-service.ts';

export const SLUG = 'devnet-solana';
const SEED = 'solana trades';
const COIN_SOL = 1_000_000_000n;
/** Of a curve's account. */
const REAL_QUOTE_OFFSET = 32;
const AMOUNT_OFFSET = 64;
const KEY_BYTES = 32;

export interface SolanaTrader {
  readonly address: string;
  readonly token: string;
  build(trade: ServiceTradeInput, more?: Readonly<Record<string, unknown>>): Promise<ClientAnswer>;
  /** The signature that a built transaction will have. */
  identify(transaction: string): Promise<string>;
  /** Signs it and sends it to the node; it waits for the next block. Returns the signature. */
  send(transaction: string, how?: { readonly skipPreflight: boolean }): Promise<string>;
}

export interface SolanaTradeService {
  readonly chain: SolanaChain;
  readonly scene: Scene;
  readonly service: RunningService;
  readonly client: AccessClient;
  readonly rpcUrl: string;
  /** The settings with which the service follows the chain. */
  readonly env: Readonly<Record<string, string>>;
  /** Coins on a curve, or moved to a pool of their own. */
  readonly coins: readonly CurveCoin[];
  mintOf(symbol: string): string;
  /** Makes the next block. */
  seal(): void;
  /** Waits until quotes are as of the newest block. */
  settle(): Promise<void>;
  quote(trade: ServiceTradeInput): Promise<ClientAnswer>;
  read(path: string): Promise<Json>;
  createTrader(key: SigningKey): Promise<SolanaTrader>;
  /** Some of every token, from the maker; in dollars. */
  fund(owner: string, dollars: number): void;
  launch(): CurveCoin;
  /** Moves a sold-out curve to a pool of its own. */
  migrate(coin: CurveCoin): void;
  /** Lamports for SOL; what the wallet's own account holds for tokens. */
  readBalance(owner: string, mint: string): bigint;
}

/** The seed of a key is the end of its PKCS #8 form. */
function readSecret({ key }: SigningKey): Uint8Array {
  return new Uint8Array(key.export({ format: 'der', type: 'pkcs8' }).subarray(-KEY_BYTES));
}

async function createTrader(
  { client, rpcUrl }: Pick<SolanaTradeService, 'client' | 'rpcUrl'>,
  key: SigningKey,
): Promise<SolanaTrader> {
  const { address } = key;
  const pair = await createKeyPairFromPrivateKeyBytes(readSecret(key));
  const rpc = createSolanaRpc(rpcUrl);
  const { token } = await client.signIn({
    ...{ address, chain: SLUG },
    sign: async (message) => {
      const signature = await signBytes(pair.privateKey, new TextEncoder().encode(message));
      return Buffer.from(signature).toString('base64');
    },
  });
  const sign = (transaction: string) => {
    const unsigned = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'));
    return partiallySignTransaction([pair], unsigned);
  };
  return {
    ...{ address, token },
    identify: async (transaction) => getSignatureFromTransaction(await sign(transaction)),
    build: (trade, more = {}) =>
      client.send('POST', '/trade/build', {
        ...{ body: { ...buildBody(trade, SLUG), ...more }, bearer: token },
      }),
    send: async (transaction, how = { skipPreflight: false }) =>
      rpc
        .sendTransaction(getBase64EncodedWireTransaction(await sign(transaction)), {
          ...{ encoding: 'base64', ...how },
        })
        .send(),
  };
}

function readAmount(chain: SolanaChain, account: string): bigint {
  const data = chain.read(account)?.data;
  return data === undefined || data.length < 72 ? 0n : data.readBigUInt64LE(AMOUNT_OFFSET);
}

/** Launches, moves and gifts, by the wallets that the chain began with. */
function createMaker(chain: SolanaChain, { wallets, tokens }: Scene) {
  const coins: CurveCoin[] = [];
  return {
    coins,
    launch(): CurveCoin {
      const creator = wallets.traders.at(-1) ?? assert.fail();
      const number = coins.length;
      const key = createSigningKey(`${SEED} coin ${number}`);
      const texts = { name: `Coin ${number}`, symbol: `COIN${number}` };
      const feeRecipient = wallets.feeRecipient.address;
      send(chain, planLaunch(chain, { creator, key, texts, lamports: COIN_SOL, feeRecipient }));
      const coin = describeCurve(key.address, creator.address);
      coins.push(coin);
      return coin;
    },
    migrate(coin: CurveCoin): void {
      const curve = chain.read(coin.curve)?.data ?? assert.fail();
      const lamports = curve.readBigUInt64LE(REAL_QUOTE_OFFSET);
      const left = readAmount(chain, findTokenAccount(coin.curve, coin));
      send(chain, planMigration(wallets.authority, coin, { tokens: left, lamports }));
    },
    fund(owner: string, dollars: number): void {
      const { maker } = wallets;
      for (const token of tokens.filter(({ mint }) => mint !== WRAPPED_SOL)) {
        const amount = toRaw(token, dollars / token.priceUsd);
        send(chain, {
          payer: maker,
          instructions: [
            openTokenAccount(maker.address, owner, token),
            transferTokens(token, { from: maker.address, to: owner, amount }),
          ],
        });
      }
    },
  };
}

async function openScene(t: Cleanup) {
  const genesisSeconds = Math.floor(Date.now() / 1000) - 600;
  const chain = openChain({ file: ':memory:', genesis: describeGenesis(SEED), genesisSeconds });
  const scene = buildScene(chain, SEED, genesisSeconds);
  chain.ledger.writeFact('instance', SEED);
  const server = await startRpcServer(chain, 0);
  t.after(() => server.close());
  const folder = createTempFolder(t);
  const file = join(folder, 'solana.json');
  await writeJsonAtomically(file, describeDeployment({ chain, scene }, server.url));
  const env = { DEVNET: 'off', DEVNET_SOLANA_DEPLOYMENT: file, DATA_DIR: folder };
  return { chain, scene, rpcUrl: server.url, env };
}

/** Waits until pools are complete and their tokens checked, so that quotes can be exact. */
async function untilMeasured(scene: SolanaTradeService): Promise<void> {
  const mints = [...scene.scene.tokens, ...scene.coins].map(({ mint }) => mint);
  for (const mint of mints.filter((one) => one !== WRAPPED_SOL)) {
    await until(`${mint} is measured`, async () => {
      const { body } = await scene.quote({ mint, side: 'buy', amountInRaw: 10n ** 8n });
      return body['exact'] === true;
    });
  }
}

/** `coinCount` coins are launched before. */
export async function startSolanaTradeService(
  t: Cleanup,
  {
    coinCount,
    env = {},
  }: { readonly coinCount: number; readonly env?: Readonly<Record<string, string>> },
): Promise<SolanaTradeService> {
  const opened = await openScene(t);
  const { chain, scene } = opened;
  const seal = () => void chain.seal({ seconds: Math.floor(Date.now() / 1000) });
  const maker = createMaker(chain, scene);
  for (let count = 0; count < coinCount; count += 1) {
    maker.launch();
    // The second one needs the creator's account for fees.
    seal();
  }
  const service = await startServiceProcess(t, { env: { ...opened.env, ...LIMITS, ...env } });
  const client = createAccessClient(service.origin);
  const programs = new Map<string, string>();
  const findRef = (mint: string): MintRef => {
    const program = programs.get(mint) ?? chain.read(mint)?.owner ?? assert.fail(mint);
    programs.set(mint, program);
    return { mint, program };
  };
  const self: SolanaTradeService = {
    ...{ ...opened, ...maker, service, client, seal },
    mintOf: (symbol) => {
      if (symbol === 'SOL') return SYSTEM_PROGRAM;
      if (symbol === 'WSOL') return WRAPPED_SOL;
      return scene.tokens.find((one) => one.symbol === symbol)?.mint ?? assert.fail(symbol);
    },
    settle: async () => {
      const probe = { mint: self.mintOf('MIST'), side: 'buy', amountInRaw: 10n ** 8n } as const;
      await until(`quotes are at slot ${chain.head.slot}`, async () => {
        const { body } = await self.quote(probe);
        return ((body as Json).state?.block ?? -1) >= chain.head.slot;
      });
    },
    quote: (trade) => client.send('POST', '/trade/quote', { body: buildBody(trade, SLUG) }),
    read: async (path) => {
      const { status, body } = await client.send('GET', path);
      assert.equal(status, 200, `${path} ${JSON.stringify(body)}`);
      return body;
    },
    createTrader: (key) => createTrader(self, key),
    readBalance: (owner, mint) =>
      mint === SYSTEM_PROGRAM
        ? (chain.read(owner)?.lamports ?? 0n)
        : readAmount(chain, findTokenAccount(owner, findRef(mint))),
  };
  await untilMeasured(self);
  return self;
}
