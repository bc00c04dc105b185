// Features of pools that keep their swaps from being computed to the unit: their effect was never
// compared with the venue's program, or depends on what is not known yet.

/** Swaps of such a pool are computed, but not promised to the unit; why, for people. */
const INEXACT_FLAGS = {
  /** Raydium CPMM. */
  creatorFeeOnOutput: "the creator's fee is taken from the output",
  /** Meteora, in rows of earlier versions. */
  feeScheduler: 'its fee changes with time, by a schedule that was not read',
  /** Slipstream, Algebra. */
  timedFee: 'its fee depends on the time of the block, and the last known one is used',
  /** Algebra Integral, once a swap has told a fee that its plugin chose. */
  pluginFee: 'a plugin chooses its fee in each swap, and that of the last one is used',
  /** Aerodrome V2, Velodrome V2. */
  unannouncedFee: 'its fee may change without an event, and the last known one is used',
  /** A fork of Uniswap V2. */
  feeUnchecked: 'no router of the exchange has confirmed its fee',
  /** Curve: tokens with an oracle or a vault's rate, or whose balances grow by themselves. */
  movingRates: 'its tokens change in value or in number without an event',
  /** Curve, while the amplification is moved. */
  ramping: 'its curve changes with time',
  /**
   * Curve, PancakeSwap's stable pools, where their router is used: several pools, or the coin
   * wrapped on the way.
   */
  routerUnit: "the exchange's router pays by what it holds, and may have kept a unit before",
  /** Balancer V2, Curve: other formulas than those that are computed. */
  called: 'only its contract or its hook computes what it pays, which was asked for this amount',
  /** Meteora DLMM: they fill after the bins' own liquidity. */
  limitOrders: 'its bins have limit orders',
  /** Byreal, PancakeSwap CLMM. */
  forkUnchecked: 'its exchange is a fork, whose pools were never compared',
  /** Token-2022, on venues whose program was not compared with ours for such a token. */
  transferFeeUnchecked:
    'a token deducts a fee from transfers, which was never compared with this exchange',
} as const;

/** Swaps of such a pool cannot be computed. */
const UNQUOTED_FLAGS = [
  /** pump: a coin that trades by other rules. */
  'mayhem',
  /** pump: a curve that is paid in a token, not in SOL. */
  'otherQuote',
  /** Raydium CLMM since 2026: the fee depends on volatility. */
  'dynamicFee',
  /** Raydium CLMM since 2026, Meteora DLMM: the fee is taken from one of the tokens. */
  'feeOnOutput',
  /** The fee depends on the size of the trade, or on the price. */
  'rateLimiter',
  /** Meteora DAMM v2: fees are added to the liquidity. */
  'compoundingFee',
  /** Liquidity Book v2.2: another contract is called in each swap. */
  'swapHook',
  /** A token calls another program on each transfer. */
  'transferHook',
  /** A token deducts a fee from each transfer. */
  'transferFee',
  /** A token cannot be transferred. */
  'nonTransferable',
  /** New accounts of a token are frozen until its authority thaws them. */
  'frozenAccounts',
  /** Raydium CPMM and v4, Balancer while paused: it takes no swaps, or not yet. */
  'closed',
  /** Raydium v4: part of the reserves may be in an order book. */
  'orderBook',
  /** Orca, in rows of earlier versions: ticks are in packed arrays, which were not read. */
  'packedTicks',
  /** Byreal: ticks are in arrays of another form. */
  'otherTicks',
  /** The fees are charged by a rule that the index does not have. */
  'feeUnknown',
  /** Its accounts were not read yet, so its features are not known. */
  'unread',
  /** Only its contract computes what it pays: searches never use it. */
  'notComputed',
] as const;

/** Why, for people, where the name alone does not tell. */
const UNQUOTED_REASONS: Readonly<Partial<Record<string, string>>> = {
  swapHook: 'another contract is called in its swaps, and may change what they pay',
  notComputed:
    'only the contract of such a pool, or its hook, computes what it pays: where one is asked, then for a direct trade with a given input',
};

export type UncheckedFlag = keyof typeof INEXACT_FLAGS | (typeof UNQUOTED_FLAGS)[number];

const UNQUOTED: ReadonlySet<string> = new Set(UNQUOTED_FLAGS);

/** In stored states: names separated by spaces. */
export function joinFlags(flags: readonly UncheckedFlag[]): string {
  return flags.join(' ');
}

export function hasFlag(flags: string, flag: UncheckedFlag): boolean {
  return flags.split(' ').includes(flag);
}

/** Whether swaps of a pool with these flags can be computed. */
export function isQuotable(flags: string): boolean {
  return flags === '' || !flags.split(' ').some((flag) => UNQUOTED.has(flag));
}

/** What a swap that is run on the chain shows: the fee that is charged, the unit that is kept. */
const FEE_FLAGS: ReadonlySet<string> = new Set<UncheckedFlag>([
  ...(['timedFee', 'pluginFee', 'unannouncedFee', 'routerUnit'] as const),
]);

/** Whether all that these flags leave open is a fee or a unit: a simulated swap settles it. */
export function isOnlyFeeOpen(flags: string): boolean {
  return flags.split(' ').every((flag) => flag === '' || FEE_FLAGS.has(flag));
}

/** What the flags mean, for people: each once. */
export function explainFlags(flags: string): string {
  const reasons: Readonly<Record<string, string>> = INEXACT_FLAGS;
  const names = new Set(flags.split(' ').filter((name) => name !== ''));
  return Array.from(names, (name) => {
    const reason = reasons[name] ?? UNQUOTED_REASONS[name];
    return reason === undefined ? name : `${reason} (${name})`;
  }).join(', ');
}
