// What a person sees at a terminal: a real one (a pty), on which the output is drawn as the
// terminal would draw it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createIndexingScene } from '../indexing-scene.ts';
import { before } from '../root-hooks.ts';
import { startRpcRecorder } from '../rpc-recorder.ts';
import { createTempFolder, type ServiceProcess, spawnService } from '../start-service-process.ts';
import { waitUntil } from '../wait-until.ts';

const COLUMNS = 80;
const PROGRESS = /^devnet.* (?:block \d|%)|^devnet: /;

before(() => {
  const { error } = spawnSync('script', ['--version']);
  assert.equal(error, undefined, 'no terminal to test at: install util-linux, which has `script`');
});

const CLEAR_LINE = '\r\u001b[2K';

/** The lines of a screen that is as long as needed, of a service that only ever clears a line. */
function drawScreen(output: string): string[] {
  return output.split('\n').map((line) => {
    const drawn = line.split(CLEAR_LINE).map((text) => text.replace(/\r$/, ''));
    for (const text of drawn) {
      assert.ok(!/\p{Cc}/u.test(text), `a control character: ${JSON.stringify(text)}`);
    }
    return drawn.at(-1) ?? '';
  });
}

const countProgress = (lines: readonly string[]) =>
  lines.filter((line) => PROGRESS.test(line)).length;

/** A chain whose node answers once it is let. */
async function startHeldChain(t: TestContext) {
  const { env } = await createIndexingScene(t, { engine: 'sqlite' });
  const deployment = JSON.parse(readFileSync(env['DEVNET_DEPLOYMENT'] ?? '', 'utf8'));
  const recorder = await startRpcRecorder(deployment.rpcUrl);
  t.after(() => recorder.stop());
  const release = recorder.hold(() => true);
  const file = join(createTempFolder(t), 'deployment.json');
  writeFileSync(file, JSON.stringify({ ...deployment, rpcUrl: recorder.url }));
  return { release, env: { ...env, DEVNET_DEPLOYMENT: file } };
}

async function untilSeen(service: ServiceProcess, pattern: RegExp): Promise<string> {
  await waitUntil(() => pattern.test(service.output()));
  return pattern.exec(service.output())?.[1] ?? '';
}

const ORIGIN = /serves on (http:\/\/\S+)\r?\n/;
const ASKED = ['/v1/chains', '/v1/tokens', '/v1/nothing'];

async function ask(origin: string): Promise<void> {
  for (const path of ASKED) await (await fetch(origin + path)).text();
}

/** As Ctrl-C does. */
async function stopByKey(service: ServiceProcess): Promise<void> {
  service.child.stdin?.write('\u0003');
  assert.equal(await service.exited, 0, service.output());
}

test('a start is a banner and one line of progress that is redrawn, and then it is quiet', async (t) => {
  const { env, release } = await startHeldChain(t);
  const service = spawnService(t, { env, through: 'terminal' });
  let drawn = 0;
  service.child.stdout?.on('data', () => {
    drawn = Math.max(drawn, countProgress(drawScreen(service.output())));
  });
  const origin = await untilSeen(service, ORIGIN);
  await waitUntil(() => countProgress(drawScreen(service.output())) === 1);
  release();
  await untilSeen(service, /(up to its head)/);
  await waitUntil(() => countProgress(drawScreen(service.output())) === 0);
  assert.equal(drawn, 1);
  const before = drawScreen(service.output());
  await ask(origin);
  await stopByKey(service);
  const screen = drawScreen(service.output());
  // What goes on in the next line is not redrawn cleanly.
  for (const text of service
    .output()
    .split('\n')
    .flatMap((line) => line.split(CLEAR_LINE))) {
    assert.ok(text.length <= COLUMNS, text);
  }
  const [address = '', ...rest] = screen;
  assert.match(address, /^Mintwire [\d.]+ serves on http:/);
  assert.ok(rest.some((line) => line === `  Console      ${origin}`));
  // Requests are not told, and the key's own sign is the terminal's.
  const after = screen.slice(before.length - 1).map((line) => line.replace('^C', ''));
  assert.deepEqual(
    after.map((line) => line.replace(/^\d\d:\d\d:\d\d info {2}/, '')).filter(Boolean),
    ['stopping signal=SIGINT', 'stopped'],
  );
});

test('at the level debug requests are told with method and path', async (t) => {
  const service = spawnService(t, { env: { LOG_LEVEL: 'debug' }, through: 'terminal' });
  await ask(await untilSeen(service, ORIGIN));
  await stopByKey(service);
  const requests = drawScreen(service.output()).filter((line) => / request /.test(line));
  const told = requests.map((line) => /method=(\w+) path=(\S*)/.exec(line)?.slice(1).join(' '));
  // Without a route the path is a stranger's text.
  assert.deepEqual(told, ['GET /v1/chains', 'GET /v1/tokens', 'GET ']);
});

test('in a pipe requests are told with method and path', async (t) => {
  const service = spawnService(t);
  await ask(await untilSeen(service, ORIGIN));
  service.child.kill('SIGINT');
  assert.equal(await service.exited, 0);
  const requests = service
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as { method: string; path: string });
  assert.deepEqual(
    requests.map(({ method, path }) => `${method} ${path}`),
    ['GET /v1/chains', 'GET /v1/tokens', 'GET '],
  );
});
