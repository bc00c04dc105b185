// How requests of the GeckoTerminal API are read, and how they are refused.

import {
  CompatRefusal,
  type CompatRequest,
  type CompatRoute,
} from '../../contract/compat-route.ts';

/** The same for both prefixes, below which it has a path and an id each. */
export type GtRoute = Omit<CompatRoute, 'method'>;

const ADDRESSES_MAX = 30;
const PAGE_MAX = 10;

const TITLES: Readonly<Record<number, string>> = { 401: 'Unauthorized', 404: 'Not Found' };

/** `meta` names the request where there is one. */
export function buildErrors(status: number, title: string, requestId?: string) {
  const errors = [{ status: String(status), title }];
  return requestId === undefined ? { errors } : { errors, meta: { ref_id: requestId } };
}

export function refuse(status: number, title = TITLES[status] ?? 'Bad Request'): never {
  throw new CompatRefusal({ status, body: buildErrors(status, title) });
}

export function buildNotFound(): never {
  return refuse(404);
}

export const pathParameter = (name: string, description: string) =>
  ({ name, in: 'path', description }) as const;
export const queryParameter = (name: string, description: string) =>
  ({ name, in: 'query', description }) as const;

export const NETWORK = pathParameter('network', 'As `networks` names it, or the slug of a chain.');
export const ADDRESSES = pathParameter('addresses', `Up to ${ADDRESSES_MAX}, with commas.`);
export const INCLUDE = queryParameter(
  'include',
  'With commas: `base_token`, `quote_token`, `dex`; in lists over all networks `network`.',
);
export const PAGE = queryParameter('page', `Of 20 entries, up to ${PAGE_MAX}.`);

/** That API answers 401 beyond the tenth page: more takes a plan. */
export function readPage(query: URLSearchParams): number {
  const text = query.get('page') ?? '1';
  const page = Number(text);
  if (!Number.isInteger(page) || page < 1) return refuse(400, 'Invalid page');
  return page > PAGE_MAX ? refuse(401) : page;
}

/** The first of the allowed ones if there is none. */
export function readChoice(
  query: URLSearchParams,
  name: string,
  allowed: readonly string[],
): string {
  const given = query.get(name);
  if (given === null || given === '') return allowed[0] ?? '';
  if (allowed.includes(given)) return given;
  return refuse(400, `Invalid ${name}. Allowed values: ${allowed.join(', ')}`);
}

/** Each once. */
export function readAddresses({ params }: CompatRequest): string[] {
  const all = (params['addresses'] ?? '').split(',').map((one) => one.trim());
  const addresses = [...new Set(all)].filter((one) => one !== '');
  if (addresses.length <= ADDRESSES_MAX) return addresses;
  return refuse(400, `Invalid addresses. At most ${ADDRESSES_MAX}`);
}
