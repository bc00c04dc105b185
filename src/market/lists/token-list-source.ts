// Where a token list comes from: a file, read once, or a URL, read again and again.
//
// The last good copy of a URL's list is kept in a file, so that a start needs no network.

import { createHash } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { replaceFile } from '../../lib/replace-file.ts';
import { openUrl } from './open-url.ts';
import {
  type FindListChain,
  LIST_BYTES_MAX,
  parseTokenList,
  type TokenList,
  TokenListError,
} from './parse-token-list.ts';

export interface TokenListSource {
  /** For the log and the metrics: nothing secret is in it. */
  readonly label: string;
  /** Null for a URL that has never been read. */
  readonly list: TokenList | null;
  /** Reads the list again; null if it has not changed. Absent for a file. */
  readonly renew?: (signal: AbortSignal) => Promise<TokenList | null>;
}

const FETCH_TIMEOUT_MS = 30_000;

function toTooLarge(): TokenListError {
  return new TokenListError([`the list is larger than ${LIST_BYTES_MAX} bytes`]);
}

/** Throws a `TokenListError`, also if the file does not exist. */
export async function readListFile(
  path: string,
  findChain: FindListChain,
): Promise<TokenListSource> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new TokenListError([`the file cannot be read (${error.code ?? error.message})`]);
  });
  try {
    const bytes = Buffer.alloc(LIST_BYTES_MAX + 1);
    let size = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, size, bytes.length - size, null);
      size += bytesRead;
      if (bytesRead === 0 || size > LIST_BYTES_MAX) break;
    }
    if (size > LIST_BYTES_MAX) throw toTooLarge();
    const text = bytes.toString('utf8', 0, size);
    return { label: path, list: parseTokenList(text, findChain, dirname(resolve(path))) };
  } catch (error) {
    if (error instanceof TokenListError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new TokenListError([`the file cannot be read (${code ?? message})`]);
  } finally {
    await file.close();
  }
}

async function readBody(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LIST_BYTES_MAX) throw toTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface KeptCopy {
  readonly etag: string | null;
  readonly text: string;
}

async function readKept(path: string): Promise<KeptCopy | null> {
  try {
    const kept = JSON.parse(await readFile(path, 'utf8')) as Partial<KeptCopy>;
    return typeof kept.text === 'string' ? { text: kept.text, etag: kept.etag ?? null } : null;
  } catch {
    // Missing or cut short: the list is read from its URL instead.
    return null;
  }
}

async function keep(path: string, copy: KeptCopy): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, JSON.stringify(copy));
}

/** Null if the server says that nothing has changed. */
async function fetchCopy(
  url: string,
  etag: string | null,
  signal: AbortSignal,
): Promise<KeptCopy | null> {
  const reply = await openUrl(url, {
    headers: { accept: 'application/json', ...(etag === null ? {} : { 'if-none-match': etag }) },
    signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]),
    trustedOrigin: new URL(url).origin,
  });
  try {
    if (etag !== null && reply.status === 304) return null;
    if (reply.status !== 200) {
      throw new TokenListError([`the server answered with status ${reply.status}`]);
    }
    return { text: await readBody(reply.body), etag: reply.etag };
  } finally {
    reply.close();
  }
}

/** Starts with the copy in `folder`, if there is a valid one. */
export async function openListUrl(
  url: string,
  options: { readonly folder: string; readonly findChain: FindListChain },
): Promise<TokenListSource> {
  const { folder, findChain } = options;
  const { host, pathname } = new URL(url);
  const name = createHash('sha256').update(url).digest('hex').slice(0, 32);
  const path = join(folder, `${name}.json`);
  const parse = (copy: KeptCopy | null) => {
    try {
      return copy === null ? null : parseTokenList(copy.text, findChain);
    } catch {
      // Written by a version with other rules: the list is read from its URL instead.
      return null;
    }
  };
  const kept = await readKept(path);
  const list = parse(kept);
  let etag = list === null ? null : (kept?.etag ?? null);
  return {
    label: `${host}${pathname}`,
    list,
    renew: async (signal) => {
      const copy = await fetchCopy(url, etag, signal);
      if (copy === null) return null;
      const renewed = parseTokenList(copy.text, findChain);
      await keep(path, copy);
      etag = copy.etag;
      return renewed;
    },
  };
}
