// A chain for tests: a new node with everything deployed in about two seconds, and functions to
// act.

import { createHash, randomUUID } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address, Hex } from 'viem';
import { MAKER, TRADERS } from './accounts.ts';
import { cacheDir } from './anvil-binary.ts';
import { type AnvilNode, startAnvil } from './anvil-node.ts';
import { buildSendCall, type TxRequest } from './block-writer.ts';
import { type DeployedScene, deployScene } from './deploy.ts';
import { impersonateActors } from './deploy-contracts.ts';
import { type Deployment, findPool, writeJsonAtomically } from './deployment.ts';
import { writeHistory } from './history.ts';
import type { JsonRpc } from './json-rpc.ts';
import type { Venue } from './pool-list.ts';
import { buildApprovals, buildSwap, findDirection } from './swap-calldata.ts';

export interface TestTrade {
  /** A key of devnet/token-list.ts. */
  readonly token: string;
  readonly venue: Venue;
  readonly quote?: string;
  readonly amountInRaw: bigint;
  /** The first trader by default; must hold what is sold. */
  readonly wallet?: Address;
}

export interface TestReceipt {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly status: Hex;
  readonly from: Address;
  readonly gasUsed: Hex;
  readonly logs: readonly {
    readonly address: Address;
    readonly topics: Hex[];
    readonly data: Hex;
  }[];
}

export interface TestChain {
  readonly rpcUrl: string;
  readonly rpc: JsonRpc;
  readonly node: AnvilNode;
  readonly deployment: Deployment;
  /** Sends from a trader, the maker or a test account and mines it in a separate block. */
  send(tx: TxRequest): Promise<TestReceipt>;
  /** Sends without mining; the next `mine` includes it. */
  submit(tx: TxRequest): Promise<Hex>;
  buy(trade: TestTrade): Promise<TestReceipt>;
  /** Approves first if needed, in separate blocks. */
  sell(trade: TestTrade): Promise<TestReceipt>;
  mine(blocks?: number): Promise<void>;
  /** Replaces the last blocks with as many empty ones. */
  reorg(depth: number): Promise<void>;
  readHead(): Promise<number>;
  stop(): Promise<void>;
}

/** An arbitrary time; a chain loaded from a template has the template's history. */
const TEMPLATE_GENESIS_S = 1_760_000_000;

