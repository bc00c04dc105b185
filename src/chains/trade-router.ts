// A contract that executes trades, as route searches need it. Plain data: it crosses to the threads
// that search routes.

/**
 * How a router pays a given output.
 * - `commands`: over several paths, each through pools of any kind.
 * - `path`: by one call, over one path through pools of one kind; pairs pay what the input buys.
 * - `exactPath`: the same; its pools pay exactly what they are asked for.
 * - `input`: not at all. It is told what to spend, with the output as the minimum.
 */
export type OutputCall = 'commands' | 'path' | 'exactPath' | 'input';

export interface TradeRouter {
  /** Unique on its chain. */
  readonly name: string;
  /** The venues that it reaches: all pools of a route are of these. */
  readonly venues: ReadonlySet<string>;
  /** Whether it can split an amount over several routes. */
  readonly canDivide: boolean;
  /** Whether it can trade tokens that deduct a tax from transfers. */
  readonly canTax: boolean;
  readonly outputCall: OutputCall;
  /** Whether its own contract, not a stand-in, has executed what we encode for it. */
  readonly isProven: boolean;
  /** Whether it can pay a part of the output to somebody else; false if absent. */
  readonly paysFee?: boolean;
  /** Whether it keeps a unit of the output, and pays one that it kept; one pool alone does not. */
  readonly keepsUnit?: boolean;
  /** Whether what it is called with can still be executed after the deadline. */
  readonly hasNoDeadline?: boolean;
  /**
   * Whether it is used for given outputs alone: another router reaches its pools, but pays a little
   * more than it was asked for. Only of tokens that somebody vouches for: it does not compare what
   * arrives.
   */
  readonly onlyOutputs?: boolean;
  /** Whether it takes and pays the native coin only in the form that the pool has. */
  readonly cannotWrap?: boolean;
}
