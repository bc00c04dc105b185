// Real values from responses, by type, for requests that reach deep.

import type { Json } from '../market-scene.ts';

const KEPT_PER_KIND = 64;
const VISITED_MAX = 400;

/** Fields of responses → the type of their values. */
const KINDS: Readonly<Record<string, string>> = {
  mint: 'mint',
  pool: 'pool',
  wallet: 'wallet',
  owner: 'wallet',
  txHash: 'txHash',
  symbol: 'word',
  name: 'word',
  quoteId: 'quoteId',
  challengeId: 'challengeId',
  webhookId: 'webhookId',
  alertId: 'alertId',
  timestamp: 'time',
  openTime: 'time',
};

/** The value types that an input accepts, by the input's name. */
const KINDS_OF_INPUT: Readonly<Record<string, readonly string[]>> = {
  mint: ['mint'],
  quoteMint: ['mint'],
  pool: ['pool'],
  wallet: ['wallet'],
  address: ['ownAddress'],
  q: ['word', 'mint'],
  query: ['word', 'mint'],
  txHash: ['txHash'],
  id: ['keyId', 'webhookId', 'alertId'],
  webhookId: ['webhookId'],
  fromEventId: ['eventId'],
  quoteId: ['quoteId'],
  challengeId: ['challengeId'],
  lastEventId: ['eventId'],
  startTime: ['time'],
  endTime: ['time'],
  'Last-Event-ID': ['eventId'],
  'If-None-Match': ['etag'],
};

/** A page with a next page. */
export interface KnownPage {
  readonly target: string;
  readonly nextCursor: string;
}

export class KnownValues {
  readonly #byKind = new Map<string, string[]>();
  readonly #pages = new Map<string, KnownPage[]>();

  addPage(operationId: string, page: KnownPage): void {
    const pages = this.#pages.get(operationId) ?? [];
    if (pages.length >= KEPT_PER_KIND) pages.shift();
    pages.push(page);
    this.#pages.set(operationId, pages);
  }

  listPages(operationId: string): readonly KnownPage[] {
    return this.#pages.get(operationId) ?? [];
  }

  add(kind: string, value: string): void {
    const values = this.#byKind.get(kind) ?? [];
    if (values.includes(value)) return;
    if (values.length >= KEPT_PER_KIND) values.shift();
    values.push(value);
    this.#byKind.set(kind, values);
  }

  list(kind: string): readonly string[] {
    return this.#byKind.get(kind) ?? [];
  }

  /** Values for an input of an operation; empty if none are known. */
  listFor(operationId: string, input: string): readonly string[] {
    if (input === 'cursor') return this.list(`cursor ${operationId}`);
    return (KINDS_OF_INPUT[input] ?? []).flatMap((kind) => this.list(kind));
  }

  /** Values of any type: right in form, wrong in place. */
  listAll(): readonly string[] {
    return [...this.#byKind.values()].flat();
  }

  /** Collects reusable values from a response. */
  collect(operationId: string, answer: Json): void {
    let visited = 0;
    const visit = (value: Json, name: string): void => {
      visited += 1;
      if (visited > VISITED_MAX || value === null) return;
      if (Array.isArray(value)) {
        for (const one of value) visit(one, name);
      } else if (typeof value === 'object') {
        for (const [key, one] of Object.entries(value)) visit(one, key);
      } else if (name === 'nextCursor') this.add(`cursor ${operationId}`, String(value));
      else if (name === 'id' && String(value).startsWith('key_')) this.add('keyId', String(value));
      else if (KINDS[name] !== undefined) this.add(KINDS[name], String(value));
    };
    visit(answer, '');
  }
}
