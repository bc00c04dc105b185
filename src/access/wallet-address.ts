// Wallet addresses: untrusted text → canonical form.

import { AppError } from '../errors/app-error.ts';
import { toShownText } from '../lib/shown-text.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import { CHAIN_SLUGS, type ChainInfo, type ChainSlug, findChain } from '../model/chain.ts';

export function parseChain(name: string): ChainInfo {
  const chain = findChain(name);
  if (chain) return chain;
  const known = CHAIN_SLUGS.join(', ');
  throw new AppError('UNKNOWN_CHAIN', { chain: toShownText(name), known });
}

/** In the form that people are shown: wallets put that into what they sign. */
export function parseWalletAddress(
  addresses: AddressCodec,
  { chain, text }: { readonly chain: ChainSlug; readonly text: string },
): string {
  const address = addresses.parse(text);
  if (address === null) throw new AppError('INVALID_ADDRESS', { chain });
  return addresses.toShown(address);
}
