// Reads the DEX contracts' compiled code from their npm packages; none of it is copied into ours.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Abi, type Hex, isHex } from 'viem';

const PATHS = {
  WETH9: '@uniswap/v2-periphery/build/WETH9.json',
  UniswapV2Factory: '@uniswap/v2-core/build/UniswapV2Factory.json',
  UniswapV2Pair: '@uniswap/v2-core/build/UniswapV2Pair.json',
  UniswapV2Router02: '@uniswap/v2-periphery/build/UniswapV2Router02.json',
  UniswapV3Factory:
    '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  UniswapV3Pool: '@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json',
  NonfungiblePositionManager:
    '@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
  SwapRouter: '@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json',
  QuoterV2: '@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
  TickLens: '@uniswap/v3-periphery/artifacts/contracts/lens/TickLens.sol/TickLens.json',
  PoolManager: '@uniswap/v4-core/out/PoolManager.sol/PoolManager.json',
  PositionManager: '@uniswap/v4-periphery/foundry-out/PositionManager.sol/PositionManager.json',
  V4Quoter: '@uniswap/v4-periphery/foundry-out/V4Quoter.sol/V4Quoter.json',
  StateView: '@uniswap/v4-periphery/foundry-out/StateView.sol/StateView.json',
  UniversalRouter:
    '@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json',
  PancakeV3Factory:
    '@pancakeswap/v3-core/artifacts/contracts/PancakeV3Factory.sol/PancakeV3Factory.json',
  PancakeV3Pool: '@pancakeswap/v3-core/artifacts/contracts/PancakeV3Pool.sol/PancakeV3Pool.json',
} as const;

const BALANCER = '@balancer-labs/v2-deployments/dist/tasks';
/** The package has their interfaces and their creation code apart. */
const BALANCER_PATHS = {
  Vault: `${BALANCER}/20210418-vault`,
  WeightedPoolFactory: `${BALANCER}/20210418-weighted-pool`,
} as const;

const PERMIT2_SOURCE = '@uniswap/v4-periphery/lib/permit2/test/utils/DeployPermit2.sol';

export type ArtifactName = keyof typeof PATHS;

export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

function readPackageFile(path: string): string {
  const require = createRequire(import.meta.url);
  try {
    return readFileSync(require.resolve(path), 'utf8');
  } catch (cause) {
    throw new Error(
      `${path} is not installed: the devnet needs the development dependencies (npm ci); a ` +
        'production install follows chains of your own instead, named by RPC_…',
      { cause },
    );
  }
}

export function readArtifact(name: ArtifactName): Artifact {
  const artifact: { abi: Abi; bytecode: string | { object: string } } = JSON.parse(
    readPackageFile(PATHS[name]),
  );
  const { bytecode } = artifact;
  const text = typeof bytecode === 'string' ? bytecode : bytecode.object;
  const code = text.startsWith('0x') ? text : `0x${text}`;
  if (!isHex(code)) throw new Error(`the artifact of ${name} needs linking`);
  return { abi: artifact.abi, bytecode: code };
}

export function readBalancerArtifact(name: keyof typeof BALANCER_PATHS): Artifact {
  const folder = BALANCER_PATHS[name];
  const code = JSON.parse(readPackageFile(`${folder}/bytecode/${name}.json`)) as {
    readonly creationCode: string;
  };
  return {
    abi: JSON.parse(readPackageFile(`${folder}/abi/${name}.json`)) as Abi,
    bytecode: `0x${code.creationCode}`,
  };
}

/** Permit2's runtime code, which its authors publish as a literal in a Solidity test helper. */
export function readPermit2Code(): Hex {
  const code = /hex"([0-9a-f]+)"/i.exec(readPackageFile(PERMIT2_SOURCE))?.[1];
  if (code === undefined) throw new Error('no Permit2 code in the v4-periphery package');
  return `0x${code}`;
}
