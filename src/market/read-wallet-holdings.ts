// What the index does not have of a wallet, by one call to the chain's node.

import type { Address } from '../model/ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import type { MarketChain } from './market-parts.ts';
import type { NodeGate } from './node-gate.ts';

const ASK_TIMEOUT_MS = 2000;

export interface WalletHoldings {
  /** Null if the node did not answer for it; absent tokens were not asked for. */
  readonly amounts: ReadonlyMap<Address, bigint | null>;
  readonly nativeRaw: bigint | null;
  readonly node: 'answered' | 'unavailable';
}

/** As of the commit's block, and no other. */
export async function readWalletHoldings(
  { market, gate }: { readonly market: MarketChain; readonly gate: NodeGate },
  of: {
    readonly wallet: Address;
    readonly tokens: readonly Address[];
    readonly at: Checkpoint;
  },
): Promise<WalletHoldings> {
  const { wallet, tokens, at } = of;
  const block = { position: at.block, hash: at.blockHash };
  // Without it the answer is sent all the same; endpoint health is reported elsewhere.
  const found = await gate.call(market.slug, () => {
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
    return market.readHoldings({ owner: wallet, tokens, block }, signal);
  });
  return {
    amounts: new Map(tokens.map((token, index) => [token, found?.amountsRaw[index] ?? null])),
    nativeRaw: found?.nativeRaw ?? null,
    node: found === null ? 'unavailable' : 'answered',
  };
}
