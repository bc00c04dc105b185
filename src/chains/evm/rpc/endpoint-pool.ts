// The endpoints of a chain, as all who use them share them: one memory of each one's health, one
// set of connections. What differs by use (patience, sizes) is the client's.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Clock } from '../../../lib/clock.ts';
import type { Random } from '../../../lib/retry.ts';
import { EndpointHealth } from './endpoint-health.ts';

/** Requests to one endpoint that are under way at once; more of them wait. */
const CONNECTIONS_MAX = 16;
const MESSAGE_LENGTH_MAX = 300;

/** Whatever a URL may hold that lets its reader use somebody's account. */
function toSecrets(url: URL): string[] {
  const parts = [url.username, url.password, ...url.pathname.split('/')];
  for (const [name, value] of url.searchParams) parts.push(value, name);
  return parts
    .flatMap((part) => [part, decodeURIComponent(part)])
    .filter((part) => part.length >= 6)
    .sort((left, right) => right.length - left.length);
}

export class PooledEndpoint {
  readonly url: URL;
  /** Host and position: safe to show. */
  readonly name: string;
  readonly health: EndpointHealth;
  readonly agent: HttpAgent;
  /** The most calls that it took in one request; lowered when it refuses a batch. */
  batchCallsMax = Number.POSITIVE_INFINITY;
  readonly #secrets: readonly string[];
  #nextId = 1;

  constructor(url: string, index: number, options: { clock: Clock; random: Random }) {
    this.url = new URL(url);
    this.name = `${this.url.hostname}#${index}`;
    this.#secrets = toSecrets(this.url);
    this.health = new EndpointHealth(options);
    const agentOptions = { keepAlive: true, maxSockets: CONNECTIONS_MAX };
    this.agent =
      this.url.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  }

  /** The first of so many ids for calls. */
  takeIds(count: number): number {
    const first = this.#nextId;
    this.#nextId += count;
    return first;
  }

  redact(text: string): string {
    let safe = text.slice(0, MESSAGE_LENGTH_MAX * 4);
    for (const secret of this.#secrets) safe = safe.replaceAll(secret, '…');
    return safe.replace(/\p{C}+/gu, ' ').slice(0, MESSAGE_LENGTH_MAX);
  }
}

export class EndpointPool {
  /** The preferred one first. */
  readonly endpoints: readonly PooledEndpoint[];
  #users = 0;

  constructor(urls: readonly string[], options: { clock: Clock; random: Random }) {
    if (urls.length === 0) throw new TypeError('at least one endpoint is needed');
    this.endpoints = urls.map((url, index) => new PooledEndpoint(url, index, options));
  }

  join(): void {
    this.#users += 1;
  }

  /** The last one to leave closes the connections. */
  leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    for (const { agent } of this.endpoints) agent.destroy();
  }
}
