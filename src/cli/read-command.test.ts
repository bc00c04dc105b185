// Wrong command lines give an error that lists what is allowed, and every command has --help.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, type TestContext, test } from 'node:test';
import { showKlines } from './client/show-klines.ts';
import { showQuote } from './client/show-quote.ts';
import { showSearch } from './client/show-search.ts';
import { showToken } from './client/show-token.ts';
import { showTrades } from './client/show-trades.ts';
import { watchPrice } from './client/watch-price.ts';
import { manageKeys } from './manage-keys.ts';
import { pause, resume } from './pause.ts';
import { serve } from './serve.ts';
import { verify } from './verify.ts';

type Command = (typed: readonly string[]) => Promise<void>;

const COMMANDS: Readonly<Record<string, Command>> = {
  ...{ serve, verify, manageKeys, pause, resume },
  ...{ showSearch, showToken, showKlines, showTrades, showQuote, watchPrice },
};

/** Runs a command like main; nothing typed here may get as far as opening a store. */
async function type(t: TestContext, command: Command, typed: readonly string[]) {
  const [out, error]: [string[], string[]] = [[], []];
  t.mock.method(console, 'log', (text: string) => void out.push(text));
  t.mock.method(console, 'error', (text: string) => void error.push(text));
  await command(typed);
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  t.mock.restoreAll();
  return { code, out: out.join('\n'), error: error.join('\n') };
}

describe('every command of mintwire', () => {
  for (const [name, command] of Object.entries(COMMANDS)) {
    test(`${name} prints its help and refuses what it does not know`, async (t) => {
      const help = await type(t, command, ['--help']);
      assert.deepEqual([help.code, help.error], [0, '']);
      assert.match(help.out, /^usage: npx mintwire /);
      const wrong = await type(t, command, ['--colour', 'red']);
      assert.match(wrong.error, /: no flag --colour; known: .*--help\n\nusage: npx mintwire/);
      assert.deepEqual([wrong.code, wrong.out], [2, '']);
    });
  }
});

const WRONG: readonly (readonly [Command, string, RegExp])[] = [
  [serve, '9000', /no argument "9000" here; it takes no arguments/],
  [serve, '--port 9000', /no flag --port; known: --role, --help/],
  [verify, '', /--chain is missing/],
  [verify, '--chain', /--chain needs a value/],
  [verify, '--chain nope', /no chain "nope"; known: .*devnet/],
  [verify, 'devnet', /no argument "devnet" here/],
  [manageKeys, '', /<list or revoke> is missing/],
  [manageKeys, 'drop --wallet x', /no action "drop"; known: list, revoke/],
  [manageKeys, 'list', /--wallet is missing/],
  [manageKeys, 'list --wallet x --id y', /--id is for revoke only/],
  [manageKeys, 'list x --wallet x', /no argument "x" here/],
  [showSearch, '', /<text> is missing/],
  [showToken, 'a b', /no argument "b" here; it takes <token>/],
  [showQuote, 'hold 1 x', /no side "hold"; known: buy, sell/],
  [watchPrice, 'x --events none', /--events must be a number of events/],
  [pause, '', /<chain> is missing/],
  [pause, 'devnet', /<mint> is missing/],
  [pause, 'list x', /no argument "x" here/],
  [pause, 'list --all', /no flag --all/],
  [resume, 'devnet 0x1 x', /no argument "x" here; it takes <chain> <mint>/],
  [resume, 'nope 0x1', /no chain "nope"; known: .*devnet/],
  [resume, 'devnet 0x1', /"0x1" is not an address on devnet/],
];

describe('a wrong command line', () => {
  for (const [command, words, expected] of WRONG) {
    test(`${command.name} ${words}`, async (t) => {
      const { code, out, error } = await type(t, command, words.split(' ').filter(Boolean));
      assert.match(error, expected);
      assert.match(error, /\n\nusage: npx mintwire /, 'how to type it right');
      assert.deepEqual([code, out], [2, '']);
    });
  }
});

const PROGRAMS: readonly (readonly [readonly string[], RegExp])[] = [
  [
    ['src/cli/main.ts', 'constructor'],
    /no command "constructor"; known: serve, init, doctor, migrate, verify, plan, export, keys/,
  ],
  [['devnet/main.ts', '--colour'], /no flag or argument --colour; known: --help/],
  [['test/drill.ts', '--colour'], /no flag --colour; known: --kills, .*--help/],
  [['test/soak.ts', '--colour'], /no flag --colour; known: --minutes, .*--help/],
  [['bench/main.ts', '--colour'], /no flag --colour; known: --quick, --check, --only, --help/],
  [['docs/generate.ts', '--colour'], /no flag --colour; known: --check, --help/],
];

for (const [words, expected] of PROGRAMS) {
  test(`${words.join(' ')} is refused before anything is done`, () => {
    const ended = spawnSync(process.execPath, words, { encoding: 'utf8' });
    assert.match(ended.stderr, expected);
    assert.deepEqual([ended.status, ended.stdout], [2, '']);
  });
}
