// Untrusted chain names and addresses → what is followed and how it is stored.

import { AppError } from '../errors/app-error.ts';
import { toShownText } from '../lib/shown-text.ts';
import { CHAIN_SLUGS, CHAINS, type ChainSlug, toChain } from '../model/chain.ts';
import type { Address, PoolId } from '../model/market-event.ts';

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const EVM_POOL = /^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;
const BASE58_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

const RETRY_AFTER_SECONDS = 2;

function toFieldError(field: string, message: string) {
  return { errors: [{ path: field, message }] };
}

/** A chain that exists and is among those followed. */
export function parseFollowedChain(followed: readonly ChainSlug[], name: string): ChainSlug {
  const chain = toChain(name);
  if (chain === null) {
    const known = CHAIN_SLUGS.join(', ');
    throw new AppError(
      'UNKNOWN_CHAIN',
      { chain: toShownText(name), known },
      toFieldError('chain', `must be one of ${known}`),
    );
  }
  if (followed.includes(chain.slug)) return chain.slug;
  const list = followed.length === 0 ? 'none' : followed.join(', ');
  throw new AppError(
    'CHAIN_NOT_FOLLOWED',
    { chain: chain.slug, followed: list },
    toFieldError('chain', `must be one of ${list}`),
  );
}

function parseHex(
  chain: ChainSlug,
  given: { readonly text: string; readonly field: string; readonly evm: RegExp },
): string {
  const { text, field, evm } = given;
  if (CHAINS[chain].family === 'evm') {
    if (evm.test(text)) return text.toLowerCase();
  } else if (BASE58_ADDRESS.test(text)) {
    return text;
  }
  const message = `must be an address on ${chain}`;
  throw new AppError('INVALID_ADDRESS', { chain }, toFieldError(field, message));
}

/** An address in the form that is stored. */
export function parseAddress(chain: ChainSlug, text: string, field: string): Address {
  return parseHex(chain, { text, field, evm: EVM_ADDRESS });
}

export function parsePool(chain: ChainSlug, text: string): PoolId {
  return parseHex(chain, { text, field: 'pool', evm: EVM_POOL });
}

/** Whether a text is an address on a chain. */
export function isAddress(chain: ChainSlug, text: string): boolean {
  return CHAINS[chain].family === 'evm' ? EVM_ADDRESS.test(text) : BASE58_ADDRESS.test(text);
}

export function toNotReady(chain: ChainSlug): AppError {
  return new AppError(
    'NOT_READY',
    { reason: `Nothing of ${chain} is indexed yet.` },
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
