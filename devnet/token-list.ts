// The tokens of the devnet: each behaves like some real token.

import { POOL_LIST } from './pool-list.ts';

export type TokenContract =
  | 'PlainToken'
  | 'Bytes32Token'
  | 'HostileNameToken'
  | 'TaxToken'
  | 'TrapToken'
  | 'NoReturnToken'
  | 'MuteToken';

export interface TaxSpec {
  readonly buyBps: number;
  readonly sellBps: number;
  readonly transferBps: number;
  readonly burned: boolean;
}

export interface TokenSpec {
  /** Unique name within the devnet; symbols are not. */
  readonly key: string;
  readonly contract: TokenContract;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly supplyUnits: bigint;
  /** The initial value of one whole token, in millionths of a dollar. */
  readonly priceMicroUsd: bigint;
  /** What it tests, in a few words. */
  readonly quirk: string;
  readonly tax?: TaxSpec;
}

export const ETH_PRICE_MICRO_USD = 3_000_000_000n;

const MILLION = 1_000_000n;

function plain(spec: Omit<TokenSpec, 'contract'>): TokenSpec {
  return { contract: 'PlainToken', ...spec };
}

export const USDC: TokenSpec = plain({
  key: 'usdc',
  name: 'USD Coin',
  symbol: 'USDC',
  decimals: 6,
  supplyUnits: 500n * MILLION,
  priceMicroUsd: 1_000_000n,
  quirk: 'stable',
});

const WELL_BEHAVED: readonly TokenSpec[] = [
  plain({
    key: 'wire',
    name: 'Wire',
    symbol: 'WIRE',
    decimals: 18,
    supplyUnits: 100n * MILLION,
    priceMicroUsd: 420_000n,
    quirk: 'v2-v3-v4',
  }),
  plain({
    key: 'seat',
    name: 'Whole Seats',
    symbol: 'SEAT',
    decimals: 0,
    supplyUnits: MILLION,
    priceMicroUsd: 25_000_000n,
    quirk: 'decimals-0',
  }),
  plain({
    key: 'cent',
    name: 'Centime',
    symbol: 'CENT',
    decimals: 6,
    supplyUnits: 900n * MILLION,
    priceMicroUsd: 10_900n,
    quirk: 'decimals-6',
  }),
  plain({
    key: 'wbit',
    name: 'Wrapped Bit',
    symbol: 'WBIT',
    decimals: 8,
    supplyUnits: 21_000n,
    priceMicroUsd: 64_000_000_000n,
    quirk: 'decimals-8',
  }),
  plain({
    key: 'nano',
    name: 'Nanoshiba',
    symbol: 'NANO',
    decimals: 9,
    supplyUnits: 1_000_000n * MILLION,
    priceMicroUsd: 31n,
    quirk: 'decimals-9',
  }),
  plain({
    key: 'twin-a',
    name: 'Twin',
    symbol: 'TWIN',
    decimals: 18,
    supplyUnits: 50n * MILLION,
    priceMicroUsd: 1_250_000n,
    quirk: 'same-symbol',
  }),
  plain({
    key: 'twin-b',
    name: 'Twin Protocol',
    symbol: 'TWIN',
    decimals: 18,
    supplyUnits: 800n * MILLION,
    priceMicroUsd: 2_300n,
    quirk: 'same-symbol',
  }),
  plain({
    key: 'lone',
    name: 'Lone Island',
    symbol: 'LONE',
    decimals: 18,
    supplyUnits: 10n * MILLION,
    priceMicroUsd: 1_000_000n,
    quirk: 'no-pool',
  }),
  plain({
    key: 'kin',
    name: 'Kin of Wire',
    symbol: 'KIN',
    decimals: 18,
    supplyUnits: 300n * MILLION,
    priceMicroUsd: 110_000n,
    quirk: 'only-against-wire',
  }),
  plain({
    key: 'spark',
    name: 'Spark',
    symbol: 'SPRK',
    decimals: 18,
    supplyUnits: 200n * MILLION,
    priceMicroUsd: 71_000n,
    quirk: 'v4-native-only',
  }),
  plain({
    key: 'hook',
    name: 'Hooked',
    symbol: 'HOOK',
    decimals: 18,
    supplyUnits: 20n * MILLION,
    priceMicroUsd: 1_700_000n,
    quirk: 'v4-hooked',
  }),
];

const ODD: readonly TokenSpec[] = [
  {
    key: 'olde',
    contract: 'Bytes32Token',
    name: 'Olde Maker',
    symbol: 'OLDE',
    decimals: 18,
    supplyUnits: 1_000_000n,
    priceMicroUsd: 1_400_000_000n,
    quirk: 'bytes32-symbol',
  },
  {
    key: 'hostile',
    contract: 'HostileNameToken',
    name: '',
    symbol: '',
    decimals: 18,
    supplyUnits: 700n * MILLION,
    priceMicroUsd: 9_000n,
    quirk: 'hostile-name',
  },
  {
    key: 'toll',
    contract: 'TaxToken',
    name: 'Toll Road',
    symbol: 'TOLL',
    decimals: 18,
    supplyUnits: 100n * MILLION,
    priceMicroUsd: 80_000n,
    quirk: 'tax-300-700',
    tax: { buyBps: 300, sellBps: 700, transferBps: 0, burned: false },
  },
  {
    key: 'ember',
    contract: 'TaxToken',
    name: 'Ember',
    symbol: 'EMBR',
    decimals: 18,
    supplyUnits: 30n * MILLION,
    priceMicroUsd: 310_000n,
    quirk: 'burn-100',
    tax: { buyBps: 100, sellBps: 100, transferBps: 100, burned: true },
  },
  {
    key: 'trap',
    contract: 'TrapToken',
    name: 'Honey Jar',
    symbol: 'TRAP',
    decimals: 18,
    supplyUnits: 40n * MILLION,
    priceMicroUsd: 500_000n,
    quirk: 'sells-revert',
  },
  {
    key: 'odol',
    contract: 'NoReturnToken',
    name: 'Old Dollar',
    symbol: 'ODOL',
    decimals: 6,
    supplyUnits: 90n * MILLION,
    priceMicroUsd: 1_000_000n,
    quirk: 'no-return-approve-reset',
  },
  {
    key: 'mute',
    contract: 'MuteToken',
    name: '',
    symbol: '',
    decimals: 18,
    supplyUnits: 60n * MILLION,
    priceMicroUsd: 20_000n,
    quirk: 'no-metadata',
  },
];

export const TOKEN_LIST: readonly TokenSpec[] = [USDC, ...WELL_BEHAVED, ...ODD];

/** The raw amount of a token that is initially worth this many dollars. */
export function toRawAmount(
  token: { decimals: number; priceMicroUsd: bigint },
  usd: bigint,
): bigint {
  return (usd * 1_000_000n * 10n ** BigInt(token.decimals)) / token.priceMicroUsd;
}

/** What each wallet of a token's crew has from the start. */
export function computeStartingShare(token: TokenSpec): bigint {
  const depths = POOL_LIST.filter((pool) => pool.token === token.key).map((pool) => pool.depthUsd);
  const depthUsd = depths.reduce((sum, depth) => sum + depth, 0n) || 200_000n;
  return toRawAmount(token, depthUsd / 6n);
}
