// Several processes of the service on one PostgreSQL, each with its own way to one fake chain.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FakeChain } from '../fakes/fake-chain.ts';
import { serveFakeChain } from '../fakes/serve-fake-chain.ts';
import type { Json } from '../market-scene.ts';
import { createTestDatabase } from '../postgres.ts';
import {
  type Cleanup,
  createTempFolder,
  type RunningService,
  startServiceProcess,
} from '../start-service-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A generous limit: a stuck process must fail, not hang the suite. */
const WAIT_MAX_MS = 120_000;

export interface ClusterNode extends RunningService {
  readonly env: Readonly<Record<string, string>>;
  /** Requests that it has made to the chain's node. */
  requests(): number;
  /** Its way to the chain is cut, or works again. */
  cut(isCut: boolean): void;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Stops and continues it, as a machine that is suspended does. */
  suspend(isSuspended: boolean): void;
}

interface ClusterScene {
  readonly chain: FakeChain;
  /** `root` is the folder of another version of the service. */
  startNode(env?: Readonly<Record<string, string>>, root?: string): Promise<ClusterNode>;
}

export async function createClusterScene(
  t: Cleanup,
  options: {
    readonly seed: number;
    readonly blocks: number;
    /** A new database of the suite's server by default. */
    readonly databaseUrl?: string;
  },
): Promise<ClusterScene> {
  const chain = new FakeChain({ seed: options.seed, finalityDepth: 12, seenWhole: true });
  chain.extend(options.blocks);
  let { databaseUrl } = options;
  if (databaseUrl === undefined) {
    const database = await createTestDatabase();
    t.after(() => database.drop());
    databaseUrl = database.url;
  }
  const startNode = async (more: Readonly<Record<string, string>> = {}, root?: string) => {
    let [requests, isCut] = [0, false];
    const rpcUrl = await serveFakeChain(t, chain, () => {
      requests += 1;
      if (isCut) throw new Error('cut');
    });
    const folder = createTempFolder(t);
    const file = join(folder, 'deployment.json');
    writeFileSync(file, JSON.stringify({ rpcUrl, startBlock: 0, instance: 'test family' }));
    const family = pathToFileURL(join(root ?? ROOT, 'test/fakes/use-test-family.ts')).href;
    const env = {
      ...{ DEVNET: 'on', DEVNET_DEPLOYMENT: file, DATA_DIR: folder },
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_SIZE: '4',
      KEY_PEPPER: `1:${Buffer.alloc(32, 7).toString('base64')}`,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${family}`.trim(),
      ...more,
    };
    const service = await startServiceProcess(t, { env, root });
    return {
      ...service,
      env,
      requests: () => requests,
      cut: (cut: boolean) => {
        isCut = cut;
      },
      kill: async (signal: NodeJS.Signals) => {
        service.child.kill(signal);
        await service.exited;
      },
      suspend: (isSuspended: boolean) => {
        service.child.kill(isSuspended ? 'SIGSTOP' : 'SIGCONT');
      },
    };
  };
  return { chain, startNode };
}

export async function readJson(node: RunningService, path: string): Promise<Json> {
  const response = await fetch(`${node.origin}/v1/${path}`);
  return { status: response.status, json: await response.json() };
}

/** Of the chain, or of the process if it has one value. */
export async function readMetric(node: RunningService, name: string): Promise<number | null> {
  const text = await (await fetch(node.metricsUrl)).text();
  const pattern = `^${name}(?:\\{chain="devnet"\\})? (\\S+)$`;
  const [, value] = new RegExp(pattern, 'm').exec(text) ?? [];
  return value === undefined ? null : Number(value);
}

/** The nodes that say that they index the chain. */
async function findIndexing(nodes: readonly ClusterNode[]): Promise<ClusterNode[]> {
  const marks = await Promise.all(nodes.map((node) => readMetric(node, 'mintwire_chain_indexing')));
  return nodes.filter((_, index) => marks[index] === 1);
}

export async function untilSo(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  nodes: readonly ClusterNode[] = [],
): Promise<void> {
  const deadlineMs = Date.now() + WAIT_MAX_MS;
  while (!(await isSo())) {
    if (Date.now() > deadlineMs) {
      const outputs = nodes.map((node) => node.output().slice(-3000));
      throw new Error(`${what}: not so\n${outputs.join('\n---\n')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Until a node answers from the chain's newest block, and says that it is ready. */
export function untilThere(chain: FakeChain, node: ClusterNode): Promise<void> {
  const { position } = chain.head;
  return untilSo(`at block ${position}`, async () => {
    const { json } = await readJson(node, 'chains');
    const { status } = await readJson(node, 'ready');
    return status === 200 && json.chains[0].head >= position;
  }, [node]);
}

/** The node that indexes, once exactly one says that it does. */
export async function untilOneIndexes(nodes: readonly ClusterNode[]): Promise<ClusterNode> {
  let indexing: readonly ClusterNode[] = [];
  const look = async () => {
    indexing = await findIndexing(nodes);
    return indexing.length === 1;
  };
  await untilSo('one indexes', look, nodes);
  return indexing[0] as ClusterNode;
}
