// Makes a request for an operation of the document: fields, credentials, and oddities.

import type { Json } from '../market-scene.ts';
import type { Dice } from './dice.ts';
import type { FuzzWallets } from './fuzz-wallets.ts';
import { HOSTILE_ENCODINGS, HOSTILE_TEXTS } from './hostile-values.ts';
import type { KnownPage, KnownValues } from './known-values.ts';
import { type FuzzCredential, makeCredential } from './make-credential.ts';
import { makeMcpMessage } from './make-mcp-message.ts';
import { makeHostile, makeValue, type Quality, type ValueSource } from './make-value.ts';
import { mutateText } from './mutate-text.ts';
import { addOddity, type Parts } from './odd-parts.ts';
import type { DocumentOperation, Schema } from './openapi-document.ts';
import type { FuzzRequest } from './send-request.ts';

export interface RequestSource {
  readonly dice: Dice;
  readonly known: KnownValues;
  readonly wallets: FuzzWallets;
  readonly page: string;
}

export interface MadeRequest {
  readonly request: FuzzRequest;
  readonly credential: FuzzCredential;
}

/** Usually at most one field is wrong: a request with many is rejected for the first. */
const FIELDS: readonly (readonly [number, { quality: Quality; isAll: boolean }])[] = [
  [45, { quality: 'valid', isAll: false }],
  [25, { quality: 'near', isAll: false }],
  [20, { quality: 'hostile', isAll: false }],
  [3, { quality: 'near', isAll: true }],
  [3, { quality: 'hostile', isAll: true }],
];

interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** A value for each parameter of the path. */
function fillPath(operation: DocumentOperation, values: ValueSource): string {
  const inPath = operation.parameters.filter((one) => one.in === 'path');
  return inPath.reduce(
    (path, { name, schema }) =>
      path.replace(
        `{${name}}`,
        encodeURIComponent(toText(makeValue('valid', name, schema, values))),
      ),
    operation.path,
  );
}

function listFields(operation: DocumentOperation): readonly Field[] {
  if (operation.body === null) return operation.parameters.filter((one) => one.in === 'query');
  const { properties = {}, required = [] } = operation.body;
  return Object.entries(properties as Record<string, Schema>).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
  }));
}

/** Not required by their schema, but most requests without them are refused. */
const USUAL = new Set(['chain', 'mint', 'amountInRaw']);

function makeFields(fields: readonly Field[], source: ValueSource): [string, Json][] {
  const { dice } = source;
  const { quality, isAll } = dice.weigh(FIELDS);
  const chosen = fields.filter(({ name, required }) => {
    return required || dice.chance(USUAL.has(name) ? 0.7 : 0.25);
  });
  const wrong = dice.pickAny(chosen);
  const made = chosen.map(({ name, schema }): [string, Json] => {
    const own = isAll || name === wrong?.name ? quality : 'valid';
    return [name, makeValue(own, name, schema, source)];
  });
  if (dice.chance(0.03)) made.splice(dice.below(made.length), 1);
  if (dice.chance(0.04)) made.push([dice.pick(HOSTILE_TEXTS), makeHostile(dice)]);
  return made;
}

function toText(value: Json): string {
  if (typeof value === 'string') return value;
  // Lists of plain values in query format.
  const isFlat = Array.isArray(value) && value.every((one) => typeof one !== 'object');
  return isFlat ? value.join() : JSON.stringify(value);
}

function encode(text: string, dice: Dice): string {
  const encoded = encodeURIComponent(text.toWellFormed());
  if (dice.chance(0.9)) return encoded;
  return dice.pick([
    () => encoded.replaceAll('%20', '+'),
    () => encoded.toLowerCase(),
    () => [...Buffer.from(text.toWellFormed())].map((byte) => `%${byte.toString(16)}`).join(''),
    () => `${encoded}${dice.pick(HOSTILE_ENCODINGS)}`,
    () => text,
  ])();
}

