// A cached summary is used for the span of its figures, whichever way the chain's clock moves.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { address } from '../../test/test-ids.ts';
import type { Checkpoint } from '../model/market-record.ts';
import { SummaryCache } from './commit-cache.ts';
import type { ChainStates } from './state/chain-states.ts';

const TOKEN = address('0xtoken');

function buildCheckpoint(version: number, timestampMs: number): Checkpoint {
  return { version, timestampMs } as Checkpoint;
}

it('a summary is not used before or after the span of its figures', () => {
  let current = buildCheckpoint(1, 600_000);
  const states = { current: () => current, subscribe: () => () => undefined };
  const lists = { directory: new Map() };
  const cache = new SummaryCache({ states: states as unknown as ChainStates, lists, sizeMax: 5 });
  const checkpoint = buildCheckpoint(2, 605_000);
  const span = { fromMs: 600_000, toMs: 660_000 };
  const kept = { text: '' as never, checkpoint, span, directory: lists.directory };
  cache.keep('devnet', TOKEN, kept);
  const isServed = () => cache.get('devnet', TOKEN) !== null;
  assert.ok(isServed(), 'read before this process heard of the commit');
  for (const [version, timestampMs, expected] of [
    [2, 605_000, true],
    [3, 659_999, true],
    [4, 660_000, false],
    [5, 600_000, true],
    [6, 599_999, false],
  ] as const) {
    current = buildCheckpoint(version, timestampMs);
    assert.equal(isServed(), expected, String(timestampMs));
  }
  current = buildCheckpoint(7, 605_000);
  assert.ok(isServed());
  lists.directory = new Map();
  assert.ok(!isServed(), 'what token lists say has changed');
});
