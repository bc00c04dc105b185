// Runs examples/trade.ts, which the README shows, as a reader would.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startServiceProcess } from '../start-service-process.ts';
import { until } from '../trade-service.ts';

const run = promisify(execFile);

test('the README shows the same example that is run here', () => {
  const shown = /```ts\n(.*?)```/s.exec(readFileSync('README.md', 'utf8'))?.[1];
  assert.equal(shown, readFileSync('examples/trade.ts', 'utf8'));
});

test('the example trades on the devnet and sees its trade on the stream', async (t) => {
  const env = { DEVNET: 'auto', DEVNET_TRADERS: 'off', DEVNET_HISTORY_HOURS: '0' };
  const service = await startServiceProcess(t, { env });
  await until('the devnet is ready', async () => {
    assert.equal(service.child.exitCode, null, service.output());
    return (await fetch(`${service.origin}/v1/ready`)).status === 200;
  });
  const { stdout } = await run(process.execPath, ['examples/trade.ts'], {
    env: { ...process.env, MINTWIRE_URL: `${service.origin}/v1` },
    timeout: 60_000,
  });
  assert.match(stdout, /^0\.1 ETH buys [\d.]+ WIRE$/m);
  assert.match(stdout, /^You pay 0\.1 ETH$/m);
  assert.match(stdout, /^confirmed in block \d+$/m);
  assert.match(stdout, /^on the stream: devnet:0x[0-9a-f]{64}:0$/m);
});
