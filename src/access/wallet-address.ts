// Addresses of wallets: untrusted text → the one form in which each is written here.

import { getAddress } from 'viem/utils';
import { AppError } from '../errors/app-error.ts';
import { decodeBase58, encodeBase58 } from '../lib/base58.ts';
import { toShownText } from '../lib/shown-text.ts';
import { CHAIN_SLUGS, type ChainInfo, toChain } from '../model/chain.ts';

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SOLANA_KEY_BYTES = 32;

export function parseChain(name: string): ChainInfo {
  const chain = toChain(name);
  if (chain) return chain;
  const known = CHAIN_SLUGS.join(', ');
  throw new AppError('UNKNOWN_CHAIN', { chain: toShownText(name), known });
}

/** EVM: any case in, checksum out. Solana: base58 of 32 bytes, which has one spelling only. */
export function parseWalletAddress(chain: ChainInfo, text: string): string {
  if (chain.family === 'evm') {
    // The checksum of mixed case is not asked for: any case is welcome.
    if (EVM_ADDRESS.test(text)) return getAddress(text.toLowerCase());
  } else {
    const bytes = decodeBase58(text);
    if (bytes?.length === SOLANA_KEY_BYTES && encodeBase58(bytes) === text) return text;
  }
  throw new AppError('INVALID_ADDRESS', { chain: chain.slug });
}
