// Decodes logs of the Uniswap V4 PoolManager, which holds all pools by id.

import type { Address, PoolId } from '../../../../model/ids.ts';
import type { PoolDescription } from '../../../../model/pool.ts';
import type { EvmDeployment } from '../../data/deployments/evm-deployment.ts';
import type { LogDecoder } from '../../data/evm-log.ts';
import {
  decodeAddressAt,
  hasWords,
  int24At,
  intAt,
  toTopicAddress,
  toTopicPool,
  uintAt,
} from '../../data/hex-data.ts';
import { ZERO_ADDRESS } from '../../data/zero-address.ts';
import { decodeInitialized, decodeSwapped } from '../concentrated-pools.ts';
import type { VenueLogs } from '../venue-protocol.ts';
import type { V4Deployment } from './v4-contracts.ts';

export const INITIALIZE_TOPIC =
  '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438';
const MODIFY_LIQUIDITY_TOPIC = '0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec';
export const SWAP_TOPIC = '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f';
const PROTOCOL_FEE_UPDATED_TOPIC =
  '0xe9c42593e71f84403b84352cd168d693e2c9fcd1fdbcc3feb21d92b43e6696f9';

/** This bit in a pool key's fee means that the hook sets the fee for each swap. */
const DYNAMIC_FEE_FLAG = 0x80_0000;

/** The content that a pool's id is the hash of. */
interface V4PoolKey {
  readonly pool: PoolId;
  readonly token0: Address;
  readonly token1: Address;
  readonly feePips: number;
  readonly tickSpacing: number;
  readonly hooks: Address;
}

export function describeV4Pool(key: V4PoolKey, deployment: V4Deployment): PoolDescription {
  const { pool, token0, token1, feePips, tickSpacing, hooks } = key;
  return {
    ...{ pool, token0, token1 },
    kind: 'concentrated',
    feePips: (feePips & DYNAMIC_FEE_FLAG) === 0 ? feePips : 0,
    venue: deployment.venue,
    vault: deployment.poolManager,
    terms: {
      tickSpacing,
      custody: { kind: 'singleton', hooks: hooks === ZERO_ADDRESS ? null : hooks },
    },
  };
}

function createInitializeDecoder(deployment: V4Deployment): LogDecoder {
  return ({ topics, data }, out) => {
    if (topics.length !== 4 || !hasWords(data, 5)) return;
    const pool = toTopicPool(topics[1]);
    const token0 = toTopicAddress(topics[2]);
    const token1 = toTopicAddress(topics[3]);
    if (pool === undefined || token0 === null || token1 === null) return;
    const key = {
      pool,
      token0,
      token1,
      feePips: Number(uintAt(data, 0)),
      tickSpacing: int24At(data, 1),
      hooks: decodeAddressAt(data, 2),
    };
    out.push({
      kind: 'poolCreated',
      description: describeV4Pool(key, deployment),
      complete: true,
    });
    out.push({
      kind: 'poolChanged',
      pool,
      change: decodeInitialized(data, 3),
    });
  };
}

const decodeModifyLiquidity: LogDecoder = ({ topics, data }, out) => {
  const pool = toTopicPool(topics[1]);
  if (pool === undefined || topics.length !== 3 || !hasWords(data, 4)) return;
  const liquidityDelta = intAt(data, 2);
  // Zero collects fees and changes nothing that affects prices.
  if (liquidityDelta === 0n) return;
  out.push({
    kind: 'poolChanged',
    pool,
    change: {
      poolKind: 'concentrated',
      type: 'position',
      tickLower: int24At(data, 0),
      tickUpper: int24At(data, 1),
      liquidityDelta,
    },
  });
};

const decodeSwap: LogDecoder = ({ topics, data, txHash, logIndex }, out) => {
  const pool = toTopicPool(topics[1]);
  if (pool === undefined || topics.length !== 3 || !hasWords(data, 6)) return;
  out.push({
    kind: 'swap',
    txHash,
    logIndex,
    pool,
    // The event's signs are from the swapper's side; ours are from the pool's.
    amount0: -intAt(data, 0),
    amount1: -intAt(data, 1),
    change: decodeSwapped(data, Number(uintAt(data, 5))),
  });
};

const decodeProtocolFee: LogDecoder = ({ topics, data }, out) => {
  const pool = toTopicPool(topics[1]);
  if (pool === undefined || topics.length !== 2 || !hasWords(data, 1)) return;
  const protocolFee = Number(uintAt(data, 0));
  const change = { poolKind: 'concentrated', type: 'protocolFee', protocolFee } as const;
  out.push({ kind: 'poolChanged', pool, change });
};

export function describeUniswapV4Logs({ v4 }: EvmDeployment): VenueLogs | null {
  if (v4 === null) return null;
  return {
    creations: [{ contracts: [v4.poolManager], topic: INITIALIZE_TOPIC, tokensAt: [2, 3] }],
    poolTopics: [MODIFY_LIQUIDITY_TOPIC, SWAP_TOPIC, PROTOCOL_FEE_UPDATED_TOPIC],
    singleton: v4.poolManager,
  };
}

export function createUniswapV4Decoders(
  deployment: EvmDeployment,
): ReadonlyMap<string, LogDecoder> {
  const { v4 } = deployment;
  if (v4 === null) return new Map();
  // Any contract can emit these topics: only the PoolManager's own logs count.
  const own =
    (decode: LogDecoder): LogDecoder =>
    (log, out) => {
      if (log.address === v4.poolManager) decode(log, out);
    };
  return new Map<string, LogDecoder>([
    [INITIALIZE_TOPIC, own(createInitializeDecoder(v4))],
    [MODIFY_LIQUIDITY_TOPIC, own(decodeModifyLiquidity)],
    [SWAP_TOPIC, own(decodeSwap)],
    [PROTOCOL_FEE_UPDATED_TOPIC, own(decodeProtocolFee)],
  ]);
}
