// What mints say of themselves: supply, decimals, and a name from the Metaplex account or, for
// Token-2022, from the mint's own extension. Names are untrusted.

import { cleanText } from '../../../lib/clean-text.ts';
import type { Address } from '../../../model/ids.ts';
import type { TokenMetadata } from '../../../model/token-metadata.ts';
import type { TokenSupply } from '../../adapter.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { findProgramAddress, toSeed } from '../data/program-address.ts';
import { TOKEN_PROGRAMS, toSolanaAddress } from '../data/solana-ids.ts';
import { findLastUse, readAccounts, type SolanaAccount } from '../rpc/read-accounts.ts';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { findExtension } from './mint-extensions.ts';

const METAPLEX = toSolanaAddress('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
const METAPLEX_NAME_OFFSET = 65;

const SUPPLY_OFFSET = 36;
const DECIMALS_OFFSET = 44;
const MINT_BYTES = 82;
/** Mints with extensions are as long as accounts without them, then have their type. */
const TYPE_OFFSET = 165;
const MINT_TYPE = 1;
const METADATA_EXTENSION = 19;
/** The extension's authority and mint come first. */
const EXTENSION_NAME_OFFSET = 64;

/** More than could ever be shown. */
const TEXT_BYTES_MAX = 1024;

interface TokenNames {
  readonly name: string | null;
  readonly symbol: string | null;
}

const NAMELESS: TokenNames = { name: null, symbol: null };

/** Two strings, each after its length: the name and the symbol. */
function readNames(data: Buffer, offset: number): TokenNames {
  const texts: (string | null)[] = [];
  let at = offset;
  for (let count = 0; count < 2; count += 1) {
    if (at + 4 > data.length) return NAMELESS;
    const length = data.readUInt32LE(at);
    const end = at + 4 + length;
    if (length > TEXT_BYTES_MAX || end > data.length) return NAMELESS;
    // Old accounts are padded with zeros.
    texts.push(cleanText(data.toString('utf8', at + 4, end).replace(/\0+$/, '')));
    at = end;
  }
  const [name = null, symbol = null] = texts;
  return { name, symbol };
}

export function isMint(account: SolanaAccount | undefined): account is SolanaAccount {
  if (account === undefined || !TOKEN_PROGRAMS.has(account.owner)) return false;
  return account.data.length === MINT_BYTES || account.data[TYPE_OFFSET] === MINT_TYPE;
}

export function decodeSupply({ data }: Pick<SolanaAccount, 'data'>): bigint {
  return new AccountBytes(data).u64(SUPPLY_OFFSET);
}

function findMetaplexAddress(mint: Address): Address {
  return findProgramAddress(METAPLEX, ['metadata', toSeed(METAPLEX), toSeed(mint)]);
}

export async function readMintMetadata(
  node: SolanaNode,
  { tokens, minSlot }: { readonly tokens: readonly Address[]; readonly minSlot: number },
  signal?: AbortSignal,
): Promise<TokenMetadata[]> {
  const pages = new Map(tokens.map((token) => [token, findMetaplexAddress(token)]));
  const query = { addresses: [...tokens, ...pages.values()], minSlot };
  const { accounts } = await readAccounts(node, query, signal);
  return tokens.map((token) => {
    const mint = accounts.get(token);
    if (!isMint(mint)) return { token, ...NAMELESS, decimals: null };
    const decimals = mint.data.readUInt8(DECIMALS_OFFSET);
    const extension = findExtension(mint.data, METADATA_EXTENSION);
    if (extension !== null) {
      return { token, ...readNames(extension, EXTENSION_NAME_OFFSET), decimals };
    }
    const page = accounts.get(pages.get(token) ?? token);
    const names = page?.owner === METAPLEX ? readNames(page.data, METAPLEX_NAME_OFFSET) : NAMELESS;
    return { token, ...names, decimals };
  });
}

/**
 * Supplies at a block or shortly after: nodes keep no older state. A token that is minted in
 * between is read again with the block that has it.
 */
export async function readMintSupplies(
  node: SolanaNode,
  query: { readonly tokens: readonly Address[]; readonly slot: number },
  signal?: AbortSignal,
): Promise<TokenSupply[]> {
  const { tokens, slot } = query;
  const { accounts } = await readAccounts(node, { addresses: tokens, minSlot: slot }, signal);
  return tokens.map((token) => {
    const mint = accounts.get(token);
    return { token, supplyRaw: isMint(mint) ? decodeSupply(mint) : null };
  });
}

/** Null for a mint that was used since the block, so that its supply may be another now. */
export async function readUnusedSupplies(
  node: SolanaNode,
  query: { readonly tokens: readonly Address[]; readonly slot: number },
  signal?: AbortSignal,
): Promise<TokenSupply[]> {
  const supplies: TokenSupply[] = [];
  for (const { token, supplyRaw } of await readMintSupplies(node, query, signal)) {
    const used = await findLastUse(node, { address: token, minSlot: query.slot }, signal);
    const isSame = used === null || used <= query.slot;
    supplies.push({ token, supplyRaw: isSame ? supplyRaw : null });
  }
  return supplies;
}

/** Accounts that are no mints: wallets, token accounts, pools. Without what is not there. */
export async function findNonMints(
  node: SolanaNode,
  addresses: readonly Address[],
  signal?: AbortSignal,
): Promise<ReadonlySet<Address>> {
  const { accounts } = await readAccounts(node, { addresses, minSlot: 0 }, signal);
  return new Set([...accounts].filter(([, found]) => !isMint(found)).map(([address]) => address));
}
