// The console's files, served as they are: pages at `/x` from `x.html`, the rest by its own path.

import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { ReadyAnswer } from '../contract/handler.ts';
import type { Exchange } from './exchange.ts';

interface StaticFile extends ReadyAnswer {
  readonly contentType: string;
  readonly cacheControl: string;
}

/** The file at a path of the server; null if there is none. */
export type FindFile = (path: string) => StaticFile | null;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Names below `assets` contain a hash of the content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * No script but our own, no markup from text, no request to another host. `data:` images are the
 * icons that wallets announce themselves with.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export function buildStaticFile(name: string, bytes: Buffer): StaticFile {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return {
    kind: 'ready',
    bytes,
    etag: `W/"${hash}"`,
    contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
    cacheControl: name.startsWith('assets/') ? IMMUTABLE : 'no-cache',
  };
}

function buildPath(name: string): string {
  if (name === 'index.html') return '/';
  return `/${name.replace(/\.html$/, '')}`;
}

/** Reads all files of a folder; empty if there is no folder. */
export function readStaticFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const names = globSync('**/*.{css,html,js,svg,txt}', { cwd: folder });
  return new Map(
    names.map((name) => {
      const unixName = name.replaceAll('\\', '/');
      const file = buildStaticFile(unixName, readFileSync(join(folder, name)));
      return [buildPath(unixName), file];
    }),
  );
}

/** Replaces the headers for the API, which any page may read, by those for pages of our own. */
export function setPageHeaders(exchange: Exchange): void {
  exchange.removeHeader('access-control-allow-origin');
  exchange.removeHeader('access-control-expose-headers');
  exchange.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
  // Wallets may open a window of their own, which must be able to answer.
  exchange.setHeader('cross-origin-opener-policy', 'same-origin-allow-popups');
  exchange.setHeader('cross-origin-resource-policy', 'same-origin');
}

export function sendFile(
  exchange: Exchange,
  file: StaticFile,
  status: 200 | 404 = 200,
): void | Promise<void> {
  exchange.setHeader('content-type', file.contentType);
  exchange.setHeader('cache-control', file.cacheControl);
  exchange.setHeader('vary', 'Accept-Encoding');
  return exchange.sendReady(status, file, true);
}
