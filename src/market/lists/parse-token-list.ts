// Token lists that others write, in Uniswap's schema (https://uniswap.org/tokenlist.schema.json).
//
// A list with any problem is rejected as a whole, and every problem is reported. Unused fields are
// ignored.

import { resolve, sep } from 'node:path';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { cleanText, toShownText } from '../../lib/clean-text.ts';
import type { AddressCodec } from '../../model/address-codec.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { Address } from '../../model/ids.ts';

/** Web pages about a token, https only. */
export interface TokenLinks {
  readonly website: string | null;
  readonly x: string | null;
  readonly telegram: string | null;
}

/** Where a list says that a logo is. Only a list that is a file names files, beside itself. */
export type LogoPlace =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'ipfs'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string };

interface ListedToken {
  readonly chain: ChainSlug;
  readonly token: Address;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly links: TokenLinks | null;
  readonly logo: LogoPlace | null;
}

export interface TokenList {
  readonly name: string;
  /** Only tokens of chains that we know. */
  readonly tokens: readonly ListedToken[];
}

/** Null for a chain that we do not know. */
export type FindListChain = (
  chainId: number,
) => { readonly slug: ChainSlug; readonly addresses: Pick<AddressCodec, 'parse'> } | null;

export class TokenListError extends Error {
  override readonly name = 'TokenListError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

export const LIST_BYTES_MAX = 8 * 1024 * 1024;

/** The schema's own bound. */
const TOKENS_MAX = 10_000;
const PROBLEMS_SHOWN_MAX = 50;
const LINK_LENGTH_MAX = 512;

const version = Type.Integer({ minimum: 0 });

const listSchema = Compile(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: 64 }),
    timestamp: Type.String({ minLength: 1, maxLength: 64 }),
    version: Type.Object({ major: version, minor: version, patch: version }),
    tokens: Type.Array(Type.Unknown(), { minItems: 1, maxItems: TOKENS_MAX }),
  }),
);

const tokenSchema = Compile(
  Type.Object({
    chainId: Type.Integer({ minimum: 1 }),
    address: Type.String({ minLength: 1, maxLength: 64 }),
    decimals: Type.Integer({ minimum: 0, maximum: 255 }),
    name: Type.String({ maxLength: 256 }),
    symbol: Type.String({ maxLength: 256 }),
    logoURI: Type.Optional(Type.Unknown()),
    extensions: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
);

interface Schema {
  Errors(value: unknown): Iterable<{ readonly instancePath: string; readonly message: string }>;
}

function findProblems(schema: Schema, value: unknown, at: string): string[] {
  return Array.from(schema.Errors(value), ({ instancePath, message }) => {
    const path = `${at}${instancePath.replaceAll('/', '.')}`.replace(/^\./, '');
    return `${path === '' ? 'the list' : path} ${message}`;
  });
}

function parseLink(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > LINK_LENGTH_MAX) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  // Credentials before an @ make a link look like one to another site.
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') return null;
  return url.href;
}

/** A CID and perhaps a path below it; some lists write `ipfs://ipfs/…`. */
const IPFS =
  /^ipfs:\/\/(?:ipfs\/)?([A-Za-z0-9]{32,128}(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}){0,8})$/;

/** Null for what cannot be served: SVG, other schemes, files outside the list's folder. */
function parseLogo(value: unknown, folder: string | null): LogoPlace | null {
  if (typeof value !== 'string' || value.length > LINK_LENGTH_MAX || /\.svg$/i.test(value)) {
    return null;
  }
  const url = parseLink(value);
  if (url !== null) return { kind: 'url', url };
  const path = IPFS.exec(value)?.[1];
  if (path !== undefined) return { kind: 'ipfs', path };
  if (folder === null || !/^[A-Za-z0-9._/-]+$/.test(value)) return null;
  const file = resolve(folder, value);
  return file.startsWith(folder + sep) ? { kind: 'file', path: file } : null;
}

/** The schema has no fields for links; these extensions are what lists use. */
function parseLinks(extensions: Readonly<Record<string, unknown>> = {}): TokenLinks | null {
  const website = parseLink(extensions['website']);
  const x = parseLink(extensions['x']) ?? parseLink(extensions['twitter']);
  const telegram = parseLink(extensions['telegram']);
  if (website === null && x === null && telegram === null) return null;
  return { website, x, telegram };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TokenListError(['the list is not JSON']);
  }
}

/** Adds the token to `tokens`, or what is wrong with it to `problems`. */
function parseToken(
  value: unknown,
  at: string,
  into: {
    readonly findChain: FindListChain;
    readonly folder: string | null;
    readonly tokens: Map<string, ListedToken>;
    readonly problems: string[];
  },
): void {
  const { findChain, tokens, problems } = into;
  if (!tokenSchema.Check(value)) {
    problems.push(...findProblems(tokenSchema, value, at));
    return;
  }
  const chain = findChain(value.chainId);
  if (chain === null) return;
  const token = chain.addresses.parse(value.address);
  if (token === null) {
    const shown = toShownText(value.address);
    problems.push(`${at}.address is not an address of ${chain.slug} (it is "${shown}")`);
    return;
  }
  const key = `${chain.slug} ${token}`;
  if (tokens.has(key)) {
    problems.push(`${at}.address is in the list twice (${chain.slug} ${token})`);
    return;
  }
  tokens.set(key, {
    chain: chain.slug,
    token,
    symbol: cleanText(value.symbol),
    name: cleanText(value.name),
    links: parseLinks(value.extensions),
    logo: parseLogo(value.logoURI, into.folder),
  });
}

/**
 * Throws a `TokenListError` that names every problem, the first 50 in full. `folder` is that of a
 * list that is a file.
 */
export function parseTokenList(
  text: string,
  findChain: FindListChain,
  folder: string | null = null,
): TokenList {
  const list = parseJson(text);
  if (!listSchema.Check(list)) throw new TokenListError(findProblems(listSchema, list, ''));
  const problems: string[] = [];
  const name = cleanText(list.name);
  if (name === null) problems.push('name must have a visible character');
  if (Number.isNaN(Date.parse(list.timestamp))) problems.push('timestamp must be a date and time');
  const tokens = new Map<string, ListedToken>();
  list.tokens.forEach((value, index) => {
    parseToken(value, `tokens.${index}`, { findChain, folder, tokens, problems });
  });
  if (name === null || problems.length > 0) {
    const rest = problems.length - PROBLEMS_SHOWN_MAX;
    const shown = problems.slice(0, PROBLEMS_SHOWN_MAX);
    throw new TokenListError(rest > 0 ? [...shown, `and ${rest} more problems`] : shown);
  }
  return { name, tokens: [...tokens.values()] };
}
