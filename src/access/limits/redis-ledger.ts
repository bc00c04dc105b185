// The ledger in Redis or Valkey. Its clock counts, so that the processes' clocks need not agree.
//
// One connection, whose commands are run in order. After a failure a new one is opened, twice a
// second, until one answers: whoever asks meanwhile is refused at once.

import { createClient } from '@redis/client';
import { startPolling } from '../../lib/start-polling.ts';
import type { LedgerEntry, LedgerReply, LimitLedger, StreamClaim } from './limit-ledger.ts';

interface RedisLedgerOptions {
  readonly url: string;
  /** This process. */
  readonly node: string;
  /** Called when it is lost, with the cause, and when it is found (again), with null. */
  readonly onChange: (error: unknown) => void;
}

/** A healthy server answers within a few milliseconds. */
const ANSWER_MS = 500;
/** For the socket; what is said on it before the first command has `ANSWER_MS` more. */
const CONNECT_MS = 2000;
const POLL_MS = 500;
/** How long the streams of a process are counted that does not repeat them. */
const STREAMS_KEPT_MS = 120_000;
const MICROSECONDS = 1000;

/**
 * For each key, in microseconds: the burst, the least debt, what was spent, the part of that for
 * work that was done already, and what is wanted.
 */
const SETTLE = `
local time = redis.call('TIME')
local now = (time[1] - 1767225600) * 1000000 + time[2]
local replies = {}
for i, key in ipairs(KEYS) do
  local burst, floor = tonumber(ARGV[5 * i - 4]), tonumber(ARGV[5 * i - 3])
  local spent, done = tonumber(ARGV[5 * i - 2]), tonumber(ARGV[5 * i - 1])
  local wanted = tonumber(ARGV[5 * i])
  local arrival = math.max(now + floor, tonumber(redis.call('GET', key) or now)) + spent
  arrival = math.max(now, math.min(arrival, math.max(arrival - done, now + 2 * burst)))
  local allowed = arrival + wanted - now <= burst + 1
  if allowed then arrival = arrival + wanted end
  local debt = arrival - now
  if debt > 0 then
    local life = string.format('%.0f', math.ceil(debt / 1000) + 1000)
    redis.call('SET', key, string.format('%.3f', arrival), 'PX', life)
  else
    redis.call('DEL', key)
  end
  replies[2 * i - 1] = allowed and 1 or 0
  replies[2 * i] = math.ceil(debt)
end
return replies`;

/** Of one owner: the limit, this process, its streams, how long they are kept, all processes. */
const TAKE_STREAM = `
local limit, node, count, life = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4]
local present = {}
for i = 5, #ARGV do present[ARGV[i]] = true end
local sum = count
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  if not present[fields[i]] then redis.call('HDEL', KEYS[1], fields[i])
  elseif fields[i] ~= node then sum = sum + fields[i + 1] end
end
if sum > limit then return 0 end
redis.call('HSET', KEYS[1], node, count)
redis.call('PEXPIRE', KEYS[1], life)
return 1`;

/** Of many owners: this process, how long its streams are kept, the streams of each. */
const PUT_STREAMS = `
for i, key in ipairs(KEYS) do
  local count = tonumber(ARGV[i + 2])
  if count > 0 then
    redis.call('HSET', key, ARGV[1], count)
    redis.call('PEXPIRE', key, ARGV[2])
  else
    redis.call('HDEL', key, ARGV[1])
  end
end
return 1`;

type RedisConnection = ReturnType<typeof openConnection>;

function openConnection(url: string) {
  return createClient({
    url,
    socket: { connectTimeout: CONNECT_MS, reconnectStrategy: false },
    disableOfflineQueue: true,
    name: 'mintwire',
  });
}

export class RedisLedger implements LimitLedger {
  readonly #options: RedisLedgerOptions;
  readonly #stopPolling: () => Promise<void>;
  #connection: RedisConnection | null = null;
  /** One that is not known to work yet: there is never more than one of both. */
  #opening: RedisConnection | null = null;
  #looking: Promise<void> | null = null;
  #term = 0;
  #isLost = false;
  #isClosed = false;

