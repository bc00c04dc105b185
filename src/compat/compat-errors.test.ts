// What each shape answers when a limit is reached, and when the server is not ready.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCompatServer } from '../../test/compat-server.ts';
import { buildLimits } from '../../test/start-http-server.ts';
import { buildPoolsPendingError } from '../contract/look-up-token.ts';
import { buildInvalidInputError } from '../errors/app-error.ts';
import { systemClock } from '../lib/clock.ts';
import { createCompatShapes } from './compat-shapes.ts';

const SHAPES = createCompatShapes({
  listChains: () => [],
  clock: systemClock,
  readOrigin: () => 'http://localhost',
});

test('a limit is told in the form of each API, with when to try again', async (t) => {
  const anonymous = { policy: 'anonymous', perMinute: 1, burst: 1 };
  const server = await startCompatServer(t, buildLimits({ anonymous }));
  const ask = async (path: string) => {
    for (let count = 0; count < 100; count += 1) {
      const answer = await server.get(path);
      if (answer.status === 429) return answer;
    }
    return assert.fail('no limit was reached');
  };
  const paths = {
    '/compat/ds': '/token-profiles/latest/v1',
    '/compat/gt': '/api/v2/networks',
    '/compat/jup': '/price/v2?ids=x',
  };
  for (const { prefix } of SHAPES) {
    const { json, headers } = await ask(`${prefix}${paths[prefix as keyof typeof paths]}`);
    const waitSeconds = Number(headers.get('retry-after'));
    assert.ok(waitSeconds > 0 && waitSeconds <= 60, prefix);
    assert.match(headers.get('ratelimit') ?? '', /r=0/);
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.match(headers.get('server-timing') ?? '', /^mintwire/);
    const told = `The anonymous budget is used up. Try again in ${waitSeconds} s.`;
    if (prefix === '/compat/ds') assert.deepEqual(json, { error: told });
    if (prefix === '/compat/gt') {
      const error_message = `You've exceeded the Rate Limit. ${told}`;
      assert.deepEqual(json, { status: { error_code: 429, error_message } });
    }
    if (prefix !== '/compat/jup') continue;
    assert.deepEqual(json, { code: 429, message: `Too many requests. ${told}` });
    assert.equal(headers.get('x-ratelimit-remaining'), '0');
    const resetMs = Number(headers.get('x-ratelimit-reset')) * 1000;
    assert.ok(resetMs > Date.now() - 60_000 && resetMs <= Date.now() + 61_000);
  }
});

test('pools that are still being read are a 503 in each API, and no missing route', () => {
  const error = buildPoolsPendingError('solana', 'x');
  const { message } = error;
  const replies = SHAPES.map(({ encodeError }) => encodeError(error, 'id'));
  assert.deepEqual(replies, [
    { status: 503, body: { error: message } },
    { status: 503, body: { errors: [{ status: '503', title: message }] } },
    { status: 503, body: { code: 503, message } },
  ]);
});

test('a mint that is none is told by the name of the parameter there', () => {
  const path = 'tokens.0.mint';
  const error = buildInvalidInputError([{ path, message: 'must be an address on solana' }]);
  const jupiter = SHAPES.find(({ prefix }) => prefix === '/compat/jup');
  assert.deepEqual(jupiter?.encodeError(error, 'id').body, {
    error: 'Query parameter ids cannot be parsed: must be an address on solana',
  });
});
