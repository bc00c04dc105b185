// Recomputes which factory has created a pool, without asking a node: from factory, tokens and the
// hash of the creation code, as CREATE2 does.

import {
  concat,
  encodeAbiParameters,
  encodePacked,
  type Hex,
  keccak256,
  parseAbiParameters,
} from 'viem';
import type { EvmDeployment } from '../../src/chains/evm/data/deployments/evm-deployment.ts';
import type { V2Fork } from '../../src/chains/evm/venues/uniswap-v2/v2-layouts.ts';
import type { V3Fork } from '../../src/chains/evm/venues/uniswap-v3/v3-layouts.ts';

/**
 * Of V2-like pairs: Uniswap, Sushi, PancakeSwap (BSC and others), ShibaSwap, Camelot, ApeSwap (BSC
 * and Polygon), JetSwap (Polygon and BSC), Biswap, Dfyn.
 */
const PAIR_CODES: readonly Hex[] = [
  '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
  '0xe18a34eb0e04b04f7a0ac29a6e80748dca96319b42c54d679cb821dca90c6303',
  '0x00fb7f630766e6a796048ea87d01acd3068e8ff67d078148a3fa3f4a84f69bd5',
  '0x57224589c67f3f30a6b0d7a1b54cf3153ab84563bc609ef41dfb34f8b2974d2d',
  '0x65d1a3b1e46c6e4f1be1ad5f99ef14dc488ae0549dc97db9b30afe2241ce1c7a',
  '0xa856464ae65f7619087bc369daaf7e387dae1e5af69cfa7935850ebf754b04c1',
  '0xf4ccce374816856d11f00e4069e7cada164065686fbef53c6167a63ec2fd8c5b',
  '0x511f0f358fe530cda0859ec20becf391718fdf5a329be02f4c95361f3d6a42d8',
  '0x505c843b83f01afef714149e8b174427d552e1aca4834b4f9b4b525f426ff3c6',
  '0x3125d0a15fa7af49ce234ba1cf5f931bad0504242e0e1ee9fcd7d1d7aa88c651',
  '0xfea293c909d87cd4153593f077b76bb7e94340200f4ee84211ae8e4f9bd7ffdf',
  '0xf187ed688403aa4f7acfada758d8d53698753b998a3071b06f1b777f4330eaf3',
];
/** Of V3-like pools that are named by their fee; by factory, if not Uniswap's. */
const RANGE_CODES: Readonly<Record<string, Hex>> = {
  'ramses-v2': '0x1565b129f2d1790f12d45301b9b084335626f0c92410bc43130763b69971135d',
  retro: '0x817e07951f93017a93327ac8cc31e946540203a19e1ecc37bc1761965c2d1090',
  'kyber-elastic': '0x00e263aaa3a2c06a89b53217a9e7aad7e15613490a72e0f95f303c4de2dc7045',
};
const SOLIDLY_V3_CODE = '0xe9b68c5f77858eecac2e651646e208175e9b1359d68d0e14fc69f8c54e5010bf';
const UNISWAP_V3_CODE = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';

/** Of Solidly's pairs that are no clones. */
const SOLIDLY_CODES: Readonly<Record<string, Hex>> = {
  'velodrome-v1': '0xc1ac28b1c4ebe53c0cff67bab5878c4eb68759bb1e9f73977cd266b247d149f0',
};

/** Contracts that create pools for a factory, with the hash of their code. */
const DEPLOYERS: Readonly<Record<string, { readonly from: Hex; readonly code: Hex }>> = {
  'pancakeswap-v3': {
    from: '0x41ff9aa7e16b8b1a8a8dc4f0efacd93d02d071c9',
    code: '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2',
  },
  'quickswap-v3': {
    from: '0x2d98e2fa9da15aa6dc9581ab097ced7af697cb92',
    code: '0x6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4',
  },
  'camelot-v3': {
    from: '0x6dd3fb9653b10e806650f107c3b5a0a6ff974f65',
    code: '0x6c1bebd370ba84753516bc1393c0d0a6c645856da55f5393ac8ab3d6dbc861d3',
  },
};

