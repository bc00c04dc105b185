// Oddities of a request besides its fields: method, path, headers, form of the body.

import { gzipSync } from 'node:zlib';
import type { Dice } from './dice.ts';
import { HOSTILE_BODIES, HOSTILE_ENCODINGS, HOSTILE_TEXTS } from './hostile-values.ts';

export interface Parts {
  method: string;
  path: string;
  query: string;
  headers: [string, string][];
  body: Buffer | null;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

const CONTENT_TYPES = [
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json;charset=UTF-8',
  'APPLICATION/JSON',
  'application/json, text/plain',
  'application/jsonp',
  'application/problem+json',
];

/** Names with a meaning for servers and proxies, with values that may break them. */
const HEADERS: readonly (readonly [string, string])[] = [
  ['Accept', 'application/xml'],
  ['Accept', '*/*;q=0'],
  ['Accept-Encoding', 'gzip, br;q=0, *;q=0.5'],
  ['Range', 'bytes=0-10'],
  ['If-None-Match', '*'],
  ['If-None-Match', 'W/"x", "y", W/"z"'],
  ['If-Modified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ['If-Match', '"x"'],
  ['Expect', '100-continue'],
  ['Expect', 'nothing'],
  ['Origin', 'null'],
  ['Origin', 'https://evil.example'],
  ['Origin', 'http://localhost:8080.evil.example'],
  ['Access-Control-Request-Method', 'DELETE'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['X-Forwarded-For', '1.2.3.4, ::ffff:10.0.0.1, unknown, _hidden, 999.1.1.1, [::1]:80'],
  ['Forwarded', 'for="[2001:db8::1]:4711";proto=https'],
  ['X-Real-IP', '127.0.0.1'],
  ['X-Request-Id', 'chosen-by-client'],
  ['X-Api-Key', 'mw_live_x'],
  ['Idempotency-Key', 'a b'],
  ['Last-Event-ID', '0'],
  ['Content-Language', 'x-klingon'],
  ['Cookie', '='.repeat(2000)],
  ['Cookie', 'mw_session=a; mw_session=b; __Host-mw_session=c'],
  ['MCP-Protocol-Version', '1999-01-01'],
  ['Mcp-Method', 'tools/list'],
];

type Oddity = (parts: Parts, dice: Dice) => void;

function dropHeader(parts: Parts, name: string): void {
  parts.headers = parts.headers.filter(([one]) => one.toLowerCase() !== name);
}

function setBody(parts: Parts, body: Buffer): void {
  parts.body = body;
  if (!parts.headers.some(([name]) => name === 'Content-Type')) {
    parts.headers.push(['Content-Type', 'application/json']);
  }
}

function changePath(parts: Parts, dice: Dice): void {
  const { path } = parts;
  const last = path.length - 1;
  parts.path = dice.pick([
    `${path}/`,
    `/${path}`,
    path.toUpperCase(),
    path.replace('/v1', ''),
    path.replace('/v1', '/v2'),
    path.replace('/v1/', '/v1/./'),
    path.replace('/v1/', '/v1/../v1/'),
    path.replace('/v1/', '/v1//'),
    `${path.slice(0, last)}%${path.charCodeAt(last).toString(16)}`,
    `${path};x=1`,
    `${path}%00`,
    `${path}.json`,
    `${path}${dice.pick(HOSTILE_ENCODINGS)}`,
    `${path}/${encodeURIComponent(dice.pick(HOSTILE_TEXTS).toWellFormed()).slice(0, 2000)}`,
    `http://evil.example${path}`,
    '*',
    '/',
    '/docs',
    '/metrics',
    '/favicon.ico',
    '/.env',
    '/v1',
  ]);
}

function changeMethod(parts: Parts, dice: Dice): void {
  parts.method = dice.pick(METHODS);
}

function lengthenQuery(parts: Parts): void {
  parts.query = `${parts.query || '?q='}${'q'.repeat(12_500)}`;
}

function changeType(parts: Parts, dice: Dice): void {
  dropHeader(parts, 'content-type');
  const type = dice.pick(CONTENT_TYPES);
  if (type !== '') parts.headers.push(['Content-Type', type]);
}

function breakBody(parts: Parts, dice: Dice): void {
  const { body } = parts;
  const own = body ?? Buffer.from('{}');
  const broken = dice.pick<() => Buffer>([
    () => Buffer.from(dice.pick(HOSTILE_BODIES)),
    () => Buffer.from(dice.pick(HOSTILE_BODIES)),
    () => own.subarray(0, dice.below(own.length)),
    () => Buffer.from(own.toString('utf8'), 'utf16le'),
    () => Buffer.from(own.toString('utf8').replace(/"/, '"\xff'), 'latin1'),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), own]),
    () => Buffer.concat([own, own]),
    () => Buffer.from(own.toString('utf8').replace(/[{]/, '{"__proto__":{"x":1},')),
    () => Buffer.concat([own, Buffer.alloc(65_536, ' ')]),
  ])();
  setBody(parts, broken);
}

const ODDITIES: readonly (readonly [number, Oddity])[] = [
  [4, changeMethod],
  [3, changePath],
  [4, (parts, dice) => void parts.headers.push([...dice.pick(HEADERS)])],
  [2, changeType],
  [6, breakBody],
  [1, (parts) => void parts.headers.push(['X-Padding', 'p'.repeat(17_000)])],
  [1, lengthenQuery],
  [
    1,
    (parts, dice) => {
      parts.query = `?${Array.from({ length: 90 + dice.below(30) }, (_, i) => `a${i}=1`).join('&')}`;
    },
  ],
  [
    1,
    (parts) => {
      if (parts.body !== null) parts.body = gzipSync(parts.body);
      parts.headers.push(['Content-Encoding', 'gzip']);
    },
  ],
  [1, (parts) => void parts.headers.push(['Transfer-Encoding', 'chunked'])],
];

/** Changes one part; methods without a body may get one, and the reverse. */
export function addOddity(parts: Parts, dice: Dice): void {
  dice.weigh(ODDITIES)(parts, dice);
}
