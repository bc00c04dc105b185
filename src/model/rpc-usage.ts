// What calls to a chain's nodes cost: credits by method, as providers count them.

/** Credits by method. */
export interface CreditTable {
  readonly methods: ReadonlyMap<string, number>;
  /** For all other methods. */
  readonly other: number;
}

/** Every call counts the same, so that credits are calls. */
export const CALLS_AS_CREDITS: CreditTable = { methods: new Map(), other: 1 };

/** What one method took since the start. */
export interface MethodUsage {
  readonly method: string;
  readonly calls: number;
  readonly credits: number;
  /** Received, as they came over the network: compressed if the node compresses. */
  readonly bytes: number;
  /** The same, unpacked. */
  readonly unpackedBytes: number;
}

/** What may be spent on a chain. Plain data: it crosses to other threads. */
export interface RpcBudget {
  readonly credits: CreditTable;
  /** Null for no limit. */
  readonly creditsPerDay: number | null;
  /** At each endpoint; without it the rate is learned from refusals alone. */
  readonly creditsPerSecond?: number | null;
}

/** Adds up the counts of several threads. */
export function sumUsage(all: Iterable<readonly MethodUsage[]>): MethodUsage[] {
  const sums = new Map<string, MethodUsage>();
  for (const usage of all) {
    for (const one of usage) {
      const { calls = 0, credits = 0, bytes = 0, unpackedBytes = 0 } = sums.get(one.method) ?? {};
      sums.set(one.method, {
        method: one.method,
        calls: calls + one.calls,
        credits: credits + one.credits,
        bytes: bytes + one.bytes,
        unpackedBytes: unpackedBytes + one.unpackedBytes,
      });
    }
  }
  return [...sums.values()];
}