/** Pools that are clones of an implementation. */
const IMPLEMENTATIONS: Readonly<Record<string, Hex>> = {
  'aerodrome-v2': '0xa4e46b4f701c62e14df11b48dce76a7d793cd6d7',
  'velodrome-v2': '0x95885af5492195f0754be71ad1545fe81364e531',
  'velodrome-slipstream': '0xc28ad28853a547556780bebf7847628501a3bcbb',
  'aerodrome-slipstream': '0xec8e5342b19977b4ef8892e02d8daecfa1315831',
};

const FEES = [8, 10, 20, 40, 50, 80, 100, 250, 200, 300, 400, 500, 2500, 3000, 10_000];
const SPACINGS = [1, 10, 50, 100, 200, 2000];

type Pair = readonly [Hex, Hex];

function hashClone(implementation: Hex): Hex {
  const [start, end] = [
    '0x3d602d80600a3d3981f3363d3d373d3d3d363d73',
    '0x5af43d82803e903d91602b57fd5bf3',
  ] as const;
  return keccak256(concat([start, implementation, end]));
}

/** As CREATE2 does; without the checksum, which takes as long again. */
function derive(from: string, salt: Hex, code: Hex): string {
  return `0x${keccak256(concat(['0xff', from as Hex, salt, code])).slice(-40)}`;
}

function hashPair(pair: Pair): Hex {
  return keccak256(encodeAbiParameters(parseAbiParameters('address, address'), [...pair]));
}

function hashKey(type: 'uint24' | 'int24', pair: Pair, key: number): Hex {
  const types = parseAbiParameters(`address, address, ${type}` as 'address, address, uint24');
  return keccak256(encodeAbiParameters(types, [...pair, key]));
}

function listPairPools({ venue, factory, layout }: V2Fork, pair: Pair, salt: Hex): string[] {
  const clone = IMPLEMENTATIONS[venue];
  const code = clone === undefined ? SOLIDLY_CODES[venue] : hashClone(clone);
  if (code !== undefined) {
    const types = ['address', 'address', 'bool'] as const;
    return [true, false].map((isStable) =>
      derive(factory, keccak256(encodePacked(types, [...pair, isStable])), code),
    );
  }
  if (layout === 'solidly' || layout === 'solidlyFork') return [];
  return PAIR_CODES.map((code) => derive(factory, salt, code));
}

function listRangePools({ venue, factory, layout }: V3Fork, pair: Pair): string[] {
  const clone = IMPLEMENTATIONS[venue];
  if (clone !== undefined) {
    return SPACINGS.map((key) => derive(factory, hashKey('int24', pair, key), hashClone(clone)));
  }
  if (layout === 'solidlyV3') {
    return SPACINGS.map((key) => derive(factory, hashKey('int24', pair, key), SOLIDLY_V3_CODE));
  }
  const deployer = DEPLOYERS[venue];
  if (layout !== undefined && layout !== 'kyberElastic') {
    return deployer === undefined ? [] : [derive(deployer.from, hashPair(pair), deployer.code)];
  }
  const ownCode = RANGE_CODES[venue] ?? UNISWAP_V3_CODE;
  const { from, code } = deployer ?? { from: factory, code: ownCode };
  return FEES.map((fee) => derive(from, hashKey('uint24', pair, fee), code));
}

/** The venue whose factory created the pool of two of these tokens; null if it is none. */
export function findVenue(
  pool: string,
  tokens: readonly string[],
  { v2, v3 }: EvmDeployment,
): string | null {
  const sorted = [...new Set(tokens)].sort() as Hex[];
  for (const [index, token0] of sorted.entries()) {
    for (const token1 of sorted.slice(index + 1)) {
      const pair: Pair = [token0, token1];
      const salt = keccak256(encodePacked(['address', 'address'], [...pair]));
      const fork =
        v2.find((one) => listPairPools(one, pair, salt).includes(pool)) ??
        v3.find((one) => listRangePools(one, pair).includes(pool));
      if (fork !== undefined) return fork.venue;
    }
  }
  return null;
}
