// Guides for people that the reference shows beside the operations, read from the docs folder.

import { existsSync, readFileSync } from 'node:fs';
import type { CompatShape } from './compat-route.ts';

export interface Guide {
  /** The name of its file without the extension; used for anchors. */
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
}

/** What the reference contains besides the operations. */
export interface ReferenceAbout {
  readonly version: string;
  readonly guides: readonly Guide[];
  /** Routes in the shape of other APIs. */
  readonly compat?: readonly CompatShape[];
}

/** In reading order for a newcomer. */
const FILES = [
  'quickstart.md',
  'api/market.md',
  'api/search.md',
  'api/wallets.md',
  'api/streams.md',
  'alerts.md',
  'webhooks.md',
  'api/charts.md',
  'compat.md',
  'api/trading.md',
  'api/access.md',
  'api/limits.md',
  'api/mcp.md',
];

/** An install without the docs folder still serves the reference. */
export function readGuides(): readonly Guide[] {
  return FILES.flatMap((file) => {
    const url = new URL(`../../docs/${file}`, import.meta.url);
    if (!existsSync(url)) return [];
    const markdown = readFileSync(url, 'utf8');
    const id = file.replace(/^.*\/|\.md$/g, '');
    return [{ id, title: /^# (.*)$/m.exec(markdown)?.[1] ?? id, markdown }];
  });
}
