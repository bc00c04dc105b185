// Signals by NOTIFY, over one connection of its own that comes back after a failure. It only hears,
// so it is asked now and then whether it is still there.

import { Client } from 'pg';
import { startPolling } from '../../lib/start-polling.ts';
import type { SignalStore } from '../feed-store.ts';
import type { SqlEngine } from '../sql.ts';
import type { SqlStatement } from '../table.ts';

const RECONNECT_MS = 500;
const CONNECT_TIMEOUT_MS = 10_000;
const CHECKS: SignalChecks = { everyMs: 5000, answerMs: 5000 };

export const NOTIFY: SqlStatement = {
  sql: 'SELECT pg_notify($1, $2)',
  takes: ['text', 'text'],
  gives: [],
};

interface SignalChecks {
  readonly everyMs: number;
  /** A connection without an answer for this long is replaced. */
  readonly answerMs: number;
}

interface SignalListener {
  readonly channel: string;
  readonly onText: (text: string) => void;
}

export class PostgresSignals implements SignalStore {
  readonly #engine: SqlEngine;
  readonly #url: string;
  readonly #checks: SignalChecks;
  readonly #listeners = new Set<SignalListener>();
  /** The connection, once it listens to every channel. */
  #client: Client | null = null;
  #working: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;
  #stopChecking: (() => Promise<void>) | null = null;

  constructor(engine: SqlEngine, url: string, checks = CHECKS) {
    this.#engine = engine;
    this.#url = url;
    this.#checks = checks;
  }

  async send(channel: string, text: string): Promise<void> {
    await this.#engine.session.query(NOTIFY, [channel, text]);
  }

  listen(channel: string, onText: (text: string) => void): () => Promise<void> {
    const listener = { channel, onText };
    this.#listeners.add(listener);
    this.#work();
    const { everyMs } = this.#checks;
    this.#stopChecking ??= startPolling(() => this.#check(), { everyMs, onError: ignore });
    return async () => {
      this.#listeners.delete(listener);
      await this.#endIfIdle();
    };
  }

  #work(): void {
    this.#working = this.#working.then(() => this.#connect());
  }

  async #endIfIdle(): Promise<void> {
    if (this.#listeners.size > 0) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const stopChecking = this.#stopChecking;
    this.#stopChecking = null;
    await this.#working;
    const client = this.#client;
    this.#client = null;
    // A check that waits for its answer ends with the connection.
    await client?.end().catch(ignore);
    await stopChecking?.();
  }

  async #check(): Promise<void> {
    const client = this.#client;
    try {
      await client?.query('SELECT 1');
    } catch {
      client?.end().catch(ignore);
      if (client !== null) this.#reconnectLater(client);
    }
  }

  async #connect(): Promise<void> {
    if (this.#listeners.size === 0) return;
    const client = this.#client ?? this.#createClient();
    try {
      if (this.#client === null) await client.connect();
      for (const channel of new Set(Array.from(this.#listeners, (one) => one.channel))) {
        await client.query(`LISTEN ${channel}`);
      }
      this.#client = client;
    } catch {
      // The outage is reported by those who read.
      await client.end().catch(ignore);
      this.#reconnectLater(client);
    }
  }

  #createClient(): Client {
    const client = new Client({
      connectionString: this.#url,
      application_name: 'mintwire signals',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: this.#checks.answerMs,
      keepAlive: true,
    });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const one of this.#listeners) if (one.channel === channel) one.onText(payload);
    });
    client.on('error', ignore);
    client.on('end', () => this.#reconnectLater(client));
    return client;
  }

  #reconnectLater(client: Client): void {
    if (this.#client === client) this.#client = null;
    if (this.#listeners.size === 0 || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#client === null) this.#work();
    }, RECONNECT_MS);
    this.#timer.unref();
  }
}

function ignore(): void {}
