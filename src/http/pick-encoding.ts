// Reads `Accept-Encoding`: which compression to use for a response.

import { BoundedMap } from '../lib/bounded-map.ts';

export type Encoding = 'br' | 'gzip';

interface EncodingChoice {
  readonly encoding: Encoding;
  /** Whether a plain response would not be accepted. */
  readonly isForced: boolean;
}

/** The preferred one first. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip'];

/** Few clients send anything else than a handful of values. */
const KEPT_MAX = 200;
const LENGTH_MAX = 200;
const kept = new BoundedMap<string, EncodingChoice | null>(KEPT_MAX);

function parseQuality(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [, digits] = /^\s*q\s*=\s*(\d(?:\.\d*)?)\s*$/i.exec(parameter) ?? [];
    if (digits !== undefined) return Math.min(1, Number(digits));
  }
  return 1;
}

function parseQualities(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const item of header.split(',')) {
    const [name = '', ...parameters] = item.split(';');
    const coding = name
      .trim()
      .toLowerCase()
      .replace(/^x-gzip$/, 'gzip');
    if (coding !== '') qualities.set(coding, parseQuality(parameters));
  }
  return qualities;
}

function choose(header: string): EncodingChoice | null {
  const qualities = parseQualities(header);
  const others = qualities.get('*');
  const qualityOf = (coding: string) => qualities.get(coding) ?? others ?? 0;
  // A plain response is accepted unless the client rules it out.
  const identity = qualities.get('identity') ?? (others === 0 ? 0 : null);
  let best: Encoding | null = null;
  for (const encoding of ENCODINGS) {
    if (qualityOf(encoding) > (best === null ? 0 : qualityOf(best))) best = encoding;
  }
  // A client that prefers a plain response says so by its quality.
  if (best === null || (identity ?? 0) > qualityOf(best)) return null;
  return { encoding: best, isForced: identity === 0 };
}

/** Null for a plain response. */
export function pickEncoding(header: string | undefined): EncodingChoice | null {
  if (header === undefined) return null;
  const known = kept.get(header);
  if (known !== undefined) return known;
  const choice = choose(header);
  if (header.length <= LENGTH_MAX) kept.set(header, choice);
  return choice;
}

/** Whether a response could be sent with an encoding, even if another one is preferred. */
export function accepts(header: string | undefined, encoding: Encoding): boolean {
  const qualities = parseQualities(header ?? '');
  return (qualities.get(encoding) ?? qualities.get('*') ?? 0) > 0;
}
