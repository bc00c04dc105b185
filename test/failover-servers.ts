// A PostgreSQL behind one address, with an asynchronous standby that can be promoted in its place,
// losing what it has not received.

import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { findFreePort } from './guarded-server.ts';
import { type PostgresServer, startPostgresPair } from './postgres.ts';
import type { Cleanup } from './start-service-process.ts';

/** Passes connections on to a port; cut, it drops them all and accepts none. */
interface Way {
  readonly port: number;
  lead(port: number | null): void;
}

async function openWay(t: Cleanup, port: number): Promise<Way> {
  let target: number | null = port;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    if (target === null) {
      near.destroy();
      return;
    }
    const far = connectTcp(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  t.after(async () => {
    cut();
    await new Promise((done) => server.close(done));
  });
  return {
    port: (server.address() as AddressInfo).port,
    lead: (to) => {
      target = to;
      cut();
    },
  };
}

export interface FailoverServers {
  /** Of a new database, at the address that always leads to the primary. */
  readonly url: string;
  /** Until the standby has all that was committed. */
  untilReplayed(): Promise<void>;
  /** From now on the standby receives nothing: what is committed will be lost. */
  cutStandby(): void;
  /** Ends the primary; its standby takes over, and gets a standby of its own. */
  failOver(): Promise<void>;
  /** On the primary. */
  run(sql: string): Promise<Record<string, unknown>[]>;
}

async function runOn(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function untilSo(url: string, sql: string): Promise<void> {
  for (let left = 600; left > 0; left -= 1) {
    const [row] = await runOn(url, sql).catch(() => []);
    if (row !== undefined && Object.values(row)[0] === true) return;
    await sleep(50);
  }
  throw new Error(`never: ${sql}`);
}

export async function startFailoverServers(
  t: Cleanup,
  name = 'mintwire',
): Promise<FailoverServers> {
  const pair = await startPostgresPair();
  t.after(() => pair.stop());
  const toPort = (server: PostgresServer) => Number(new URL(server.url).port);
  let primary = pair.primary;
  const nodes = await openWay(t, toPort(primary));
  let replication = await openWay(t, toPort(primary));
  const startStandby = async () =>
    pair.startStandby({ of: primary, via: replication.port, port: await findFreePort() });
  let standby = await startStandby();
  const toUrl = (port: number, database: string): string => {
    const url = new URL(pair.primary.url);
    return Object.assign(url, { port: String(port), pathname: `/${database}` }).href;
  };
  await runOn(
    toUrl(toPort(primary), 'postgres'),
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`,
  );
  /** Without it a failover would lose more than what was committed since the cut. */
  const untilReplayed = async () => {
    const at = toUrl(toPort(primary), 'postgres');
    const [row] = await runOn(at, 'SELECT pg_current_wal_lsn()::text AS lsn');
    const sql = `SELECT pg_last_wal_replay_lsn() >= '${row?.['lsn']}'::pg_lsn`;
    await untilSo(toUrl(toPort(standby), 'postgres'), sql);
  };
  await untilReplayed();
  return {
    url: toUrl(nodes.port, name),
    untilReplayed,
    cutStandby: () => replication.lead(null),
    failOver: async () => {
      nodes.lead(null);
      replication.lead(null);
      await primary.stop();
      const url = toUrl(toPort(standby), 'postgres');
      await untilSo(url, 'SELECT pg_promote()');
      await untilSo(url, 'SELECT NOT pg_is_in_recovery()');
      primary = standby;
      nodes.lead(toPort(primary));
      replication = await openWay(t, toPort(primary));
      standby = await startStandby();
      await untilReplayed();
    },
    run: (sql) => runOn(toUrl(toPort(primary), name), sql),
  };
}
