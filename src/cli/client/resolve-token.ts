// The token that a person means: `chain:mint`, a symbol, a name, or a part of an address.

import { type ServerClient, ServerError } from './server-client.ts';

interface NamedToken {
  readonly chain: string;
  readonly mint: string;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

/** Addresses of every family are at least this long; symbols and names of one word are shorter. */
const ADDRESS_LENGTH_MIN = 32;

/** What a search finds first, or exactly the address. */
export async function resolveToken(
  client: ServerClient,
  text: string,
  chain?: string,
): Promise<NamedToken> {
  const at = text.lastIndexOf(':');
  const on = at > 0 ? text.slice(0, at) : chain;
  const q = text.slice(at + 1);
  if (on !== undefined && q.length >= ADDRESS_LENGTH_MIN) {
    return client.get<NamedToken>('/token', { chain: on, mint: q });
  }
  const { tokens } = await client.get<{ tokens: readonly NamedToken[] }>('/tokens/search', {
    ...{ q, limit: 1, chain: on },
  });
  const [first] = tokens;
  if (first !== undefined) return first;
  throw new ServerError(`no token "${q}"${on === undefined ? '' : ` on ${on}`}`);
}
