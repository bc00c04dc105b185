#!/usr/bin/env node
// The command line: `npx mintwire <command>`.

import { keepTickShape } from '../lib/keep-tick-shape.ts';
import { readCommand, refuseCommand } from './read-command.ts';
import { readVersion } from './version.ts';

const HELP = `mintwire: token market data, quotes and unsigned transactions from your own node

  npx mintwire serve      start the service (also: npm start)
  npx mintwire init       write a settings file from five answers
  npx mintwire doctor     check ports, disk, clock, endpoints and store, and say what to do
  npx mintwire migrate    bring the store to this version, without serving
  npx mintwire verify --chain <chain>
                          recompute the index from the chain and print the differences
  npx mintwire plan --chain <chain>
                          measure the chain's endpoints and print what following it costs
  npx mintwire export     write trades or klines to a CSV or Parquet file
  npx mintwire keys       list or revoke a wallet's API keys
  npx mintwire tiers assign <wallet> <tier>
                          give a wallet a tier of TIERS_FILE; also: remove, list
  npx mintwire pause <chain> <mint>
                          remove a token from every answer; resume restores it
  npx mintwire watch add --chain <chain> <token>
                          index a token of a chain with scope watch; also: remove, list
  npx mintwire forget --chain <chain>
                          delete everything indexed of a chain
  npx mintwire search <text>
                          find tokens on a server; also, of one of them: token, klines, trades, quote
  npx mintwire watch <token>
                          show the price of a token live
  npx mintwire webhooks listen --to <url>
                          forward a stream to a program of yours, signed as webhooks are
  npx mintwire --version  print the version
  npx mintwire --help     print this; <command> --help describes one

Settings come from the environment; docs/configuration.md lists them all.
`;

type Command = (typed: readonly string[]) => Promise<void>;

/** A command loads what it needs: the whole service takes a second. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => {
    // First of all, for it re-executes the process.
    (await import('./set-memory-limits.ts')).setMemoryLimits();
    // Before the first full collection.
    keepTickShape();
    return (await import('./serve.ts')).serve;
  },
  init: async () => (await import('./init.ts')).init,
  doctor: async () => (await import('./doctor.ts')).doctor,
  migrate: async () => (await import('./migrate.ts')).migrate,
  verify: async () => (await import('./verify.ts')).verify,
  plan: async () => (await import('./plan.ts')).plan,
  export: async () => (await import('./export.ts')).exportRows,
  keys: async () => (await import('./manage-keys.ts')).manageKeys,
  tiers: async () => (await import('./manage-tiers.ts')).manageTiers,
  pause: async () => (await import('./pause.ts')).pause,
  resume: async () => (await import('./pause.ts')).resume,
  watch: async () => (await import('./watch-tokens.ts')).watchTokens,
  forget: async () => (await import('./forget.ts')).forget,
  search: async () => (await import('./client/show-search.ts')).showSearch,
  token: async () => (await import('./client/show-token.ts')).showToken,
  klines: async () => (await import('./client/show-klines.ts')).showKlines,
  webhooks: async () => (await import('./client/listen-webhooks.ts')).listenWebhooks,
  trades: async () => (await import('./client/show-trades.ts')).showTrades,
  quote: async () => (await import('./client/show-quote.ts')).showQuote,
};

/** Flags about the program itself. */
const ABOUT: Readonly<Record<string, () => string>> = {
  '--help': () => HELP,
  help: () => HELP,
  '--version': readVersion,
};

const [command = '--help', ...typed] = process.argv.slice(2);
const form = { name: `npx mintwire ${command}`, help: HELP, flags: {} };
if (Object.hasOwn(COMMANDS, command)) {
  const run = await COMMANDS[command]?.();
  await run?.(typed);
} else if (Object.hasOwn(ABOUT, command)) {
  if (readCommand(typed, form) !== null) console.log(ABOUT[command]?.());
} else {
  const known = [...Object.keys(COMMANDS), ...Object.keys(ABOUT)].join(', ');
  refuseCommand({ ...form, name: 'npx mintwire' }, `no command "${command}"; known: ${known}`);
}
