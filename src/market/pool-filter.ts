// The pool of a token that a request is limited to.

import { parsePool } from '../contract/parse-reference.ts';
import { AppError } from '../errors/app-error.ts';
import type { PoolId } from '../model/ids.ts';
import type { TokenReference } from './parse-token.ts';
import type { AnswerReader } from './read-at.ts';

/** Null if the request is about all pools. */
export function parsePoolFilter(
  { addresses, chain }: TokenReference,
  text: string | undefined,
): PoolId | null {
  return text === undefined ? null : parsePool(addresses, chain, text);
}

/** Throws unless the pool is one of the token. */
export async function requirePool(
  reader: AnswerReader,
  { chain, token, addresses }: TokenReference,
  pool: PoolId | null,
): Promise<void> {
  if (pool === null) return;
  const [stored] = await reader.readPools(chain, [pool]);
  if (stored?.token0 === token || stored?.token1 === token) return;
  throw new AppError('POOL_NOT_FOUND', { pool: addresses.toShown(pool) });
}
