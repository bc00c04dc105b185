// Untrusted chain names and addresses → followed chains and canonical addresses.

import { AppError } from '../errors/app-error.ts';
import { toShownText } from '../lib/clean-text.ts';
import type { AddressCodec } from '../model/address-codec.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { ChainRegistry } from '../model/chain-registry.ts';
import type { Address, PoolId } from '../model/ids.ts';

const RETRY_AFTER_SECONDS = 2;

function buildFieldError(field: string, message: string) {
  return { errors: [{ path: field, message }] };
}

/** Chains by name. */
export interface ChainNames {
  readonly known: ChainRegistry;
  /** Those that this server follows. */
  list(): readonly ChainSlug[];
}

/** A known chain that this server follows. */
export function parseFollowedChain(chains: ChainNames, name: string, field = 'chain'): ChainSlug {
  const chain = chains.known.find(name);
  if (chain === null) {
    const known = chains.known.slugs.join(', ');
    throw new AppError(
      'UNKNOWN_CHAIN',
      { chain: toShownText(name), known },
      buildFieldError(field, `must be one of ${known}`),
    );
  }
  const followed = chains.list();
  if (followed.includes(chain.slug)) return chain.slug;
  const list = followed.length === 0 ? 'none' : followed.join(', ');
  throw new AppError(
    'CHAIN_NOT_FOLLOWED',
    { chain: chain.slug, followed: list },
    buildFieldError(field, `must be one of ${list}`),
  );
}

function buildInvalidAddressError(chain: ChainSlug, field: string): AppError {
  const message = `must be an address on ${chain}`;
  return new AppError('INVALID_ADDRESS', { chain }, buildFieldError(field, message));
}

/** An address in the stored form. */
export function parseAddress(
  addresses: AddressCodec,
  given: { readonly chain: ChainSlug; readonly text: string; readonly field: string },
): Address {
  const address = addresses.parse(given.text);
  if (address === null) throw buildInvalidAddressError(given.chain, given.field);
  return address;
}

export function parsePool(
  addresses: AddressCodec,
  chain: ChainSlug,
  text: string,
  field = 'pool',
): PoolId {
  const pool = addresses.parsePool(text);
  if (pool === null) throw buildInvalidAddressError(chain, field);
  return pool;
}

export function buildNotReadyError(chain: ChainSlug): AppError {
  return new AppError(
    'NOT_READY',
    { reason: `Nothing of ${chain} is indexed yet.` },
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
