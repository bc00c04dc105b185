// `mintwire tiers list|assign|remove`: which wallets have which tier, for operators, while a
// service runs.

import { CREDENTIAL_LIFE_MS } from '../access/create-access.ts';
import { parseWalletId } from '../access/verify-wallet.ts';
import type { Config } from '../config.ts';
import { FAMILIES } from '../engines/chain-families.ts';
import { sleep } from '../lib/retry.ts';
import type { WalletId } from '../model/ids.ts';
import type { Store } from '../store/store.ts';
import { readCommand, refuseCommand } from './read-command.ts';
import { readSettings, withStore } from './with-store.ts';

const HELP = `usage: npx mintwire tiers list
       npx mintwire tiers assign <wallet> <tier>
       npx mintwire tiers remove <wallet>

Gives a wallet (an address or a wallet id) a tier of TIERS_FILE, or takes it away. Its keys and
sessions have it on every node from the next request after the command ends.
`;

const ARGS = { list: [], assign: ['wallet', 'tier'], remove: ['wallet'] } as const;
type TierVerb = keyof typeof ARGS;

/** Nodes look a credential up again within this time; a slow lookup takes some of it. */
const SEEN_EVERYWHERE_MS = CREDENTIAL_LIFE_MS + 250;

type TiersCommand =
  | { readonly verb: 'list' }
  /** A null tier takes the wallet's away. */
  | { readonly verb: 'set'; readonly walletId: WalletId; readonly tier: string | null };

function isVerb(text: string): text is TierVerb {
  return Object.hasOwn(ARGS, text);
}

function readWanted(typed: readonly string[], config: Config): TiersCommand | null {
  const [verb = '', ...rest] = typed;
  const form = { name: 'npx mintwire tiers', help: HELP, flags: {} };
  if (!isVerb(verb)) {
    const known = Object.keys(ARGS).join(', ');
    const command = readCommand(typed, { ...form, takesAnyArgs: true });
    return command && refuseCommand(form, `no action "${verb}"; known: ${known}`);
  }
  const command = readCommand(rest, { ...form, name: `${form.name} ${verb}`, args: ARGS[verb] });
  if (command === null) return null;
  if (verb === 'list') return { verb };
  const [wallet = '', tier = null] = command.args;
  const walletId = parseWalletId(wallet, Object.values(FAMILIES));
  if (walletId === null) return refuseCommand(form, `"${wallet}" is not an address or wallet id`);
  if (tier !== null && !config.tiers.some(({ name }) => name === tier)) {
    const names = config.tiers.map(({ name }) => name).join(', ');
    return refuseCommand(form, `TIERS_FILE has no tier "${tier}"; it has: ${names || 'none'}`);
  }
  return { verb: 'set', walletId, tier };
}

async function list(store: Store, config: Config): Promise<void> {
  for (const { name, perMinute } of config.tiers) {
    console.log(`${name.padEnd(16)} ${perMinute ?? config.limits.keyPerMinute} a minute`);
  }
  const assigned = await store.access.readTiers();
  for (const { walletId, tier, assignedAtMs } of assigned) {
    const since = new Date(assignedAtMs).toISOString().slice(0, 19);
    const isKnown = config.tiers.some(({ name }) => name === tier);
    const note = isKnown ? '' : '  (not in TIERS_FILE: it has no effect)';
    console.log(`${walletId}  ${tier}  since ${since}${note}`);
  }
  if (assigned.length === 0) console.log('No wallet has a tier of its own.');
}

async function set(
  store: Store,
  { walletId, tier }: Extract<TiersCommand, { verb: 'set' }>,
): Promise<void> {
  const before = await store.access.findTier(walletId);
  await store.access.assignTier(walletId, tier, Date.now());
  await sleep(SEEN_EVERYWHERE_MS);
  console.log(`${walletId} has ${tier ?? 'no tier of its own'}; it had ${before ?? 'none'}.`);
}

export async function manageTiers(typed: readonly string[]): Promise<void> {
  const config = readSettings();
  const wanted = config && readWanted(typed, config);
  if (config === null || wanted === null) return;
  await withStore((store) => (wanted.verb === 'list' ? list(store, config) : set(store, wanted)));
}