  constructor(options: RedisLedgerOptions) {
    this.#options = options;
    const poll = () => this.#poll();
    this.#stopPolling = startPolling(poll, { everyMs: POLL_MS, onError: () => undefined });
    void poll();
  }

  get isUp(): boolean {
    return this.#connection !== null;
  }

  get term(): number {
    return this.#term;
  }

  async settle(entries: readonly LedgerEntry[]): Promise<readonly LedgerReply[]> {
    const keys = entries.map(({ name }) => `mintwire:limit:${name}`);
    const values = entries.flatMap(({ burstMs, floorMs, spentMs, doneMs, wantedMs }) =>
      [burstMs, floorMs, spentMs, doneMs, wantedMs].map((ms) => (ms * MICROSECONDS).toFixed(3)),
    );
    const reply = (await this.#run(SETTLE, keys, values)) as readonly number[];
    return entries.map((_, index) => {
      const [allowed, debt] = [Number(reply[2 * index]), Number(reply[2 * index + 1])];
      return { allowed: allowed === 1, debtMs: debt / MICROSECONDS };
    });
  }

  async takeStream({ owner, count, limit, nodes }: StreamClaim): Promise<boolean> {
    const values = [String(limit), this.#options.node, String(count), String(STREAMS_KEPT_MS)];
    const keys = [toStreamsKey(owner)];
    return Number(await this.#run(TAKE_STREAM, keys, [...values, ...nodes])) === 1;
  }

  async putStreams(counts: ReadonlyMap<string, number>): Promise<void> {
    const keys = [...counts.keys()].map(toStreamsKey);
    const values = [
      this.#options.node,
      String(STREAMS_KEPT_MS),
      ...[...counts.values()].map(String),
    ];
    await this.#run(PUT_STREAMS, keys, values);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#opening?.destroy();
    this.#connection?.destroy();
    this.#connection = null;
    await this.#stopPolling();
    await this.#looking;
  }

  async #run(script: string, keys: string[], values: string[]): Promise<unknown> {
    const connection = this.#connection;
    if (connection === null) throw new Error('There is no connection to Redis');
    try {
      return await inTime(connection.eval(script, { keys, arguments: values }));
    } catch (error) {
      this.#lose(connection, error);
      throw error;
    }
  }

  /** Never rejects, and never runs twice at once. */
  #poll(): Promise<void> {
    if (this.#connection !== null || this.#isClosed) return Promise.resolve();
    this.#looking ??= this.#connect()
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#looking = null;
      });
    return this.#looking;
  }

  async #connect(): Promise<void> {
    const connection = openConnection(this.#options.url);
    this.#opening = connection;
    connection.on('error', (error) => this.#lose(connection, error));
    connection.on('end', () => this.#lose(connection, new Error('Redis closed the connection')));
    try {
      // A server that hangs accepts connections, too: the system does that for it.
      await inTime(connection.connect(), CONNECT_MS + ANSWER_MS);
      // A server that loads its data accepts connections and refuses commands.
      await inTime(connection.get('mintwire:limit:'));
      if (this.#isClosed) throw new Error('This process closes the connection');
    } catch (error) {
      connection.destroy();
      throw error;
    } finally {
      this.#opening = null;
    }
    this.#connection = connection;
    this.#term += 1;
    this.#isLost = false;
    this.#options.onChange(null);
  }

  #lose(connection: RedisConnection, error: unknown): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    connection.destroy();
    this.#report(error);
  }

  #report(error: unknown): void {
    if (this.#isLost || this.#isClosed) return;
    this.#isLost = true;
    this.#options.onChange(error);
  }
}

function toStreamsKey(owner: string): string {
  return `mintwire:streams:${owner}`;
}

async function inTime<T>(running: Promise<T>, timeoutMs = ANSWER_MS): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('No answer from Redis')), timeoutMs);
  running.catch(() => undefined);
  try {
    return await Promise.race([running, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
