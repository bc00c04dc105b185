// Blocks in the forms of archives, beside the project.

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export const ARCHIVE_FIXTURES = new URL('../../shared/fixtures/archives/', import.meta.url);

export const skipWithoutArchives = existsSync(ARCHIVE_FIXTURES)
  ? false
  : 'fixtures/archives is absent';

export function readArchiveFixture(name: string): Buffer {
  const bytes = readFileSync(new URL(name, ARCHIVE_FIXTURES));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

/** A line of the Portal, for tests that change it. */
export interface PortalLine {
  header: Record<string, unknown> & { number: number; hash: string; parentHash: string };
  transactions: (Record<string, unknown> & { transactionIndex: number; hash: string })[];
  logs: (Record<string, unknown> & { logIndex: number; data: string; topics: string[] })[];
}

/** Fresh in each call. */
export function readPortalLine(name: string): PortalLine {
  return JSON.parse(readArchiveFixture(`portal/${name}`).toString());
}
