// Wallet addresses: untrusted text → canonical form.

import { AppError } from '../errors/app-error.ts';
import { toShownText } from '../lib/shown-text.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainInfo, ChainSlug } from '../model/chain.ts';
import type { ChainRegistry } from '../model/chain-registry.ts';

export function parseChain(chains: ChainRegistry, name: string): ChainInfo {
  const chain = chains.find(name);
  if (chain) return chain;
  const known = chains.slugs.join(', ');
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
