// `mintwire keys list|revoke`: manages a wallet's keys, for operators, while a service runs.

import { FAMILIES } from '../engines/chain-families.ts';
import { isActiveKey, type KeyRecord } from '../model/access-record.ts';
import type { WalletId } from '../model/ids.ts';
import type { AccessStore } from '../store/access-store.ts';
import type { Store } from '../store/store.ts';
import { toTerminalText } from '../telemetry/terminal-text.ts';
import { readCommand, refuseCommand } from './read-command.ts';
import { withStore } from './with-store.ts';

const FORM = {
  name: 'npx mintwire keys',
  help: `usage: npx mintwire keys list   --wallet <wallet id or address>
       npx mintwire keys revoke --wallet <wallet id or address> [--id <key id>]

Without --id every active key of the wallet is revoked. A running service follows within a second.
`,
  flags: { wallet: { type: 'string' }, id: { type: 'string' } },
  args: ['list or revoke'],
} as const;

const PAGE = 100;

/** The requested wallet or key does not exist: a usage error. */
class UsageError extends Error {}

/** The form in which wallets are stored, given a wallet id or an address in any form. */
function toStoredForm(wallet: string): string {
  const start = wallet.lastIndexOf(':') + 1;
  for (const { addresses } of Object.values(FAMILIES)) {
    const address = addresses.parse(wallet.slice(start));
    if (address !== null) return wallet.slice(0, start) + addresses.toShown(address);
  }
  return wallet;
}

async function readAllKeys(store: AccessStore, walletId: WalletId): Promise<KeyRecord[]> {
  const keys: KeyRecord[] = [];
  for (;;) {
    const last = keys.at(-1);
    const after = last === undefined ? null : { createdAtMs: last.createdAtMs, id: last.id };
    const page = await store.readKeys(walletId, { after, limit: PAGE });
    keys.push(...page);
    if (page.length < PAGE) return keys;
  }
}

function formatTime(ms: number | null): string {
  return ms === null ? '-' : new Date(ms).toISOString().slice(0, 19);
}

function formatKey(key: KeyRecord, nowMs: number): string {
  const ended = key.revokedAtMs === null ? 'expired' : 'revoked';
  const status = isActiveKey(key, nowMs) ? 'active' : ended;
  return [
    key.id,
    status.padEnd(7),
    `${key.prefix}…${key.last4}`,
    `created ${formatTime(key.createdAtMs)}`,
    `used ${formatTime(key.lastUsedAtMs)}`,
    `expires ${formatTime(key.expiresAtMs)}`,
    key.name,
  ].join('  ');
}

async function list(store: AccessStore, walletIds: readonly WalletId[]): Promise<void> {
  const nowMs = Date.now();
  for (const walletId of walletIds) {
    const keys = await readAllKeys(store, walletId);
    const active = keys.filter((key) => isActiveKey(key, nowMs)).length;
    console.log(`${walletId}: ${active} active, ${keys.length} in total`);
    for (const key of keys) console.log(`  ${formatKey(key, nowMs)}`);
  }
}

async function revoke(
  store: AccessStore,
  walletIds: readonly WalletId[],
  onlyId: string | undefined,
): Promise<void> {
  const nowMs = Date.now();
  let revoked = 0;
  for (const walletId of walletIds) {
    const keys = await readAllKeys(store, walletId);
    const chosen = keys.filter((key) =>
      onlyId === undefined ? isActiveKey(key, nowMs) : key.id === onlyId,
    );
    for (const { id } of chosen) {
      const { outcome } = await store.revokeKey({ walletId, id }, nowMs);
      console.log(`${outcome === 'revoked' ? 'revoked' : 'already revoked:'} ${id}`);
      if (outcome === 'revoked') revoked += 1;
    }
    if (onlyId !== undefined && chosen.length > 0) return;
  }
  if (onlyId !== undefined) throw new UsageError(`the wallet has no key ${onlyId}`);
  console.log(`${revoked} revoked`);
}

interface KeysCommand {
  readonly action: 'list' | 'revoke';
  readonly wallet: string;
  readonly id: string | undefined;
}

function readWanted(typed: readonly string[]): KeysCommand | null {
  const command = readCommand(typed, FORM);
  if (command === null) return null;
  const [action] = command.args;
  const { wallet, id } = command.values;
  if (action !== 'list' && action !== 'revoke') {
    return refuseCommand(FORM, `no action "${action}"; known: list, revoke`);
  }
  if (!wallet) return refuseCommand(FORM, '--wallet is missing');
  if (action === 'list' && id !== undefined) return refuseCommand(FORM, '--id is for revoke only');
  return { action, wallet, id };
}

async function run(store: Store, { action, wallet, id }: KeysCommand): Promise<void> {
  const walletIds = (await store.access.findWallets(toStoredForm(wallet))).map((found) => found.id);
  if (walletIds.length === 0) throw new UsageError(`no wallet ${wallet} has ever signed in here`);
  if (action === 'list') await list(store.access, walletIds);
  else await revoke(store.access, walletIds, id);
}

export async function manageKeys(typed: readonly string[]): Promise<void> {
  const wanted = readWanted(typed);
  if (wanted === null) return;
  try {
    await withStore((store) => run(store, wanted));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`mintwire: ${toTerminalText(error.message)}`);
    process.exitCode = 2;
  }
}
