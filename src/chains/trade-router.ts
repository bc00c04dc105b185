// A contract that executes trades, as route searches need it. Plain data: it crosses to the threads
// that search routes.

export interface TradeRouter {
  /** Unique on its chain. */
  readonly name: string;
  /** The venues that it reaches: all pools of a route are of these. */
  readonly venues: ReadonlySet<string>;
  /** Whether it can split an amount over several routes. */
  readonly canDivide: boolean;
  /** Whether it can trade tokens that deduct a tax from transfers. */
  readonly canTax: boolean;
  /** Whether its own contract, not a stand-in, has executed what we encode for it. */
  readonly isProven: boolean;
}
