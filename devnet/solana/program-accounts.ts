// The accounts of a program, filtered as nodes do it: by length and by bytes at an offset.

import { decodeBase58Data } from '../../src/chains/solana/data/base58-data.ts';
import { ChainFault } from './chain-fault.ts';
import type { SolanaChain } from './solana-chain.ts';
import type { ChainAccount } from './svm.ts';
import { TOKEN_2022, TOKEN_PROGRAM } from './token-balance.ts';

export interface AccountFilter {
  readonly dataSize?: number;
  readonly memcmp?: { readonly offset: number; readonly bytes: string; readonly encoding?: string };
}

interface FoundAccount {
  readonly address: string;
  readonly account: ChainAccount;
}

const FILTERS_MAX = 4;
const KEY_BYTES = 32;
const OWNER_OFFSET = 32;

type Matcher = (account: ChainAccount) => boolean;

function parseBytes({ bytes, encoding = 'base58' }: NonNullable<AccountFilter['memcmp']>): Buffer {
  const parsed = encoding === 'base64' ? Buffer.from(bytes, 'base64') : decodeBase58Data(bytes);
  if (parsed === null) throw new ChainFault(-32602, 'Invalid param: filter bytes');
  return parsed;
}

function toMatcher({ dataSize, memcmp }: AccountFilter): Matcher {
  if (memcmp !== undefined) {
    const wanted = parseBytes(memcmp);
    const { offset } = memcmp;
    return ({ data }) => wanted.equals(data.subarray(offset, offset + wanted.length));
  }
  return ({ data }) => data.length === dataSize;
}

/** Token accounts are found by their mint or owner; others by looking at all of the program. */
function listCandidates(
  { ledger }: SolanaChain,
  program: string,
  filters: readonly AccountFilter[],
): string[] {
  const isTokens = program === TOKEN_PROGRAM || program === TOKEN_2022;
  const findKey = (offset: number) =>
    filters.find(({ memcmp }) => {
      return memcmp?.offset === offset && parseBytes(memcmp).length === KEY_BYTES;
    })?.memcmp?.bytes;
  const [mint, owner] = [findKey(0), findKey(OWNER_OFFSET)];
  if (!isTokens || (mint === undefined && owner === undefined)) return ledger.listOwned(program);
  return ledger.listTokenAccounts({
    ...(mint === undefined ? {} : { mint }),
    ...(owner === undefined ? {} : { owner }),
  });
}

export function listProgramAccounts(
  chain: SolanaChain,
  program: string,
  filters: readonly AccountFilter[],
): FoundAccount[] {
  if (filters.length > FILTERS_MAX) {
    throw new ChainFault(-32602, `Too many filters provided; max ${FILTERS_MAX}`);
  }
  const matchers = filters.map(toMatcher);
  return listCandidates(chain, program, filters).flatMap((address) => {
    const account = chain.read(address);
    if (account === null || account.owner !== program) return [];
    return matchers.every((matches) => matches(account)) ? [{ address, account }] : [];
  });
}
