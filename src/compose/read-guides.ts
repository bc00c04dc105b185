// The documents that the service shows in its reference, read from beside its source.

import { existsSync, readFileSync } from 'node:fs';
import type { Guide } from '../contract/guide.ts';

/** In the order in which a newcomer reads them. */
const FILES = [
  'quickstart.md',
  'api/market.md',
  'api/streams.md',
  'api/trading.md',
  'api/access.md',
  'api/limits.md',
  'api/mcp.md',
];

/** An install without its documents serves the reference all the same. */
export function readGuides(): readonly Guide[] {
  return FILES.flatMap((file) => {
    const url = new URL(`../../docs/${file}`, import.meta.url);
    if (!existsSync(url)) return [];
    const markdown = readFileSync(url, 'utf8');
    const id = file.replace(/^.*\/|\.md$/g, '');
    return [{ id, title: /^# (.*)$/m.exec(markdown)?.[1] ?? id, markdown }];
  });
}
