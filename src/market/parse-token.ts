// Parses a token reference: untrusted chain and address → a followed chain and a token that is not
// paused.

import {
  buildNotReadyError,
  parseAddress,
  parseFollowedChain,
} from '../contract/parse-reference.ts';
import { AppError } from '../errors/app-error.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { MarketChain, MarketParts } from './market-parts.ts';

export interface TokenReference {
  readonly chain: ChainSlug;
  readonly token: Address;
  /** How the chain's addresses are written. */
  readonly addresses: AddressCodec;
}

/** `path` is where the two fields are in the input. */
export function parseToken(
  parts: Pick<MarketParts, 'chains'>,
  input: { readonly chain: string; readonly mint: string },
  path = '',
): TokenReference {
  const chain = parseFollowedChain(parts.chains, input.chain, `${path}chain`);
  const addresses = parts.chains.findAddresses(chain);
  const token = parseAddress(addresses, { chain, text: input.mint, field: `${path}mint` });
  return { chain, token, addresses };
}

/** The chain of a token that is not paused. Call it after all input checks. */
export function requireReadable(parts: MarketParts, reference: TokenReference): MarketChain {
  const { chain, token, addresses } = reference;
  if (parts.pauses.isPaused(chain, token)) {
    throw new AppError('TOKEN_PAUSED', { chain, mint: addresses.toShown(token) });
  }
  const market = parts.chains.find(chain);
  if (market === null || parts.states.current(chain) === null) throw buildNotReadyError(chain);
  return market;
}

export function buildTokenNotFoundError({ chain, token, addresses }: TokenReference): AppError {
  return new AppError('TOKEN_NOT_FOUND', { chain, mint: addresses.toShown(token) });
}
