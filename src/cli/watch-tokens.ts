// `mintwire watch add|remove|list --chain <chain> [token]`: the tokens of a chain with scope
// `watch`, for operators, while a service runs.

import type { Config } from '../config.ts';
import { findFamily } from '../engines/chain-families.ts';
import { listScopes, listWatched } from '../engines/chain-scopes.ts';
import { type ChainSlug, toSettingSuffix } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Store } from '../store/store.ts';
import { watchPrice } from './client/watch-price.ts';
import { readCommand, refuseCommand } from './read-command.ts';
import { readChain, readSettings, withStore } from './with-store.ts';

const HELP = `usage: npx mintwire watch add    --chain <chain> <token>
       npx mintwire watch remove --chain <chain> <token>
       npx mintwire watch list   --chain <chain>

Says which tokens are indexed on a chain with SCOPE_<CHAIN>=watch. A running service follows within
a few seconds, from the next block on. Tokens in WATCH_<CHAIN> are watched as well.
`;

const VERBS = ['add', 'remove', 'list'] as const;
type Verb = (typeof VERBS)[number];

function buildForm(verb: Verb) {
  return {
    name: `npx mintwire watch ${verb}`,
    help: HELP,
    flags: { chain: { type: 'string' } },
    args: verb === 'list' ? [] : ['token'],
  } as const;
}

type Form = ReturnType<typeof buildForm>;

interface WatchTarget {
  readonly chain: ChainSlug;
  /** Null for `list`. */
  readonly token: Address | null;
  readonly configured: readonly Address[];
}

/** Why tokens of a chain cannot be watched; null if they can. */
function findScopeFault(config: Config, chain: ChainSlug): string | null {
  if (chain === 'devnet-solana') return 'all tokens of devnet-solana are indexed';
  const suffix = toSettingSuffix(chain);
  const scope = listScopes(config)[chain];
  const isOff = chain === 'devnet' && config.devnet.mode === 'off';
  if (scope === undefined || isOff) {
    const setting = chain === 'devnet' ? 'DEVNET=on' : `RPC_${suffix}`;
    return `${chain} is not followed: set ${setting} and SCOPE_${suffix}=watch`;
  }
  if (scope.name === 'watch') return null;
  return `SCOPE_${suffix} is ${scope.name}: set it to watch`;
}

function readTarget(typed: readonly string[], form: Form, config: Config): WatchTarget | null {
  const command = readCommand(typed, form);
  const chain = command && readChain(form, command.values.chain);
  if (command === null || chain === null) return null;
  const fault = findScopeFault(config, chain);
  if (fault !== null) return refuseCommand(form, fault);
  const scope = listScopes(config)[chain];
  const configured = scope === undefined ? [] : listWatched(chain, scope);
  const [text] = command.args;
  if (text === undefined) return { chain, token: null, configured };
  const token = findFamily(chain).addresses.parse(text);
  return token === null
    ? refuseCommand(form, `"${text}" is not an address on ${chain}`)
    : { chain, token, configured };
}

async function list(store: Store, { chain, configured }: WatchTarget): Promise<void> {
  const { toShown } = findFamily(chain).addresses;
  const added = (await store.watches.list(chain)).filter((token) => !configured.includes(token));
  const where = `WATCH_${toSettingSuffix(chain)}`;
  for (const token of configured) console.log(`${toShown(token)} (${where})`);
  for (const token of added) console.log(toShown(token));
  if (configured.length + added.length === 0) console.log(`No token of ${chain} is watched.`);
}

async function change(
  store: Store,
  verb: 'add' | 'remove',
  { chain, token, configured }: WatchTarget & { readonly token: Address },
): Promise<void> {
  const shown = findFamily(chain).addresses.toShown(token);
  const where = `WATCH_${toSettingSuffix(chain)}`;
  if (configured.includes(token) && verb === 'remove') {
    console.error(`mintwire: ${shown} is in ${where}: remove it there`);
    process.exitCode = 1;
    return;
  }
  const isChanged =
    verb === 'add'
      ? !configured.includes(token) && (await store.watches.add(chain, token, Date.now()))
      : await store.watches.remove(chain, token);
  const state = verb === 'add' ? 'watched' : 'not watched';
  console.log(`${shown} on ${chain} is ${isChanged ? 'now' : 'already'} ${state}.`);
}

export async function watchTokens(typed: readonly string[]): Promise<void> {
  const verb = VERBS.find((one) => one === typed[0]) ?? null;
  // Any other word is a token whose price is watched.
  if (verb === null) return watchPrice(typed);
  const form = buildForm(verb);
  const config = readSettings();
  if (config === null) return;
  const target = readTarget(typed.slice(1), form, config);
  if (target === null) return;
  const { token } = target;
  await withStore((store) =>
    token === null || verb === 'list'
      ? list(store, target)
      : change(store, verb, { ...target, token }),
  );
}
