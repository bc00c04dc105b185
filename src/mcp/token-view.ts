// The view of a token in hosts that can show one: MCP Apps, SEP-1865, 2026-01-26. Its page is built
// with the console (`console/src/mcp-app`); hosts without views have the tools' text.

import { AppError } from '../errors/app-error.ts';
import type { Resource } from './resources.ts';

const URI = 'ui://mintwire/token';

/** Of tools that have the view; hosts from before the standard read the flat key. */
export const TOKEN_VIEW_META = { ui: { resourceUri: URI }, 'ui/resourceUri': URI };

/** `readPage` gives null while the console is being built. */
export function createTokenView(readPage: () => string | null): Resource {
  return {
    uri: URI,
    name: 'token-view',
    title: 'Chart of a token',
    description: 'The page that shows what get_token and get_klines answer.',
    mimeType: 'text/html;profile=mcp-app',
    // No address may be reached: what it needs it asks for by tools.
    _meta: { ui: { prefersBorder: true } },
    cache: { ttlMs: 300_000, scope: 'public' },
    text: () => {
      const page = readPage();
      if (page === null) throw new AppError('OVERLOADED', {}, { retryAfterSeconds: 1 });
      return page;
    },
  };
}
