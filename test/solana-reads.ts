// Reads of a service that follows the embedded Solana chain: pages, search, tools for agents, a
// stream that resumes, a paused token.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Json } from './market-scene.ts';
import { openHttpStream } from './open-http-stream.ts';
import { readPages } from './read-pages.ts';
import type { RunningService } from './start-service-process.ts';
import { waitUntil } from './wait-until.ts';

const run = promisify(execFile);
const CHAIN = 'devnet-solana';

async function ask(service: RunningService, path: string): Promise<{ status: number; json: Json }> {
  const response = await fetch(`${service.origin}/v1/${path}`);
  return { status: response.status, json: (await response.json()) as Json };
}

async function read(service: RunningService, path: string): Promise<Json> {
  const { status, json } = await ask(service, path);
  assert.equal(status, 200, `${path} ${JSON.stringify(json)}`);
  return json;
}

/** Base58 has one spelling: another case is another address, or none. */
export async function assertSearched(
  service: RunningService,
  token: { readonly mint: string; readonly symbol: string },
): Promise<void> {
  const search = async (q: string) =>
    (await read(service, `tokens/search?q=${q}&chain=${CHAIN}`)).tokens.map(
      ({ mint }: Json) => mint,
    );
  assert.deepEqual(await search(token.mint), [token.mint]);
  assert.ok((await search(token.symbol.toLowerCase())).includes(token.mint), 'names have no case');
  assert.deepEqual(await search(token.mint.toLowerCase()), []);
  const swapped = await ask(service, `token?chain=${CHAIN}&mint=${token.mint.toLowerCase()}`);
  assert.ok([400, 404].includes(swapped.status), JSON.stringify(swapped));
}

/** Pages by cursor hold what one long page holds, each once. */
export async function assertPaged(service: RunningService, mint: string): Promise<void> {
  for (const list of ['trades', 'holders']) {
    const path = `token/${list}?chain=${CHAIN}&mint=${mint}`;
    const name = (one: Json) => one.id ?? one.owner;
    const whole: Json[] = (await read(service, `${path}&limit=20`))[list];
    let left = whole.length;
    const paged = await readPages<Json, string>(whole.length, async (cursor) => {
      const more = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await read(service, `${path}&limit=3${more}`);
      left -= page[list].length;
      return { rows: page[list], next: left > 0 ? page.nextCursor : null };
    });
    assert.ok(whole.length > 3, `${list}: ${whole.length}`);
    assert.deepEqual(paged.slice(0, whole.length).map(name), whole.map(name));
  }
}

async function callTool(service: RunningService, name: string, input: object): Promise<Json> {
  const response = await fetch(`${service.origin}/v1/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: input },
    }),
  });
  const { result } = (await response.json()) as Json;
  assert.equal(result.isError, undefined, `${name} ${JSON.stringify(result)}`);
  return result.structuredContent;
}

/** Nobody trades while tools are compared with the routes. */
export async function assertTools(service: RunningService, mint: string): Promise<void> {
  const token = { chain: CHAIN, mint };
  const query = `chain=${CHAIN}&mint=${mint}`;
  // Otherwise these have the usual fields only.
  const fields = 'all';
  const tools: readonly (readonly [string, object, string])[] = [
    ['get_token', token, `token?${query}`],
    [
      'get_klines',
      { ...token, interval: '1h', limit: 5 },
      `token/klines?${query}&interval=1h&limit=5`,
    ],
    ['get_trades', { ...token, fields, limit: 5 }, `token/trades?${query}&limit=5`],
    ['get_holders', { ...token, limit: 5 }, `token/holders?${query}&limit=5`],
    ['search_tokens', { q: mint, chain: CHAIN, fields }, `tokens/search?q=${mint}&chain=${CHAIN}`],
    ['get_token_safety', token, `token/safety?${query}`],
  ];
  // The chain goes on: an answer tells as of which block it is.
  const drop = ({ asOf: _asOf, ...rest }: Json) =>
    JSON.stringify(rest, (key, value) =>
      key === 'checkedAt' || key === 'ageMs' || key === 'block' ? 0 : value,
    );
  // What is read behind the head, or asked of the chain, may come between the two.
  for (const [name, input, path] of tools) {
    let both: readonly string[] = [];
    const areSame = async () => {
      both = [drop(await callTool(service, name, input)), drop(await read(service, path))];
      return both[0] === both[1];
    };
    await waitUntil(areSame).catch(() => assert.equal(both[0], both[1], name));
  }
}

/** A reader that comes back gets what it missed, each trade once. */
export async function assertResumed(service: RunningService, mint: string): Promise<void> {
  const url = `${service.origin}/v1/token/stream?chain=${CHAIN}&mint=${mint}&events=trade`;
  const first = await openHttpStream(url);
  const { id: lastId } = await first.until(({ event }) => event === 'trade');
  first.leave();
  const seen = first.events.flatMap(({ event, data }) => (event === 'trade' ? [data.id] : []));
  await waitUntil(async () => {
    const { trades } = await read(service, `token/trades?chain=${CHAIN}&mint=${mint}&limit=1`);
    return trades[0].id !== seen.at(-1);
  });
  const again = await openHttpStream(url, { headers: { 'last-event-id': lastId ?? '' } });
  const { data } = await again.until(({ event }) => event === 'trade');
  assert.ok(!again.events.some(({ event }) => event === 'snapshot' || event === 'reset'));
  assert.ok(!seen.includes(data.id), 'no trade comes twice');
  again.leave();
}

/** Pauses a token by the command line, and lets it come back. */
export async function assertPaused(
  service: RunningService,
  env: Readonly<Record<string, string>>,
  mint: string,
): Promise<void> {
  const type = (verb: 'pause' | 'resume') =>
    run(process.execPath, ['src/cli/main.ts', verb, CHAIN, mint], {
      env: { ...process.env, ...env },
    });
  const status = async () => (await ask(service, `token?chain=${CHAIN}&mint=${mint}`)).status;
  await type('pause');
  await waitUntil(async () => (await status()) !== 200);
  const { tokens } = await read(service, `tokens/search?q=${mint}&chain=${CHAIN}`);
  assert.deepEqual(tokens, []);
  await type('resume');
  await waitUntil(async () => (await status()) === 200);
}
