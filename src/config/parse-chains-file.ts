// Parses `CHAINS_FILE`: chains that are not built in, and additions to those that are. Every
// problem is named with its path; docs/chains-file.md describes the format.

import { toShownText } from '../lib/clean-text.ts';
import { findDuplicateKey } from '../lib/find-duplicate-key.ts';
import {
  BUILT_IN_CHAINS,
  type ChainInfo,
  type ChainSlug,
  type CoinUnit,
  describeEvmChain,
  isBuiltIn,
  parseChainSlug,
} from '../model/chain.ts';
import {
  type AddedContracts,
  type ChainContracts,
  UNIVERSAL_ROUTER_VERSIONS,
} from '../model/chain-contracts.ts';
import { JsonFields } from './json-fields.ts';
import {
  type FactoryFile,
  parseAddressText,
  parseBoolean,
  parseFactory,
  parsePoolText,
  pickOne,
  text,
  wholeNumber,
} from './parse-factory.ts';
import { SettingProblem, urlWith } from './setting.ts';

/** One entry of the file. */
export interface FileChain {
  readonly info: ChainInfo;
  readonly contracts: ChainContracts;
}

/** Chains with settings or families of their own. */
const CLOSED: ReadonlyMap<string, string> = new Map([
  ['devnet', 'cannot be changed: the devnet describes itself'],
  ['devnet-solana', 'cannot be changed: the devnet describes itself'],
  ['eip155', 'cannot be used: it is the name of all EVM chains in wallet ids'],
  ['solana', 'cannot be changed: only EVM chains can be described'],
]);

/** The depth at which blocks of most chains are safe, if the node has no `finalized` block. */
const FINALITY_DEPTH = 64;

function parseExplorer(value: unknown): string {
  const url = urlWith(['https:'])(text(200)(value));
  if (new URL(url).search !== '' || new URL(url).hash !== '') {
    throw new SettingProblem('must have no query or fragment');
  }
  return url.replace(/\/+$/, '');
}

function parseAdded(fields: JsonFields, file: FactoryFile): AddedContracts {
  const stables = fields.readList('stables', parseAddressText);
  const anchorPools = fields.readList('anchorPools', parsePoolText);
  const factories = fields.readList('factories', (value, path) => parseFactory(value, path, file));
  const contracts = factories.map((one) => (one?.kind === 'v4' ? one.poolManager : one?.factory));
  noteRepeats(fields, 'stables', stables);
  noteRepeats(fields, 'anchorPools', anchorPools);
  noteRepeats(fields, 'factories', contracts);
  const venues = factories.map((one) => one?.venue);
  noteRepeats(fields, 'factories', venues);
  const isThere = <T>(one: T | null): one is T => one !== null;
  return {
    stables: stables.filter(isThere),
    anchorPools: anchorPools.filter(isThere),
    factories: factories.filter(isThere),
  };
}

function noteRepeats(fields: JsonFields, key: string, values: readonly unknown[]): void {
  values.forEach((value, index) => {
    const first = values.indexOf(value);
    if (value == null || first === index) return;
    fields.note(`${key}.${index}`, `repeats ${value} of ${key}.${first}`);
  });
}

/** What belongs to the chain as a whole: which of its factories the routers know. */
function noteRouterProblems(fields: JsonFields, contracts: ChainContracts): void {
  if (contracts.kind !== 'own') return;
  const { factories, universalRouter, permit2 } = contracts;
  for (const kind of ['v2', 'v3'] as const) {
    const routed = factories.filter((one) => one.kind === kind && one.universalRouter);
    if (routed.length > 1) {
      fields.note('factories', `has several ${kind} entries with universalRouter: it knows one`);
    }
    if (routed.length > 0 && universalRouter === null) {
      fields.note('universalRouter', `is missing: a ${kind} factory is to be traded through it`);
    }
  }
  if (factories.filter(({ kind }) => kind === 'v4').length > 1) {
    fields.note('factories', 'has several v4 entries');
  }
  if (universalRouter !== null && permit2 === null) {
    fields.note('permit2', 'is missing: the Universal Router takes tokens through it');
  }
}

function parseCoin(value: unknown, path: string, problems: string[]): CoinUnit {
  const fields = new JsonFields(value, path, problems);
  const coin = {
    symbol: fields.read('symbol', text(16)),
    decimals: fields.readOr('decimals', wholeNumber(0, 36), 18),
  };
  fields.refuseOthers();
  return coin;
}

