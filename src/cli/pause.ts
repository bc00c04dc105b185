// `mintwire pause|resume <chain> <mint>`: takes a token out of every answer and puts it back, for
// operators, beside a running service.

import { openStore } from '../compose/open-store.ts';
import { loadProcessConfig } from '../config.ts';
import { parseAddress } from '../contract/parse-reference.ts';
import { AppError } from '../errors/app-error.ts';
import { toShownAddress } from '../lib/checksum-address.ts';
import { type ChainSlug, toChain } from '../model/chain.ts';
import type { Store } from '../store/store.ts';
import { toStartProblem } from './serve.ts';

const USAGE = `usage: npx mintwire pause  <chain> <mint>
       npx mintwire resume <chain> <mint>
       npx mintwire pause list

A running service follows within a second.
`;

interface Target {
  readonly chain: ChainSlug;
  readonly token: string;
}

function parseTarget(args: readonly string[]): Target | string {
  const [chainName, mint, ...rest] = args;
  if (chainName === undefined || mint === undefined || rest.length > 0) return USAGE;
  const chain = toChain(chainName);
  if (chain === null) return `there is no chain "${chainName}"`;
  try {
    return { chain: chain.slug, token: parseAddress(chain.slug, mint, 'mint') };
  } catch (error) {
    if (error instanceof AppError) return `"${mint}" is not an address on ${chain.slug}`;
    throw error;
  }
}

async function list(store: Store): Promise<void> {
  const paused = (await store.pauses.readChanges(0)).filter((change) => change.paused);
  for (const { chain, token } of paused) console.log(`${chain} ${toShownAddress(token)}`);
  if (paused.length === 0) console.log('No token is paused.');
}

async function setPaused(store: Store, target: Target, paused: boolean): Promise<void> {
  const { chain, token } = target;
  const [known] = await store.market.readTokens(chain, [token]);
  if (known === undefined) console.error(`note: ${chain} has no such token so far`);
  const changed = await store.pauses.setPaused({ chain, token, paused, nowMs: Date.now() });
  const name = known?.symbol == null ? '' : ` (${known.symbol})`;
  const state = paused ? 'paused' : 'active';
  console.log(
    `${toShownAddress(token)}${name} on ${chain} is ${changed ? 'now' : 'already'} ${state}.`,
  );
}

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  let store: Store;
  try {
    store = await openStore(loadProcessConfig().store);
  } catch (error) {
    console.error(`mintwire: ${toStartProblem(error, null)}`);
    process.exitCode = 1;
    return;
  }
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

async function run(args: readonly string[], paused: boolean): Promise<void> {
  const target = parseTarget(args);
  if (typeof target === 'string') {
    console.error(`mintwire: ${target}`);
    process.exitCode = 2;
    return;
  }
  await withStore((store) => setPaused(store, target, paused));
}

export function pause(args: readonly string[]): Promise<void> {
  return args[0] === 'list' && args.length === 1 ? withStore(list) : run(args, true);
}

export function resume(args: readonly string[]): Promise<void> {
  return run(args, false);
}
