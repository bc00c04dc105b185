// Brings up the devnet: a node, the contracts on it, a past, and traders; or continues an earlier one.

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { type AnvilNode, startAnvil } from './anvil-node.ts';
import { deployScene } from './deploy.ts';
import { impersonateActors } from './deploy-contracts.ts';
import {
  type Deployment,
  readDeployment,
  toDeploymentPath,
  writeJsonAtomically,
} from './deployment.ts';
import { clearLease, toStatePath, waitForFolder, writeLease } from './folder-lease.ts';

export interface DevnetOptions {
  /** Holds the chain between runs. */
  readonly dataDir: string;
  /** 0 or absent picks a free one. */
  readonly port?: number;
  readonly traders: 'on' | 'off';
  readonly history: { readonly hours: number };
  /** Decides the past: equal seeds give equal pasts. */
  readonly seed: string;
  readonly log: (line: string) => void;
}

export interface Devnet {
  readonly rpcUrl: string;
  readonly deployment: Deployment;
  readonly deploymentPath: string;
  readonly node: AnvilNode;
  /** Ends traders and node; the chain is saved and a later start continues it. */
  stop(): Promise<void>;
}

const PREDECESSOR_TIMEOUT_MS = 60_000;
/** What the deployment's own blocks take before the history begins. */
const DEPLOYMENT_SPAN_S = 120;

function toNowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

async function startFresh(options: DevnetOptions, stateFile: string) {
  const { dataDir, port = 0, seed, log } = options;
  await rm(stateFile, { force: true });
  await rm(toDeploymentPath(dataDir), { force: true });
  const now = toNowSeconds();
  const genesisTimestamp = now - Math.round(options.history.hours * 3_600) - DEPLOYMENT_SPAN_S;
  const node = await startAnvil({ dataDir, stateFile, port, genesisTimestamp });
  await writeLease(stateFile, node.guardPid);
  log('node is up, deploying contracts');
  const scene = await deployScene(node.rpc, genesisTimestamp);
  const deployment: Deployment = {
    ...scene,
    instance: randomUUID(),
    rpcUrl: node.rpc.url,
    seed,
  };
  return { node, deployment };
}

async function resume(options: DevnetOptions, stateFile: string, found: Deployment) {
  const { dataDir, port = 0 } = options;
  const genesisTimestamp = toNowSeconds();
  const node = await startAnvil({ dataDir, stateFile, port, genesisTimestamp });
  await writeLease(stateFile, node.guardPid);
  await impersonateActors(node.rpc);
  return { node, deployment: { ...found, rpcUrl: node.rpc.url } };
}

export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { dataDir, log } = options;
  await mkdir(dataDir, { recursive: true });
  const stateFile = toStatePath(dataDir);
  const isSaved = await waitForFolder(stateFile, PREDECESSOR_TIMEOUT_MS);
  await clearLease(stateFile);
  const found = existsSync(stateFile) ? await readDeployment(dataDir) : null;
  if (!isSaved && found !== null) {
    log('the last run ended without saving: the chain goes back to an earlier state');
  }
  const { node, deployment } =
    found === null
      ? await startFresh(options, stateFile)
      : await resume(options, stateFile, isSaved ? found : { ...found, instance: randomUUID() });
  await node.rpc.call('anvil_setTime', toNowSeconds());
  await node.rpc.call('evm_setAutomine', true);
  await writeJsonAtomically(toDeploymentPath(dataDir), deployment);
  return {
    rpcUrl: deployment.rpcUrl,
    deployment,
    deploymentPath: toDeploymentPath(dataDir),
    node,
    stop: () => node.stop(),
  };
}
