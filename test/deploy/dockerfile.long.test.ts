// The image, without a container engine: its steps are run in a fresh folder, and what they leave
// there is started, asked for its health, and stopped.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createTempFolder } from '../start-service-process.ts';
import { type BuiltImage, parseDockerfile, runDockerfile } from './run-dockerfile.ts';

const CONTEXT = join(import.meta.dirname, '../..');

test('instructions are read with their continued lines, without comments', () => {
  const text = '# a\nFROM x AS y\nRUN one \\\n  two \\\n && three\n\nCMD ["four"]\n';
  assert.deepEqual(parseDockerfile(text), [
    { name: 'FROM', rest: 'x AS y' },
    { name: 'RUN', rest: 'one two && three' },
    { name: 'CMD', rest: '["four"]' },
  ]);
});

/** The environment of a container: the image's own, and where its programs are. */
function buildEnvironment(image: BuiltImage, more: Readonly<Record<string, string>>) {
  const node = dirname(process.execPath);
  const path = `${join(image.workdir, 'bin')}:${node}:/usr/bin:/bin`;
  const data = { DATA_DIR: join(image.root, image.env['DATA_DIR'] ?? '') };
  return { ...image.env, ...data, PATH: path, HOST: '127.0.0.1', ...more };
}

async function untilServing(child: ReturnType<typeof spawn>): Promise<string> {
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    const origin = /serves on (http:\/\/\S+)\n/.exec(output)?.[1];
    if (origin !== undefined) return origin;
  }
  throw new Error(`it ended before it served:\n${output}`);
}

test('the steps of the Dockerfile build a service that starts, is healthy and stops', async (t) => {
  const image = runDockerfile(CONTEXT, createTempFolder(t));
  assert.equal(image.user, 'node');
  assert.deepEqual(globSync('**/*.node', { cwd: image.workdir }), []);
  assert.deepEqual(readdirSync(image.workdir).sort(), ['bin', 'lib']);
  const packed = join(image.workdir, 'lib/node_modules/mintwire');
  const { packages } = JSON.parse(readFileSync(join(packed, 'npm-shrinkwrap.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { os?: unknown; cpu?: unknown }>>;
  };
  const native = Object.entries(packages).filter(([, one]) => one.os ?? one.cpu);
  assert.deepEqual(native, []);
  const env = buildEnvironment(image, { PORT: '0', METRICS_PORT: '0', DEVNET: 'off' });
  const [program = '', ...args] = image.command;
  const child = spawn(program, args, {
    ...{ cwd: image.workdir, env, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  t.after(() => child.kill('SIGKILL'));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const origin = await untilServing(child);
  child.stdout?.resume();
  const page = await fetch(`${origin}/`);
  assert.match(await page.text(), /<title>/);
  const docs = await (await fetch(`${origin}/v1/docs`)).text();
  assert.match(docs, /quickstart/);
  const [healthProgram = '', ...healthArgs] = image.healthCommand;
  const askHealth = (port: string) =>
    spawnSync(healthProgram, healthArgs, { env: { ...env, PORT: port } }).status;
  assert.equal(askHealth(new URL(origin).port), 0);
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
  assert.equal(askHealth(new URL(origin).port), 1);
});
