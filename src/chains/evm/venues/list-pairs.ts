// A token's pairs with the assets that price others, as contracts order them.

import type { Address } from '../../../model/ids.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import type { PoolSearch } from './venue-protocol.ts';

interface TokenPair {
  readonly token0: Address;
  readonly token1: Address;
}

/** Only V4 has pools of the native coin itself. */
export function listPairs(
  { token, quotes }: Pick<PoolSearch, 'token' | 'quotes'>,
  options: { readonly withCoin: boolean } = { withCoin: false },
): TokenPair[] {
  const isPaired = (asset: Address) => options.withCoin || asset !== ZERO_ADDRESS;
  if (!isPaired(token)) return [];
  return quotes
    .filter((quote) => quote !== token && isPaired(quote))
    .map((quote) =>
      token < quote ? { token0: token, token1: quote } : { token0: quote, token1: token },
    );
}
