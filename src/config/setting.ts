// What a setting is, and parsers for the values of settings.

import { resolve } from 'node:path';
import { decodeBase58 } from '../lib/base58.ts';
import { parseCidr } from '../lib/ip-address.ts';
import { parseVersionedSecrets, type VersionedSecret } from '../lib/versioned-secret.ts';

/** A setting as operators see it; `docs/configuration.md` is generated from these. */
export interface Setting<T> {
  readonly name: string;
  readonly group: string;
  /** What it does and why one would set it, in a sentence or two. */
  readonly why: string;
  readonly example: string;
  /** The value of an unset variable; null if unset means "none". */
  readonly fallback: string | null;
  /** The value is never shown, not even when it is invalid. */
  readonly secret: boolean;
  parse(text: string): T;
}

/** A setting has an invalid value. */
export class SettingProblem extends Error {}

type Parser<T> = (text: string) => T;

export function integer(range: { min: number; max: number }): Parser<number> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= range.min && value <= range.max)) {
      throw new SettingProblem(`must be a whole number from ${range.min} to ${range.max}`);
    }
    return value;
  };
}

export function oneOf<const T extends string>(values: readonly T[]): Parser<T> {
  return (text) => {
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) throw new SettingProblem(`must be one of ${values.join(', ')}`);
    return value;
  };
}

export function listOf<T>(item: Parser<T>): Parser<readonly T[]> {
  return (text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map((part, index) => {
        try {
          return item(part);
        } catch (error) {
          if (error instanceof SettingProblem)
            throw new SettingProblem(`entry ${index + 1} ${error.message}`);
          throw error;
        }
      });
}

export function urlWith(protocols: readonly string[]): Parser<string> {
  return (text) => {
    if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
      throw new SettingProblem(
        `must be a URL with ${protocols.map((name) => `${name}//`).join(' or ')}`,
      );
    }
    return text;
  };
}

/** Its path is the number of a database, or empty. */
export const redisUrl: Parser<string> = (text) => {
  const url = urlWith(['redis:', 'rediss:'])(text);
  if (!/^(\/\d*)?$/.test(new URL(url).pathname)) {
    throw new SettingProblem('must have the number of a database as its path, or none');
  }
  return url;
};

export const cidr: Parser<string> = (text) => {
  if (!parseCidr(text))
    throw new SettingProblem('must be an IP address or CIDR such as 10.0.0.0/8');
  return text;
};

export const host: Parser<string> = (text) => {
  if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(text))
    throw new SettingProblem('must be a host name or IP address');
  return text;
};

/** The address of a token on an EVM chain, as it is written. */
export const evmAddressText: Parser<string> = (text) => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    throw new SettingProblem('must be an address: 0x and 40 hex digits');
  }
  return text;
};

export const solanaAddressText: Parser<string> = (text) => {
  if (decodeBase58(text)?.length !== 32) {
    throw new SettingProblem('must be an address: 32 bytes in base58');
  }
  return text;
};

/**
 * A wallet's id. An address alone is the wallet that signs by its own key. EVM addresses are in
 * lower case, however they were written.
 */
export const walletIdText: Parser<string> = (text) => {
  const evm = /^(?:eip155:(?:\d{1,18}:)?)?0x[0-9a-fA-F]{40}$/.exec(text);
  if (evm !== null) {
    const id = text.startsWith('eip155:') ? text : `eip155:${text}`;
    return id.toLowerCase();
  }
  const address = text.replace(/^solana:/, '');
  if (decodeBase58(address)?.length === 32) return `solana:${address}`;
  throw new SettingProblem('must be an address or a wallet id, such as eip155:0x… or solana:…');
};

/** A token list's place: a URL or a file. */
type TokenListPlace =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string };

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Scheme, host and port as a browser's `Origin` header has them. */
export const origin: Parser<string> = (text) => {
  const url = urlWith(['http:', 'https:'])(text);
  const { origin: plain, protocol, hostname } = new URL(url);
  if (plain !== url) throw new SettingProblem('must be an origin such as https://a.example');
  if (protocol === 'http:' && !LOOPBACK_HOSTS.has(hostname)) {
    throw new SettingProblem('must use https: over http, sessions could be intercepted');
  }
  return url;
};

/** Lists say whom to trust, so over the network they come with https. */
export const tokenListPlace: Parser<TokenListPlace> = (text) => {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: 'file', path: resolve(text) };
  const url = urlWith(['http:', 'https:'])(text);
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !LOOPBACK_HOSTS.has(hostname)) {
    throw new SettingProblem('must use https: over http anybody on the way could add tokens');
  }
  return { kind: 'url', url };
};

export const pepper: Parser<readonly VersionedSecret[]> = (text) => {
  const secrets = parseVersionedSecrets(text);
  if (typeof secrets === 'string') throw new SettingProblem(secrets);
  return secrets;
};

export function setting<T>(
  name: string,
  parse: Parser<T>,
  about: { group: string; why: string; example: string; fallback: string; secret?: boolean },
): Setting<T> {
  return { secret: false, ...about, name, parse };
}

export function optionalSetting<T>(
  name: string,
  parse: Parser<T>,
  about: { group: string; why: string; example: string; secret?: boolean },
): Setting<T | null> {
  return { secret: false, ...about, fallback: null, name, parse };
}
