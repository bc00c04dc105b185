#!/usr/bin/env node
// The command line: `npx mintwire <command>`.

import { exportRows } from './export.ts';
import { forget } from './forget.ts';
import { manageKeys } from './manage-keys.ts';
import { pause, resume } from './pause.ts';
import { plan } from './plan.ts';
import { readCommand, refuseCommand } from './read-command.ts';
import { serve } from './serve.ts';
import { verify } from './verify.ts';
import { readVersion } from './version.ts';
import { watchTokens } from './watch-tokens.ts';

const HELP = `mintwire: token market data, quotes and unsigned transactions from your own node

  npx mintwire serve      start the service (also: npm start)
  npx mintwire verify --chain <chain>
                          recompute the index from the chain and print the differences
  npx mintwire plan --chain <chain>
                          measure the chain's endpoints and print what following it costs
  npx mintwire export     write trades or klines to a CSV or Parquet file
  npx mintwire keys       list or revoke a wallet's API keys
  npx mintwire pause <chain> <mint>
                          remove a token from every answer; resume restores it
  npx mintwire watch add --chain <chain> <token>
                          index a token of a chain with scope watch; also: remove, list
  npx mintwire forget --chain <chain>
                          delete everything indexed of a chain
  npx mintwire --version  print the version
  npx mintwire --help     print this; <command> --help describes one

Settings come from the environment; docs/configuration.md lists them all.
`;

const COMMANDS: Readonly<Record<string, (typed: readonly string[]) => Promise<void>>> = {
  serve,
  verify,
  plan,
  export: exportRows,
  keys: manageKeys,
  pause,
  resume,
  watch: watchTokens,
  forget,
};

/** Flags about the program itself. */
const ABOUT: Readonly<Record<string, () => string>> = {
  '--help': () => HELP,
  help: () => HELP,
  '--version': readVersion,
};

const [command = '--help', ...typed] = process.argv.slice(2);
const form = { name: `npx mintwire ${command}`, help: HELP, flags: {} };
if (Object.hasOwn(COMMANDS, command)) await COMMANDS[command]?.(typed);
else if (Object.hasOwn(ABOUT, command)) {
  if (readCommand(typed, form) !== null) console.log(ABOUT[command]?.());
} else {
  const known = [...Object.keys(COMMANDS), ...Object.keys(ABOUT)].join(', ');
  refuseCommand({ ...form, name: 'npx mintwire' }, `no command "${command}"; known: ${known}`);
}
