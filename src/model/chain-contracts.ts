// The contracts of a chain as an operator's file (`CHAINS_FILE`) names them. Plain data: it crosses
// to other threads. Addresses are hex in lower case; the family makes ids of them.

/** How pairs like those of Uniswap V2 differ from them in their logs, getters and swaps. */
export const V2_LAYOUTS = ['uniswap', 'solidly', 'solidlyFork', 'camelot'] as const;
export type V2LayoutName = (typeof V2_LAYOUTS)[number];

/** How pools like those of Uniswap V3 differ from them in their logs and getters. */
export const V3_LAYOUTS = [
  ...['uniswap', 'slipstream', 'algebra', 'algebraDirectional'],
  ...['algebraIntegral', 'solidlyV3', 'kyberElastic'],
] as const;
export type V3LayoutName = (typeof V3_LAYOUTS)[number];

/** Layouts whose routers can be called; others are only indexed. */
export const ROUTED_LAYOUTS = [
  ...['uniswap', 'solidly', 'camelot', 'slipstream', 'algebra', 'algebraDirectional'],
  'algebraIntegral',
] as const;

/** The routers that forks of Uniswap V3 have. */
export const V3_ROUTERS = ['swapRouter', 'swapRouter02'] as const;

/** Uniswap V2, or an exchange with similar pairs, by its factory. */
interface V2FactoryEntry {
  readonly kind: 'v2';
  readonly venue: string;
  readonly factory: string;
  /** Absent for that of Uniswap. */
  readonly layout?: V2LayoutName;
  /** 0 if each pair has fees of its own. */
  readonly feePips: number;
  /** The exchange's own router: a `Router02`, or the one that its layout has. */
  readonly router: string | null;
  /** Whether the chain's Universal Router trades there. */
  readonly universalRouter: boolean;
}

/** Uniswap V3, or an exchange with similar pools, by its factory. */
interface V3FactoryEntry {
  readonly kind: 'v3';
  readonly venue: string;
  readonly factory: string;
  /** Absent for that of Uniswap. */
  readonly layout?: V3LayoutName;
  /** A `QuoterV2` of that fork. */
  readonly quoter: string | null;
  /** The exchange's own `SwapRouter`, with the paths that its layout has. */
  readonly router?: string;
  /** Absent for a `SwapRouter`. */
  readonly routerKind?: (typeof V3_ROUTERS)[number];
  /** The fees that its pools may have, in pips; null for the usual ones. */
  readonly feeTiers: readonly number[] | null;
  readonly universalRouter: boolean;
}

/** Uniswap V4, whose pools are in one contract. */
interface V4Entry {
  readonly kind: 'v4';
  readonly venue: string;
  readonly poolManager: string;
  readonly positionManager: string;
  readonly stateView: string;
  readonly quoter: string;
}

export type FactoryEntry = V2FactoryEntry | V3FactoryEntry | V4Entry;

/** What may be added to a built-in chain, and is part of any other. */
export interface AddedContracts {
  readonly stables: readonly string[];
  readonly anchorPools: readonly string[];
  readonly factories: readonly FactoryEntry[];
}

/** Each reads the parameters of some swaps in another way. */
export const UNIVERSAL_ROUTER_VERSIONS = ['2.0', '2.1', '2.1.1'] as const;

export type UniversalRouterVersion = (typeof UNIVERSAL_ROUTER_VERSIONS)[number];

/** All that is known of a chain that is not built in. */
interface OwnContracts extends AddedContracts {
  readonly chainId: number;
  readonly native: { readonly symbol: string; readonly decimals: number };
  readonly wrapped: string;
  readonly wrappedEmitsTransfers: boolean;
  readonly finalityDepth: number;
  readonly rollup: 'arbitrum' | 'optimism' | null;
  readonly universalRouter: {
    readonly address: string;
    readonly version: UniversalRouterVersion;
  } | null;
  readonly permit2: string | null;
  readonly multicall3: string | null;
}

export type ChainContracts =
  | ({ readonly kind: 'added' } & AddedContracts)
  | ({ readonly kind: 'own' } & OwnContracts);
