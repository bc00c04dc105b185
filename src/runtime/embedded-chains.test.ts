// The second embedded chain is optional: where it cannot run, the service goes on without it.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { tryLock } from '../../devnet/folder-lease.ts';
import { loadConfig } from '../config.ts';
import { ChainConnections } from '../engines/chain-connections.ts';
import { listScopes } from '../engines/chain-scopes.ts';
import { systemClock } from '../lib/clock.ts';
import { createLogger } from '../telemetry/logger.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { ChainFollower } from './chain-follower.ts';
import { EmbeddedChains } from './embedded-chains.ts';

test('a Solana chain whose folder is in use is not followed, and ends nothing', async (t) => {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'mintwire-embedded-')));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  mkdirSync(join(dataDir, 'devnet-solana'));
  const lock = tryLock(join(dataDir, 'devnet-solana', 'owner.lock')) ?? assert.fail();
  t.after(() => lock.close());
  const config = loadConfig({ DATA_DIR: dataDir, DEVNET: 'on', DEVNET_SOLANA_PORT: '0' });
  const { promise: warned, resolve } = Promise.withResolvers<void>();
  const logged: { level: unknown; msg: unknown }[] = [];
  const write = (line: string) => {
    logged.push(JSON.parse(line));
    if (line.includes('another devnet is running')) setImmediate(resolve);
  };
  const logger = createLogger({ level: 'warn', format: 'json', sink: { write } });
  const follower = new ChainFollower({
    ...{ store: config.store, indexing: config.indexing, scopes: listScopes(config) },
    ...{ rollbacksKeptMs: 1, known: config.knownChains, leases: null, signals: null },
    ...{ node: 'test', leaseMs: 1, canIndex: () => false, clock: systemClock, logger },
    chains: ['devnet', 'devnet-solana'],
    connections: new ChainConnections({ clock: systemClock, log: logger }),
    ...{ onCommitted: () => assert.fail('nothing is indexed') },
    onStoreFault: () => assert.fail('no store is used'),
    metrics: new Metrics(),
  });
  t.after(() => follower.stop());
  const conflicts: string[] = [];
  const chains = new EmbeddedChains(
    {
      ...{ config, logger, onDevnet: () => assert.fail('no devnet is started') },
      onConflict: (message) => void conflicts.push(message),
    },
    () => assert.fail('no chain runs'),
  );
  t.after(() => chains.stop());
  chains.start('devnet-solana', follower);
  assert.deepEqual(follower.slugs, ['devnet', 'devnet-solana']);
  await warned;
  assert.deepEqual(conflicts, []);
  assert.deepEqual(follower.slugs, ['devnet']);
  assert.deepEqual(
    follower.list().map(({ slug }) => slug),
    ['devnet'],
  );
  assert.equal(logged.length, 1);
  assert.match(JSON.stringify(logged[0]), /warn|40/);
});
