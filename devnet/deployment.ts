// The contracts and addresses on the devnet: the description that other programs read.

import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Address, Hex } from 'viem';
import type { Venue } from './pool-list.ts';

/** All addresses are lower-case. */
export interface DevnetContracts {
  readonly weth: Address;
  readonly permit2: Address;
  readonly multicall3: Address;
  readonly v2Factory: Address;
  readonly v2Router: Address;
  readonly v3Factory: Address;
  readonly v3PositionManager: Address;
  readonly v3Quoter: Address;
  readonly v3TickLens: Address;
  readonly v4PoolManager: Address;
  readonly v4PositionManager: Address;
  readonly v4Quoter: Address;
  readonly v4StateView: Address;
  readonly v4Hook: Address;
  readonly universalRouter: Address;
}

/** Of other exchanges. */
export interface OtherContracts {
  readonly solidlyFactory: Address;
  readonly solidlyRouter: Address;
  readonly pancakeFactory: Address;
  readonly pancakeRouter: Address;
  readonly balancerVault: Address;
  /** It makes pools like those of 2021. */
  readonly weightedFactory: Address;
}

/** Of Curve. */
export interface CurveContracts {
  /** Of StableSwap NG pools. */
  readonly stableFactory: Address;
  readonly router: Address;
  /** Of pools with other formulas, which tests add. */
  readonly registry?: Address;
}

export interface DevnetToken {
  readonly key: string;
  readonly address: Address;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly quirk: string;
}

export interface DevnetPool {
  readonly venue: Venue;
  /** The pair's or pool's address, the pool id on V4, or the vault's word for it. */
  readonly id: Hex;
  readonly token: string;
  readonly tokenAddress: Address;
  readonly quote: 'weth' | 'eth' | 'usdc' | 'wire';
  /** Sorted; the zero address is the native coin on V4. */
  readonly currency0: Address;
  readonly currency1: Address;
  readonly feePips: number;
  readonly tickSpacing: number;
  readonly hooks: Address;
  /** The maker's full-range position on V3 and V4, as a decimal string; empty on V2. */
  readonly positionId: string;
  /** The pool's initial amounts. */
  readonly opening: { readonly amount0Raw: string; readonly amount1Raw: string };
}

export interface Deployment {
  readonly chainId: number;
  /** Changes if the chain does not continue the one that was in the folder before. */
  readonly instance: string;
  readonly rpcUrl: string;
  readonly startBlock: number;
  /** Of block 0, in seconds. A node that loads the chain must be started with the same value. */
  readonly genesisTimestamp: number;
  readonly seed: string;
  readonly contracts: DevnetContracts;
  /** Absent on the chains of tests, and on those of earlier versions. */
  readonly others?: { readonly contracts: OtherContracts; readonly pools: readonly DevnetPool[] };
  /** Absent where `others` is, unless a test adds it, and on chains of earlier versions. */
  readonly curve?: CurveContracts;
  readonly tokens: readonly DevnetToken[];
  readonly pools: readonly DevnetPool[];
  /** Ids of the pools that price the native coin in dollars, best first. */
  readonly anchorPools: readonly Hex[];
  /** Funded accounts of the public test mnemonic. */
  readonly accounts: readonly Address[];
}

export function buildDeploymentPath(dataDir: string): string {
  return join(dataDir, 'deployment.json');
}

/** Null if the folder has none, or an incomplete one. */
export async function readDeployment(dataDir: string): Promise<Deployment | null> {
  try {
    return JSON.parse(await readFile(buildDeploymentPath(dataDir), 'utf8')) as Deployment;
  } catch {
    return null;
  }
}

export async function writeJsonAtomically(path: string, value: unknown): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`);
  await rename(draft, path);
}

export function findToken(deployment: Pick<Deployment, 'tokens'>, key: string): DevnetToken {
  const token = deployment.tokens.find((candidate) => candidate.key === key);
  if (token === undefined) throw new Error(`the devnet has no token ${key}`);
  return token;
}

export function findPool(
  deployment: Pick<Deployment, 'pools'>,
  wanted: { readonly token: string; readonly venue: Venue; readonly quote?: string },
): DevnetPool {
  const pool = deployment.pools.find(
    ({ token, venue, quote }) =>
      token === wanted.token && venue === wanted.venue && quote === (wanted.quote ?? quote),
  );
  if (pool === undefined) throw new Error(`no ${wanted.venue} pool of ${wanted.token}`);
  return pool;
}