function hashDevnetSources(): string {
  const files = globSync('{*.ts,contracts/*.json,package.json}', { cwd: import.meta.dirname });
  const hash = createHash('sha256');
  for (const file of files.filter((name) => !name.endsWith('.test.ts')).sort()) {
    hash.update(readFileSync(join(import.meta.dirname, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

interface Template {
  readonly stateFile: string;
  readonly scene: DeployedScene;
}

/** Deploys once per version of the devnet; the first process to finish provides the template. */
async function prepareTemplate(hasOthers: boolean): Promise<Template> {
  const home = join(cacheDir(), `scene-${hashDevnetSources()}${hasOthers ? '-others' : ''}`);
  const stateFile = join(home, 'state.json');
  const sceneFile = join(home, 'scene.json');
  if (!existsSync(sceneFile)) {
    const draft = join(cacheDir(), `draft-${randomUUID()}`);
    const node = await startAnvil({
      dataDir: draft,
      stateFile: join(draft, 'state.json'),
      genesisTimestamp: TEMPLATE_GENESIS_S,
    });
    try {
      const scene = await deployScene(node.rpc, TEMPLATE_GENESIS_S, { hasOthers });
      await writeJsonAtomically(join(draft, 'scene.json'), scene);
    } finally {
      await node.stop();
    }
    await rename(draft, home).catch(() => rm(draft, { recursive: true, force: true }));
  }
  return { stateFile, scene: JSON.parse(await readFile(sceneFile, 'utf8')) as DeployedScene };
}

function createHands(rpc: JsonRpc, deployment: Deployment) {
  const { contracts } = deployment;
  const submit = async (tx: TxRequest): Promise<Hex> =>
    rpc.call<Hex>('eth_sendTransaction', ...buildSendCall(tx).params);
  const mine = async (blocks = 1): Promise<void> => {
    for (let n = 0; n < blocks; n++) await rpc.call('evm_mine');
  };
  const send = async (tx: TxRequest): Promise<TestReceipt> => {
    const hash = await submit(tx);
    await mine();
    const receipt = await rpc.call<TestReceipt | null>('eth_getTransactionReceipt', hash);
    if (receipt === null) throw new Error(`${hash} was not mined`);
    return receipt;
  };
  const approved = new Set<string>();
  const trade = async (side: 'buy' | 'sell', wanted: TestTrade): Promise<TestReceipt> => {
    const pool = findPool(deployment, wanted);
    const wallet = wanted.wallet ?? (TRADERS[0] as Address);
    const { currencyIn } = findDirection({ pool, side });
    const paysEther = side === 'buy' && (pool.quote === 'eth' || pool.quote === 'weth');
    if (!paysEther && !approved.has(`${wallet}:${currencyIn}`)) {
      const approvals = buildApprovals({ contracts, owner: wallet, token: currencyIn });
      for (const approval of approvals) await send(approval);
      approved.add(`${wallet}:${currencyIn}`);
    }
    return send(buildSwap({ contracts, pool, wallet, side, amountInRaw: wanted.amountInRaw }));
  };
  const buy = (wanted: TestTrade) => trade('buy', wanted);
  const sell = (wanted: TestTrade) => trade('sell', wanted);
  const reorg = async (depth: number) => {
    approved.clear();
    await rpc.call('anvil_reorg', depth, []);
  };
  return { submit, send, mine, buy, sell, reorg };
}

export interface TestChainOptions {
  /** Whether there are pools of other exchanges than Uniswap; none by default. */
  readonly hasOthers?: boolean;
  /** See AnvilOptions. */
  readonly transactionBlocksKept?: number;
  /** History of this many blocks, with timestamps that end about now; none by default. */
  readonly history?: {
    readonly blocks: number;
    readonly actionsPerBlock: number;
    readonly hours?: number;
    readonly seed?: string;
  };
}

async function writeTestHistory(
  rpc: JsonRpc,
  deployment: Deployment,
  history: NonNullable<TestChainOptions['history']>,
): Promise<void> {
  const { blocks, actionsPerBlock, hours = 24 } = history;
  const toTimestamp = Math.floor(Date.now() / 1_000);
  const makerNonce = Number(await rpc.call<Hex>('eth_getTransactionCount', MAKER, 'latest'));
  const span = { fromTimestamp: toTimestamp - hours * 3_600, toTimestamp };
  const onProgress = () => undefined;
  await writeHistory(rpc, deployment, { blocks, actionsPerBlock, ...span, makerNonce, onProgress });
}

/** Blocks come only from `mine` and from sending; nothing else happens on this chain. */
export async function startTestChain(options: TestChainOptions = {}): Promise<TestChain> {
  const template = await prepareTemplate(options.hasOthers ?? false);
  const dataDir = await mkdtemp(join(tmpdir(), 'mintwire-chain-'));
  const stateFile = join(dataDir, 'state.json');
  await mkdir(dataDir, { recursive: true });
  await copyFile(template.stateFile, stateFile);
  const { transactionBlocksKept } = options;
  const node = await startAnvil({
    dataDir,
    stateFile,
    genesisTimestamp: TEMPLATE_GENESIS_S,
    ...(transactionBlocksKept === undefined ? {} : { transactionBlocksKept }),
  });
  await impersonateActors(node.rpc);
  const { rpc } = node;
  const seed = options.history?.seed ?? 'test';
  const deployment = { ...template.scene, instance: randomUUID(), rpcUrl: rpc.url, seed };
  if (options.history !== undefined) await writeTestHistory(rpc, deployment, options.history);
  await rpc.call('anvil_setTime', Math.floor(Date.now() / 1_000));
  return {
    rpcUrl: rpc.url,
    rpc,
    node,
    deployment,
    ...createHands(rpc, deployment),
    readHead: async () => Number(await rpc.call<Hex>('eth_blockNumber')),
    async stop() {
      await node.discard();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
