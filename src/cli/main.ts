#!/usr/bin/env node
// The command line: `npx mintwire <command>`.

import { keys } from './keys.ts';
import { pause, resume } from './pause.ts';
import { serve } from './serve.ts';
import { verify } from './verify.ts';
import { readVersion } from './version.ts';

const HELP = `mintwire: token market data, quotes and unsigned transactions from your own node

  npx mintwire serve      start the service (also: npm start)
  npx mintwire verify --chain <chain>
                          recompute the index from the chain and print the differences
  npx mintwire keys       list or revoke a wallet's API keys
  npx mintwire pause <chain> <mint>
                          take a token out of every answer; resume puts it back
  npx mintwire --version  print the version
  npx mintwire --help     print this

Settings come from the environment; docs/configuration.md lists them all.
`;

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<void> | void>> = {
  serve,
  verify,
  keys,
  pause,
  resume,
  '--help': () => console.log(HELP),
  help: () => console.log(HELP),
  '--version': () => console.log(readVersion()),
};

const [command = '--help', ...args] = process.argv.slice(2);
const run = COMMANDS[command];
if (run) {
  await run(args);
} else {
  console.error(`mintwire: there is no command "${command}"\n\n${HELP}`);
  process.exitCode = 2;
}
