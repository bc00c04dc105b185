// The endpoints of a chain, as all who use them share them: one memory of each one's health and one
// budget of requests for all threads, one set of connections in each. What differs by use
// (patience, sizes) is the client's.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/retry.ts';
import type { RpcBudget } from '../../model/rpc-usage.ts';
import { EndpointCells, REQUESTS_MAX, type SharedEndpoints } from '../endpoint-memory.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { EndpointLimitations } from './endpoint-limitations.ts';
import { EndpointPacer } from './endpoint-pacer.ts';
import { RpcMeter } from './rpc-meter.ts';

interface EndpointPoolOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent for a pool that no other thread knows. */
  readonly shared?: SharedEndpoints | undefined;
  /** Without it, calls are counted and not limited. */
  readonly budget?: RpcBudget | undefined;
}

const MESSAGE_LENGTH_MAX = 300;

/** Parts of a URL that may give access to an account. */
function findSecrets(url: URL): string[] {
  const parts = [url.username, url.password, ...url.pathname.split('/')];
  for (const [name, value] of url.searchParams) parts.push(value, name);
  return parts
    .flatMap((part) => [part, decodeURIComponent(part)])
    .filter((part) => part.length >= 6)
    .sort((left, right) => right.length - left.length);
}

export class PooledEndpoint {
  readonly url: URL;
  /** Host and index: safe to show. */
  readonly name: string;
  readonly health: EndpointHealth;
  readonly agent: HttpAgent;
  readonly pacer: EndpointPacer;
  /** As this thread met them. */
  readonly limitations: EndpointLimitations;
  /** The chain's: all its endpoints count together. */
  readonly meter: RpcMeter;
  readonly #secrets: readonly string[];
  #nextId = 1;

  constructor(url: string, index: number, options: EndpointPoolOptions & { meter: RpcMeter }) {
    this.meter = options.meter;
    this.url = new URL(url);
    this.name = `${this.url.hostname}#${index}`;
    this.#secrets = findSecrets(this.url);
    const { clock, random, shared, budget } = options;
    const creditsPerSecond = budget?.creditsPerSecond ?? null;
    const cells = new EndpointCells(index, shared ?? null);
    this.limitations = new EndpointLimitations(clock);
    this.health = new EndpointHealth({ clock, random, cells });
    this.pacer = new EndpointPacer({ clock, cells, creditsPerSecond });
    const agentOptions = { keepAlive: true, maxSockets: REQUESTS_MAX };
    this.agent =
      this.url.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  }

  /** Reserves this many call ids and returns the first. */
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
  readonly meter: RpcMeter;
  #users = 0;

  constructor(urls: readonly string[], options: EndpointPoolOptions) {
    if (urls.length === 0) throw new TypeError('at least one endpoint is needed');
    const meter = new RpcMeter(options);
    this.meter = meter;
    this.endpoints = urls.map(
      (url, index) => new PooledEndpoint(url, index, { ...options, meter }),
    );
  }

  join(): void {
    this.#users += 1;
  }

  /** The last user closes the connections. */
  leave(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    for (const { agent } of this.endpoints) agent.destroy();
  }
}
