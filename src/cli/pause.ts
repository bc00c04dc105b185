// `mintwire pause|resume <chain> <mint>`: removes a token from every answer and restores it, for
// operators, while a service runs.

import { findFamily } from '../engines/chain-families.ts';
import type { ChainSlug } from '../model/chain.ts';
import type { Address } from '../model/ids.ts';
import type { Store } from '../store/store.ts';
import { toTerminalLine } from '../telemetry/terminal-text.ts';
import { readCommand, refuseCommand } from './read-command.ts';
import { readChain, withStore } from './with-store.ts';

const HELP = `usage: npx mintwire pause  <chain> <mint>
       npx mintwire resume <chain> <mint>
       npx mintwire pause list

Takes a token out of every answer, or puts it back. A running service follows within a second.
`;

function buildForm(verb: 'pause' | 'resume') {
  return { name: `npx mintwire ${verb}`, help: HELP, flags: {}, args: ['chain', 'mint'] };
}

interface PauseTarget {
  readonly chain: ChainSlug;
  readonly token: Address;
}

function readTarget(typed: readonly string[], verb: 'pause' | 'resume'): PauseTarget | null {
  const form = buildForm(verb);
  const command = readCommand(typed, form);
  if (command === null) return null;
  const [chainName = '', mint = ''] = command.args;
  const slug = readChain(form, chainName);
  if (slug === null) return null;
  if (findFamily(slug).markets === null) return refuseCommand(form, `${slug} cannot be followed`);
  const token = findFamily(slug).addresses.parse(mint);
  return token === null
    ? refuseCommand(form, `"${mint}" is not an address on ${slug}`)
    : { chain: slug, token };
}

async function list(store: Store): Promise<void> {
  const paused = (await store.pauses.readChanges(0)).filter((change) => change.paused);
  for (const { chain, token } of paused)
    console.log(`${chain} ${findFamily(chain).addresses.toShown(token)}`);
  if (paused.length === 0) console.log('No token is paused.');
}

async function setPaused(store: Store, target: PauseTarget, paused: boolean): Promise<void> {
  const { chain, token } = target;
  const [known] = await store.market.readTokens(chain, [token]);
  if (known === undefined) console.error(`note: ${chain} has no such token so far`);
  const changed = await store.pauses.setPaused({ chain, token, paused, nowMs: Date.now() });
  const name = known?.symbol == null ? '' : ` (${toTerminalLine(known.symbol)})`;
  const state = paused ? 'paused' : 'active';
  const shown = findFamily(chain).addresses.toShown(token);
  console.log(`${shown}${name} on ${chain} is ${changed ? 'now' : 'already'} ${state}.`);
}

async function run(typed: readonly string[], verb: 'pause' | 'resume'): Promise<void> {
  const target = readTarget(typed, verb);
  if (target !== null) await withStore((store) => setPaused(store, target, verb === 'pause'));
}

export async function pause(typed: readonly string[]): Promise<void> {
  if (typed[0] !== 'list') return run(typed, 'pause');
  const form = { ...buildForm('pause'), name: 'npx mintwire pause list', args: [] };
  if (readCommand(typed.slice(1), form) !== null) await withStore(list);
}

export function resume(typed: readonly string[]): Promise<void> {
  return run(typed, 'resume');
}