function parseRouter(value: unknown, path: string, problems: string[]) {
  const fields = new JsonFields(value, path, problems);
  const router = {
    address: fields.read('address', parseAddressText),
    version: fields.read('version', pickOne(UNIVERSAL_ROUTER_VERSIONS)),
  };
  fields.refuseOthers();
  return router;
}

function parseOwnChain(slug: ChainSlug, fields: JsonFields, problems: string[]): FileChain {
  const chainId = fields.read('chainId', wholeNumber(1, Number.MAX_SAFE_INTEGER));
  const known = Object.values(BUILT_IN_CHAINS).find((one) => one.chainId === chainId);
  if (known !== undefined && chainId !== null) {
    const advice = CLOSED.has(known.slug)
      ? 'start the node of your chain with another id'
      : 'put the entry under that name';
    fields.note('chainId', `is that of ${known.slug}: ${advice}`);
  }
  const native = fields.read('native', (value, path) => parseCoin(value, path, problems));
  const info = describeEvmChain(slug, {
    ...{ chainId, native },
    name: fields.readOr('name', text(64), slug),
    explorerUrl: fields.readOr<string | null>('explorerUrl', parseExplorer, null),
  });
  const contracts: ChainContracts = {
    ...{ kind: 'own', chainId, native },
    wrapped: fields.read('wrapped', parseAddressText),
    wrappedEmitsTransfers: fields.readOr('wrappedEmitsTransfers', parseBoolean, false),
    finalityDepth: fields.readOr('finalityDepth', wholeNumber(1, 1_000_000), FINALITY_DEPTH),
    rollup: fields.readOr<'arbitrum' | 'optimism' | null>(
      'rollup',
      pickOne(['arbitrum', 'optimism']),
      null,
    ),
    universalRouter: fields.readOr<ReturnType<typeof parseRouter> | null>(
      'universalRouter',
      (value, path) => parseRouter(value, path, problems),
      null,
    ),
    permit2: fields.readOr<string | null>('permit2', parseAddressText, null),
    multicall3: fields.readOr<string | null>('multicall3', parseAddressText, null),
    ...parseAdded(fields, { problems, isOwn: true }),
  };
  if (!fields.has('factories')) fields.note('factories', 'is missing: nothing could be indexed');
  noteRouterProblems(fields, contracts);
  fields.refuseOthers();
  return { info, contracts };
}

function parseChain(name: string, value: unknown, problems: string[]): FileChain | null {
  const fields = new JsonFields(value, `chains.${name}`, problems);
  const slug = parseChainSlug(name);
  if (slug === null) {
    const rule = 'must be 2 to 32 lower-case letters, digits and dashes, a letter first';
    problems.push(`chains.${toShownText(name)} ${rule}`);
    return null;
  }
  const closed = CLOSED.get(slug);
  if (closed !== undefined) {
    fields.note(null, closed);
    return null;
  }
  if (!isBuiltIn(slug)) return parseOwnChain(slug, fields, problems);
  const contracts: ChainContracts = {
    kind: 'added',
    ...parseAdded(fields, { problems, isOwn: false }),
  };
  fields.refuseOthers();
  return { info: BUILT_IN_CHAINS[slug], contracts };
}

function noteSharedIds(chains: readonly FileChain[], problems: string[]): void {
  const own = chains.filter(({ contracts }) => contracts.kind === 'own');
  own.forEach(({ info }, index) => {
    const first = own.findIndex((one) => one.info.chainId === info.chainId);
    if (info.chainId === null || first === index) return;
    const other = own[first]?.info.slug;
    problems.push(`chains.${info.slug}.chainId is that of chains.${other}, too`);
  });
}

function listEntries(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SettingProblem('must be an object with a chain for each name');
  }
  return Object.entries(value);
}

/** The entries, in the file's order. What is wrong is added to `problems`: then do not use them. */
export function parseChainsFile(json: string, problems: string[]): FileChain[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    problems.push(`the file is not JSON: ${toShownText((error as Error).message)}`);
    return [];
  }
  const repeated = findDuplicateKey(json);
  if (repeated !== null) problems.push(`${repeated} is in the file twice`);
  const file = new JsonFields(value, '', problems);
  const entries = file.read('chains', listEntries) ?? [];
  file.refuseOthers();
  const chains = entries.flatMap(([name, one]) => parseChain(name, one, problems) ?? []);
  noteSharedIds(chains, problems);
  return chains;
}
