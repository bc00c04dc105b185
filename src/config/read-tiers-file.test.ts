// The file of tiers: what it leaves out, and every problem with its path.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTiersFile } from './read-tiers-file.ts';

function parse(file: unknown) {
  const problems: string[] = [];
  const tiers = parseTiersFile(typeof file === 'string' ? file : JSON.stringify(file), problems);
  return { tiers, problems };
}

test('what a tier leaves out is null', () => {
  const { tiers, problems } = parse({ tiers: { pro: { perMinute: 6000, klines: 20_000 } } });
  assert.deepEqual(problems, []);
  const rest = { streams: null, trades: null, holders: null, prices: null, streamTokens: null };
  const none = { ...rest, alerts: null, webhooks: null, lookups: null };
  const pro = { name: 'pro', perMinute: 6000, burst: null, klines: 20_000 };
  assert.deepEqual(tiers, [{ ...pro, ...none }]);
});

test('a tier may have no lookups at all, and no name of a budget of lookups', () => {
  const { tiers, problems } = parse({ tiers: { small: { lookups: 0 }, 'key-lookups': {} } });
  assert.equal(tiers[0]?.lookups, 0);
  assert.deepEqual(problems, ['tiers.key-lookups has a name that is taken: choose another']);
  assert.deepEqual(parse({ tiers: { small: { lookups: -1 } } }).problems, [
    'tiers.small.lookups must be a whole number from 0 to 1000000',
  ]);
});

test('all problems are named', () => {
  const tier = { perMinute: 0, burst: 5, trades: '1', colour: 'red' };
  const { problems } = parse({ tiers: { Pro: {}, session: {}, max: tier, none: 7 }, more: 1 });
  assert.deepEqual(problems, [
    'tiers.Pro must have a name of a-z, 0-9 and -, at most 32',
    'tiers.session has a name that is taken: choose another',
    'tiers.max.perMinute must be a whole number from 1 to 1000000000',
    'tiers.max.burst must be a whole number from 10 to 1000000000',
    'tiers.max.trades must be a whole number from 1 to 5000',
    'tiers.max.colour is not a known field',
    'tiers.none must be an object',
    'more is not a known field',
  ]);
  assert.match(parse('{').problems.join(), /^is not JSON/);
  assert.match(parse('{"tiers": {"a": {}, "a": {}}}').problems.join(), /a is there twice/);
  assert.deepEqual(parse([]).problems, ['the file must be an object', 'tiers is missing']);
});
