// The pools of the devnet and their initial depth.

export type Venue = 'uniswap-v2' | 'uniswap-v3' | 'uniswap-v4' | OtherVenue;

/** Stand-ins of Aerodrome V2 and Curve, and the contracts of PancakeSwap and Balancer. */
export type OtherVenue = 'solidly-v2' | 'pancakeswap-v3' | 'balancer-v2' | 'curve';

export interface PoolSpec {
  readonly venue: Venue;
  /** A key of the token list. */
  readonly token: string;
  /** `eth` is the native coin and exists on V4 only; `weth` is the wrapped one. */
  readonly quote: 'weth' | 'eth' | 'usdc' | 'wire';
  readonly feePips: number;
  readonly tickSpacing: number;
  /** The value on each side of the full range, in dollars. */
  readonly depthUsd: bigint;
  readonly hooked: boolean;
}

/** V4 marks a pool whose hook decides the fee with this value. */
export const DYNAMIC_FEE = 0x800000;

type Side = Pick<PoolSpec, 'token' | 'quote' | 'depthUsd'>;

function v2(side: Side): PoolSpec {
  return { venue: 'uniswap-v2', feePips: 3_000, tickSpacing: 0, hooked: false, ...side };
}

function v3(side: Side & { feePips: number; tickSpacing: number }): PoolSpec {
  return { venue: 'uniswap-v3', hooked: false, ...side };
}

function v4(side: Side & { feePips: number; tickSpacing: number; hooked?: boolean }): PoolSpec {
  return { venue: 'uniswap-v4', hooked: false, ...side };
}

const LOW = { feePips: 500, tickSpacing: 10 };
const MEDIUM = { feePips: 3_000, tickSpacing: 60 };
const HIGH = { feePips: 10_000, tickSpacing: 200 };

/** The first two price the native coin in dollars, the deeper one first. */
export const POOL_LIST: readonly PoolSpec[] = [
  v3({ token: 'usdc', quote: 'weth', depthUsd: 6_000_000n, ...LOW }),
  v2({ token: 'usdc', quote: 'weth', depthUsd: 2_000_000n }),
  v4({ token: 'usdc', quote: 'eth', depthUsd: 1_500_000n, ...LOW }),
  v2({ token: 'wire', quote: 'weth', depthUsd: 900_000n }),
  v3({ token: 'wire', quote: 'weth', depthUsd: 1_200_000n, ...MEDIUM }),
  v3({ token: 'wire', quote: 'usdc', depthUsd: 300_000n, ...HIGH }),
  v4({ token: 'wire', quote: 'eth', depthUsd: 700_000n, ...MEDIUM }),
  v2({ token: 'seat', quote: 'weth', depthUsd: 250_000n }),
  v3({ token: 'cent', quote: 'weth', depthUsd: 400_000n, ...MEDIUM }),
  v3({ token: 'wbit', quote: 'usdc', depthUsd: 2_500_000n, ...MEDIUM }),
  v4({ token: 'wbit', quote: 'usdc', depthUsd: 800_000n, ...LOW }),
  v2({ token: 'nano', quote: 'weth', depthUsd: 350_000n }),
  v3({ token: 'twin-a', quote: 'weth', depthUsd: 500_000n, ...HIGH }),
  v2({ token: 'twin-b', quote: 'weth', depthUsd: 60_000n }),
  v3({ token: 'kin', quote: 'wire', depthUsd: 200_000n, ...MEDIUM }),
  v4({ token: 'spark', quote: 'eth', depthUsd: 450_000n, ...HIGH }),
  v4({
    token: 'hook',
    quote: 'eth',
    depthUsd: 300_000n,
    feePips: DYNAMIC_FEE,
    tickSpacing: 60,
    hooked: true,
  }),
  v2({ token: 'olde', quote: 'weth', depthUsd: 600_000n }),
  v2({ token: 'hostile', quote: 'weth', depthUsd: 80_000n }),
  v2({ token: 'toll', quote: 'weth', depthUsd: 220_000n }),
  v2({ token: 'ember', quote: 'weth', depthUsd: 180_000n }),
  v2({ token: 'trap', quote: 'weth', depthUsd: 90_000n }),
  v3({ token: 'odol', quote: 'usdc', depthUsd: 1_000_000n, feePips: 500, tickSpacing: 10 }),
  v2({ token: 'mute', quote: 'weth', depthUsd: 50_000n }),
];

/** Pools of other exchanges, which tests do without; liquidity in them does not change. */
export const OTHER_POOL_LIST: readonly PoolSpec[] = [
  {
    ...{ venue: 'solidly-v2', token: 'wire', quote: 'weth', depthUsd: 600_000n },
    ...{ feePips: 3_000, tickSpacing: 0, hooked: false },
  },
  {
    ...{ venue: 'solidly-v2', token: 'odol', quote: 'usdc', depthUsd: 700_000n },
    ...{ feePips: 500, tickSpacing: 0, hooked: false },
  },
  {
    ...{ venue: 'pancakeswap-v3', token: 'cent', quote: 'weth', depthUsd: 500_000n },
    ...{ feePips: 2_500, tickSpacing: 50, hooked: false },
  },
  // Two of the three pairs of tokens of one pool: half WIRE, a quarter each of the others.
  ...(['weth', 'usdc'] as const).map((quote): PoolSpec => {
    const depth = { token: 'wire', quote, depthUsd: 400_000n };
    return { venue: 'balancer-v2', ...depth, feePips: 3_000, tickSpacing: 0, hooked: false };
  }),
  // A StableSwap NG pool.
  {
    ...{ venue: 'curve', token: 'odol', quote: 'usdc', depthUsd: 900_000n },
    ...{ feePips: 100, tickSpacing: 0, hooked: false },
  },
];

/** Pairs of dollars have the curve of stable pairs. */
export function isStablePair({ token, quote }: Pick<PoolSpec, 'token' | 'quote'>): boolean {
  return token === 'odol' && quote === 'usdc';
}
