// `init` as an operator runs it: by flags, and at a real terminal.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BARE_ENV } from '../bare-env.ts';
import { createTempFolder } from '../start-service-process.ts';
import { waitUntil } from '../wait-until.ts';

const MAIN = resolve('src/cli/main.ts');
const TOKEN = '0x4200000000000000000000000000000000000006';

function start(folder: string, [command, ...args]: readonly string[], env = {}) {
  const child = spawn(command ?? '', args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...BARE_ENV, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  }
  const exited = new Promise<number | null>((done) => child.once('close', done));
  return { child, exited, output: () => output };
}

async function run(folder: string, words: string, env = {}) {
  const { child, exited, output } = start(
    folder,
    [process.execPath, MAIN, ...words.split(' ')],
    env,
  );
  child.stdin.end();
  return { code: await exited, output: output() };
}

/** The command at a terminal, and what is typed there. */
function type(t: TestContext, folder: string, words: string) {
  const line = `stty cols 80 rows 24; exec ${process.execPath} ${MAIN} ${words}`;
  const started = start(folder, ['script', '-qefc', line, '/dev/null']);
  t.after(() => started.child.kill());
  const answer = async (question: string, typed: string) => {
    await waitUntil(() => started.output().split(question).length > 1);
    // Each question ends so; the echo of an answer comes after it.
    await waitUntil(() => /> \S*$/.test(started.output()));
    started.child.stdin.write(typed);
  };
  return { ...started, answer };
}

test('five flags are a file that the next command reads; the environment comes first', async (t) => {
  const folder = createTempFolder(t);
  const made = await run(
    folder,
    `init --chain base --rpc http://127.0.0.1:9/sEcReT --scope ${TOKEN} --history 30000000 --store sqlite`,
  );
  assert.equal(made.code, 0, made.output);
  const file = join(folder, 'mintwire.env');
  const text = readFileSync(file, 'utf8');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const set = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.deepEqual(set, [
    `RPC_BASE='http://127.0.0.1:9/sEcReT'`,
    `START_BLOCK_BASE='30000000'`,
    `SCOPE_BASE='watch'`,
    `WATCH_BASE='${TOKEN}'`,
  ]);
  assert.ok(text.split('\n').every((line) => line.length <= 100));
  const doctor = await run(folder, 'doctor', { METRICS_PORT: '0', PORT: '0' });
  assert.match(doctor.output, /base: 127\.0\.0\.1:9/);
  const other = { METRICS_PORT: '0', PORT: '0', RPC_BASE: 'ftp://node.example' };
  assert.match((await run(folder, 'doctor', other)).output, /fault +.*RPC_BASE/);
});

test('a database gets a pepper; a file that is there is left alone', async (t) => {
  const folder = createTempFolder(t);
  const words = 'init --store postgres://mintwire:pw@127.0.0.1:9/mintwire';
  assert.equal((await run(folder, words)).code, 0);
  const file = join(folder, 'mintwire.env');
  const before = readFileSync(file, 'utf8');
  assert.match(before, /^DATABASE_URL='postgres:\/\/mintwire:pw@127\.0\.0\.1:9\/mintwire'$/m);
  assert.match(before, /^KEY_PEPPER='1:[A-Za-z0-9+/]{43}='$/m);
  const again = await run(folder, words);
  assert.deepEqual(
    [again.code, again.output],
    [1, 'npx mintwire init: mintwire.env is there already; move it, or use --file\n'],
  );
  assert.equal(readFileSync(file, 'utf8'), before);
});

const WRONG: readonly (readonly [string, RegExp])[] = [
  ['--chain bas', /no chain "bas"; known: devnet, ethereum, base/],
  ['--chain base', /--rpc is missing/],
  ['--chain base --rpc ftp://node.example', /RPC_BASE entry 1 must be a URL/],
  ["--chain base --rpc https://node.example/' --scope all", /RPC_BASE must not have quotes/],
  ['--chain base --rpc https://node.example --scope 0x1', /WATCH_BASE entry 1 must be an address/],
  ['--chain base --rpc https://node.example --history soon', /START_BLOCK_BASE must be a whole/],
  ['--store mysql://x', /DATABASE_URL must be/],
];

test('a wrong answer is named, and nothing is written', async (t) => {
  const folder = createTempFolder(t);
  for (const [words, expected] of WRONG) {
    const { code, output } = await run(folder, `init ${words}`);
    assert.match(output, expected);
    assert.equal(code, 2, words);
  }
  assert.ok(!existsSync(join(folder, 'mintwire.env')));
});

test('a person is asked what no flag says, and asked again after a wrong answer', async (t) => {
  const folder = createTempFolder(t);
  const { exited, answer, output } = type(t, folder, 'init --history head');
  await answer('Which chain?', 'solana\r');
  await answer('The endpoints', '\r');
  await answer('--rpc is missing', 'http://127.0.0.1:9\r');
  await answer('Which tokens?', 'liquid\r');
  await answer('Where is it stored?', '\r');
  assert.equal(await exited, 0, output());
  assert.ok(!output().includes('From which block'));
  const text = readFileSync(join(folder, 'mintwire.env'), 'utf8');
  assert.match(text, /^RPC_SOLANA='http:\/\/127\.0\.0\.1:9'$/m);
  assert.match(text, /^SCOPE_SOLANA='liquid'$/m);
});

test('Ctrl-C and Ctrl-D write nothing', async (t) => {
  for (const key of ['\u0003', '\u0004']) {
    const folder = createTempFolder(t);
    const { exited, answer, output } = type(t, folder, 'init');
    await answer('Which chain?', key);
    assert.equal(await exited, 1, output());
    assert.ok(!existsSync(join(folder, 'mintwire.env')));
  }
});