function makeQuery(fields: readonly (readonly [string, Json])[], dice: Dice): string {
  const pairs = fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encode(name, dice)}=${encode(toText(value), dice)}`);
  if (dice.chance(0.03) && pairs.length > 0) pairs.push(dice.pick(pairs));
  if (dice.chance(0.03)) pairs.push(dice.pick(HOSTILE_ENCODINGS));
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** A challenge that is really open, and its owner's signature, right or altered. */
async function signOpenChallenge(
  fields: [string, Json][],
  { wallets, dice }: RequestSource,
): Promise<void> {
  const open = wallets.takeChallenge(dice);
  if (open === undefined) return;
  const signature = await open.wallet.sign(dice.chance(0.7) ? open.message : `${open.message} `);
  const { challengeId } = open;
  const real: Readonly<Record<string, string>> = { challengeId, signature, transport: 'token' };
  for (const field of fields) {
    const value = real[field[0]];
    if (value !== undefined && dice.chance(0.9)) field[1] = value;
  }
}

/** The next page of a list, by its own cursor or a slightly changed one. */
function makeNextPage({ target, nextCursor }: KnownPage, dice: Dice): string {
  const [, query = ''] = target.split('?', 2);
  const kept = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('cursor='));
  const cursor = dice.chance(0.6) ? nextCursor : mutateText(nextCursor, dice);
  return `?${[...kept, `cursor=${encode(cursor, dice)}`].join('&')}`;
}

/** Most come from a new address; the rest share one, which soon has no budget left. */
function makeAddress(dice: Dice): string {
  if (dice.chance(0.06)) return '10.0.0.1';
  if (dice.chance(0.1)) return `2001:db8:${dice.below(65536).toString(16)}::1`;
  return `10.${1 + dice.below(250)}.${dice.below(256)}.${dice.below(256)}`;
}

function makeHeaders(operation: DocumentOperation, source: ValueSource): [string, string][] {
  const { dice } = source;
  const quality = () =>
    dice.weigh<Quality>([
      [6, 'valid'],
      [2, 'near'],
      [2, 'hostile'],
    ]);
  const declared = operation.parameters.filter((one) => one.in === 'header');
  const made = declared
    .filter(() => dice.chance(0.3))
    .map(({ name, schema }): [string, string] => [
      name,
      toText(makeValue(quality(), name, schema, source)),
    ]);
  if (operation.answers.get(200)?.content.has('text/event-stream') && dice.chance(0.4)) {
    const value = makeValue(quality(), 'Last-Event-ID', { type: 'string' }, source);
    made.push(['Last-Event-ID', toText(value)]);
  }
  return made;
}

export async function makeRequest(
  operation: DocumentOperation,
  source: RequestSource,
): Promise<MadeRequest> {
  const { dice, known, page } = source;
  const values = { operationId: operation.id, known, dice, domain: new URL(page).host };
  const credential = makeCredential(source);
  const headers: [string, string][] = [
    ['X-Forwarded-For', makeAddress(dice)],
    ...credential.headers.map(([name, value]): [string, string] => [name, value]),
    ...makeHeaders(operation, values),
  ];
  const parts: Parts = {
    method: operation.method,
    path: fillPath(operation, values),
    query: '',
    headers,
    body: null,
  };
  if (operation.id === 'callMcp') {
    const message = makeMcpMessage(values);
    parts.body = Buffer.from(JSON.stringify(message.body) ?? '');
    headers.push(['Content-Type', 'application/json'], ...message.headers);
  } else {
    const fields = makeFields(listFields(operation), values);
    if (operation.id === 'verifyChallenge') await signOpenChallenge(fields, source);
    const page = dice.chance(0.2) ? dice.pickAny(known.listPages(operation.id)) : undefined;
    if (page !== undefined) parts.query = makeNextPage(page, dice);
    else if (operation.body === null) parts.query = makeQuery(fields, dice);
    else {
      parts.body = Buffer.from(JSON.stringify(Object.fromEntries(fields)));
      headers.push(['Content-Type', 'application/json']);
    }
  }
  if (dice.chance(0.12)) addOddity(parts, dice);
  const { method, path, query, body } = parts;
  return {
    request: { method, target: `${path}${query}`, headers: parts.headers, body },
    credential,
  };
}
