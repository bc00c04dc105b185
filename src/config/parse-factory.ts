// Parses the values of `CHAINS_FILE`: numbers, addresses, and the factory of an exchange.

import {
  type FactoryEntry,
  ROUTED_LAYOUTS,
  V2_LAYOUTS,
  V3_LAYOUTS,
  V3_ROUTERS,
} from '../model/chain-contracts.ts';
import { JsonFields } from './json-fields.ts';
import { SettingProblem } from './setting.ts';

export function text(lengthMax: number): (value: unknown) => string {
  return (value) => {
    const isText = typeof value === 'string' && value.trim() === value && value !== '';
    if (isText && value.length <= lengthMax && /^[\x20-\x7e]+$/.test(value)) return value;
    throw new SettingProblem(`must be 1 to ${lengthMax} printable ASCII characters`);
  };
}

export function wholeNumber(min: number, max: number): (value: unknown) => number {
  return (value) => {
    if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) {
      return value as number;
    }
    throw new SettingProblem(`must be a whole number from ${min} to ${max}`);
  };
}

export function pickOne<const T extends string>(values: readonly T[]): (value: unknown) => T {
  return (value) => {
    const found = values.find((one) => one === value);
    if (found === undefined) {
      throw new SettingProblem(`must be one of ${values.map((one) => `"${one}"`).join(', ')}`);
    }
    return found;
  };
}

export function parseBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new SettingProblem('must be true or false');
}

export function parseAddressText(value: unknown): string {
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value) && !/^0x0+$/.test(value)) {
    return value.toLowerCase();
  }
  throw new SettingProblem('must be an address: 0x and 40 hex digits, not all 0');
}

/** The address of a V2 or V3 pool, or the id of a V4 pool. */
export function parsePoolText(value: unknown): string {
  if (typeof value === 'string' && /^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/.test(value)) {
    return value.toLowerCase();
  }
  throw new SettingProblem('must be a pool: 0x and 40 hex digits, or 64 for a V4 pool');
}

function parseVenue(value: unknown): string {
  if (typeof value === 'string' && /^[a-z][a-z0-9-]{1,39}$/.test(value)) return value;
  throw new SettingProblem('must be 2 to 40 lower-case letters, digits and dashes, a letter first');
}

function parseFeeTiers(value: unknown): number[] {
  const parse = wholeNumber(1, 999_999);
  if (Array.isArray(value) && value.length > 0 && value.length <= 32) return value.map(parse);
  throw new SettingProblem('must be a list of 1 to 32 fees in pips');
}

export interface FactoryFile {
  readonly problems: string[];
  /** Whether the chain is the file's own; otherwise it is built in and knows its router. */
  readonly isOwn: boolean;
}

function parseRouted(fields: JsonFields, { isOwn }: FactoryFile): boolean {
  const routed = fields.readOr('universalRouter', parseBoolean, false);
  if (routed && !isOwn) {
    fields.note(
      'universalRouter',
      "must be false: the chain's Universal Router knows Uniswap only",
    );
  }
  return routed;
}

const KINDS = ['v2', 'v3', 'v4'] as const;
const UNISWAP_LAYOUT = 'uniswap';

/** Null after a problem with its kind, which decides about all else. */
export function parseFactory(value: unknown, path: string, file: FactoryFile): FactoryEntry | null {
  const fields = new JsonFields(value, path, file.problems);
  const kind = fields.read('kind', pickOne(KINDS));
  if (kind === null) return null;
  const venue = fields.read('venue', parseVenue);
  const entry = parseKind(fields, { kind, venue }, file);
  fields.refuseOthers();
  return entry;
}

function parseKind(
  fields: JsonFields,
  { kind, venue }: { readonly kind: (typeof KINDS)[number]; readonly venue: string },
  file: FactoryFile,
): FactoryEntry {
  const readOptional = (key: string) => fields.readOr<string | null>(key, parseAddressText, null);
  if (kind === 'v4') {
    if (!file.isOwn) fields.note('kind', 'must be "v2" or "v3": built-in chains have their V4');
    const read = (key: string) => fields.read(key, parseAddressText);
    return {
      ...{ kind, venue, poolManager: read('poolManager'), stateView: read('stateView') },
      ...{ positionManager: read('positionManager'), quoter: read('quoter') },
    };
  }
  const factory = fields.read('factory', parseAddressText);
  const layouts: readonly string[] = kind === 'v2' ? V2_LAYOUTS : V3_LAYOUTS;
  const layout = fields.readOr('layout', pickOne(layouts), UNISWAP_LAYOUT);
  if (layout !== UNISWAP_LAYOUT) return parseLike(fields, { kind, venue, factory, layout });
  const universalRouter = parseRouted(fields, file);
  if (kind === 'v2') {
    const feePips = fields.read('feePips', wholeNumber(0, 999_999));
    return { kind, venue, factory, feePips, router: readOptional('router'), universalRouter };
  }
  const feeTiers = fields.readOr<number[] | null>('feeTiers', parseFeeTiers, null);
  const quoter = readOptional('quoter');
  const routed = { ...readRouter(fields), ...readRouterKind(fields) };
  if (routed.routerKind !== undefined && routed.router === undefined) {
    fields.note('routerKind', 'must be left out: there is no router');
  }
  return { kind, venue, factory, feeTiers, quoter, ...routed, universalRouter };
}

/** Absent if it is not said. */
function readRouterKind(fields: JsonFields): { routerKind?: (typeof V3_ROUTERS)[number] } {
  const kind = fields.readOr<(typeof V3_ROUTERS)[number] | null>(
    ...(['routerKind', pickOne(V3_ROUTERS), null] as const),
  );
  return kind === null ? {} : { routerKind: kind };
}

/** Absent if there is none. */
function readRouter(fields: JsonFields): { readonly router?: string } {
  const router = fields.readOr<string | null>('router', parseAddressText, null);
  return router === null ? {} : { router };
}

/** Their fees are their own, and no router of Uniswap trades there. */
function parseLike(
  fields: JsonFields,
  entry: {
    readonly kind: 'v2' | 'v3';
    readonly venue: string;
    readonly factory: string;
    readonly layout: string;
  },
): FactoryEntry {
  if (fields.readOr('universalRouter', parseBoolean, false)) {
    fields.note('universalRouter', 'must be false: a Universal Router knows Uniswap only');
  }
  const { kind, venue, factory, layout } = entry;
  const routed = readRouter(fields);
  if (routed.router !== undefined && !ROUTED_LAYOUTS.some((one) => one === layout)) {
    fields.note('router', `must be left out: routers of the layout ${layout} are not called`);
  }
  const place = { venue, factory, layout, universalRouter: false };
  return (
    kind === 'v2'
      ? { kind, ...place, feePips: 0, router: null, ...routed }
      : { kind, ...place, feeTiers: null, quoter: null, ...routed }
  ) as FactoryEntry;
}
