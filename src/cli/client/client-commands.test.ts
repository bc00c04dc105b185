// The commands for people, against a server at the network's edge with the documented answers.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import type { Operation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { watchTokens } from '../watch-tokens.ts';
import { pickKey } from './run-read.ts';
import { showKlines } from './show-klines.ts';
import { showQuote } from './show-quote.ts';
import { showSearch } from './show-search.ts';
import { showToken } from './show-token.ts';
import { showTrades } from './show-trades.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Json = any;
type Command = (typed: readonly string[]) => Promise<void>;

const WIRE = 'devnet:0xA5A2299587b6Be0c7ded8d3F188750d082Fc2aE7';

function findExample(method: string, path: string): Json {
  const all: readonly Operation[] = operations;
  return all.find((one) => one.method === method && `/v1${one.path}` === path)?.example.answer;
}

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly body: string;
}

type Answer = (asked: Asked, response: ServerResponse) => boolean;

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

/** Answers as documented, unless `answer` does. */
async function startServer(t: TestContext, answer: Answer = () => false) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', headers } = request;
    const url = new URL(request.url ?? '', 'http://localhost');
    const one = {
      method,
      url,
      authorization: headers.authorization,
      body: await readBody(request),
    };
    asked.push(one);
    if (answer(one, response)) return;
    const example = findExample(method, url.pathname);
    response.writeHead(example === undefined ? 404 : 200).end(JSON.stringify(example ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  return { asked, server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Runs a command as at a terminal or in a pipe. */
async function type(t: TestContext, command: Command, typed: readonly string[], isTty: boolean) {
  const [out, error]: [string[], string[]] = [[], []];
  const wasTty = process.stdout.isTTY;
  t.mock.method(console, 'log', (text: string) => void out.push(text));
  t.mock.method(console, 'error', (text: string) => void error.push(text));
  process.stdout.isTTY = isTty;
  await command(typed);
  process.stdout.isTTY = wasTty;
  const code = process.exitCode ?? 0;
  process.exitCode = undefined;
  t.mock.restoreAll();
  return { code, out: out.join('\n'), error: error.join('\n') };
}

describe('every read', () => {
  const READS: readonly (readonly [Command, readonly string[], string, RegExp])[] = [
    [showSearch, ['wire'], 'GET /v1/tokens/search', /^SYMBOL +NAME +PRICE USD.*\nWIRE +Wire/],
    [showToken, [WIRE], 'GET /v1/token', /^WIRE \(Wire\), devnet:0xA5A2.*\n\nPrice +0\.\d+ USD/],
    [
      showKlines,
      [WIRE],
      'GET /v1/token/klines',
      /^WIRE, 1h, USD\n\n.*[│┃].*\n[\s\S]*OPENED \(UTC\)/,
    ],
    [showTrades, [WIRE], 'GET /v1/token/trades', /^TIME \(UTC\) +SIDE +AMOUNT/],
    [
      showQuote,
      ['buy', '5', WIRE],
      'POST /v1/trade/quote',
      /^Receive +37,271\.17.* WIRE\nPay +5 ETH\nAt least +37,084\.82.* WIRE, 0\.5% slippage\nPrice impact +0\.38%\nAgainst the market +-0\.64%\n/,
    ],
  ];
  for (const [command, typed, route, table] of READS) {
    test(`${route} is a table on a terminal and the server's JSON in a pipe`, async (t) => {
      const { server, asked } = await startServer(t);
      const at = ['--server', server];
      const [method = '', path = ''] = route.split(' ');
      const piped = await type(t, command, [...typed, ...at], false);
      assert.deepEqual([piped.code, piped.error], [0, '']);
      assert.deepEqual(JSON.parse(piped.out), findExample(method, path));
      const shown = await type(t, command, [...typed, ...at], true);
      assert.match(shown.out, table);
      const asJson = await type(t, command, [...typed, ...at, '--json'], true);
      assert.equal(asJson.out, piped.out);
      assert.ok(asked.some((one) => `${one.method} ${one.url.pathname}` === route));
    });
  }

  test('a token by name is the one that a search finds first', async (t) => {
    const { server, asked } = await startServer(t);
    await type(t, showTrades, ['wire', '--chain', 'devnet', '--server', `${server}/v1/`], false);
    const [search, trades] = asked.map(({ url }) => url);
    assert.equal(search?.searchParams.get('q'), 'wire');
    assert.equal(search?.searchParams.get('chain'), 'devnet');
    assert.equal(`devnet:${trades?.searchParams.get('mint')}`, WIRE);
  });

  test('what the network takes is in coins and dollars, and less than a cent is no row of zeros', async (t) => {
    const quote = findExample('POST', '/v1/trade/quote');
    const readCost = async (totalRaw: string) => {
      const { server } = await startServer(t, ({ url }, response) => {
        if (url.pathname !== '/v1/trade/quote') return false;
        const networkCost = { ...quote.networkCost, totalRaw };
        response.end(JSON.stringify({ ...quote, networkCost }));
        return true;
      });
      const { out } = await type(t, showQuote, ['buy', '5', WIRE, '--server', server], true);
      return /^Network cost +(.*)$/m.exec(out)?.[1];
    };
    assert.equal(await readCost('318010000'), 'less than 0.01 USD');
    assert.match(
      (await readCost('2500000000000000')) ?? '',
      /^at most 0\.0025000 ETH \([\d.]+ USD\)$/,
    );
  });

  test('amounts become raw units to the last digit', async (t) => {
    const { server, asked } = await startServer(t);
    const sell = ['sell', '1.000000000000000001', WIRE, '--server', server];
    await type(t, showQuote, sell, false);
    assert.equal(JSON.parse(asked.at(-1)?.body ?? '').amountInRaw, '1000000000000000001');
    const wrong = await type(t, showQuote, ['sell', '1.5e3', WIRE, '--server', server], false);
    assert.deepEqual([wrong.code, wrong.out], [1, '']);
    assert.match(wrong.error, /"1\.5e3" is not an amount with 18 decimals/);
  });
});

describe('failures', () => {
  test("the server's problem is told with its code", async (t) => {
    const problem = { title: 'Token not found', detail: 'No such token.', code: 'TOKEN_NOT_FOUND' };
    const { server } = await startServer(t, (_, response) => {
      response.writeHead(404).end(JSON.stringify(problem));
      return true;
    });
    const { code, error } = await type(t, showToken, [WIRE, '--server', server], false);
    assert.deepEqual([code, error], [1, 'mintwire: No such token. (TOKEN_NOT_FOUND)']);
  });

  test('a busy server is asked again when it says so', async (t) => {
    let count = 0;
    const { server } = await startServer(t, (_, response) => {
      count += 1;
      if (count > 1) return false;
      response.writeHead(429, { 'retry-after': '0' }).end('{}');
      return true;
    });
    const { code } = await type(t, showSearch, ['wire', '--server', server], false);
    assert.deepEqual([code, count], [0, 2]);
  });

  test('no server, and no URL, are told in words', async (t) => {
    const gone = await type(t, showSearch, ['wire', '--server', 'http://127.0.0.1:1'], false);
    assert.match(gone.error, /^mintwire: no answer from http:\/\/127\.0\.0\.1:1\/v1$/);
    const odd = await type(t, showSearch, ['wire', '--server', 'nowhere'], false);
    assert.match(odd.error, /^mintwire: "nowhere" is not the URL of a server$/);
    assert.deepEqual([gone.code, odd.code], [1, 1]);
  });
});

describe('watch', () => {
  const token = findExample('GET', '/v1/token');
  const price = { ...token, priceUsd: '0.5', priceChange24hPct: 2, volume24hUsd: '1000' };

  /** Two connections: the first breaks after an event with an id. */
  function startStream(t: TestContext) {
    let count = 0;
    return startServer(t, ({ url }, response) => {
      if (url.pathname !== '/v1/token/stream') return false;
      count += 1;
      const event = (name: string, data: object, id = '') =>
        `${id === '' ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
      response.write(': hello\n\n');
      if (count === 1) response.end(event('snapshot', { token }, 'first'));
      else response.write(event('price', price));
      return true;
    });
  }

  test('in a pipe each event is a line, and a broken stream goes on from the last id', async (t) => {
    const { server, asked } = await startStream(t);
    const { out } = await type(t, watchTokens, [WIRE, '--events', '2', '--server', server], false);
    const events = out.split('\n').map((line) => JSON.parse(line));
    assert.deepEqual(
      events.map(({ event }) => event),
      ['snapshot', 'price'],
    );
    const streams = asked.filter(({ url }) => url.pathname === '/v1/token/stream');
    assert.deepEqual(
      streams.map(({ url }) => url.searchParams.get('lastEventId')),
      [null, 'first'],
    );
  });

  test('on a terminal it is one line with the price and a chart', async (t) => {
    const { server } = await startStream(t);
    const written: string[] = [];
    t.mock.method(process.stdout, 'write', (text: string) => {
      written.push(String(text));
      return true;
    });
    await type(t, watchTokens, [WIRE, '--events', '2', '--server', server], true);
    const lines = written.join('').split('\r');
    assert.match(
      lines.at(-1) ?? '',
      /WIRE 0\.50000 USD {2}\+2\.00% {2}volume 1000\.0 {2}[▁-█ ]+\n/,
    );
  });

  test('add, remove and list stay commands of the operator', async (t) => {
    const { error } = await type(t, watchTokens, ['add', '0x12'], false);
    assert.match(error, /^npx mintwire watch add: --chain is missing/);
  });
});

test('a key goes to the server it was set for, and to no other', () => {
  const set = { server: 'https://api.example.com/v1', key: 'mw_live_test' };
  assert.equal(pickKey(set, undefined), set.key);
  assert.equal(pickKey(set, 'https://api.example.com'), set.key);
  for (const other of ['http://api.example.com', 'https://other.example', 'nonsense']) {
    assert.equal(pickKey(set, other), undefined);
  }
});
