// Wallet addresses: untrusted text → canonical form.

import type { ChainFamily } from '../chains/family.ts';
import { AppError } from '../errors/app-error.ts';
import { toShownText } from '../lib/shown-text.ts';
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
  { addresses, wallets }: Pick<ChainFamily, 'addresses' | 'wallets'>,
  { chain, text }: { readonly chain: ChainSlug; readonly text: string },
): string {
  const refuse = (message: string) =>
    new AppError('INVALID_ADDRESS', { chain }, { errors: [{ path: 'address', message }] });
  const address = addresses.parse(text);
  if (address === null) throw refuse(`must be an address on ${chain}`);
  if (wallets.canSign?.(address) === false) {
    throw refuse('must be the address of a wallet; no key can sign for this one');
  }
  return addresses.toShown(address);
}
