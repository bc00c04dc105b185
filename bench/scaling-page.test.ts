// The page about scaling: its tables are those that the script prints, and follow from the figures.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readResults } from './results.ts';
import {
  ASSUMED,
  computeNodeCapacity,
  computeRequests,
  computeRequestUs,
  readFigures,
} from './scaling-model.ts';

test('the page has the tables that the script prints', () => {
  const printed = execFileSync(process.execPath, ['bench/scaling-page.ts'], { encoding: 'utf8' });
  const page = readFileSync('docs/scaling.md', 'utf8');
  assert.ok(printed.trim().length > 1000);
  assert.ok(page.includes(printed.trim()));
});

test('every figure is found in the results', () => {
  for (const [name, value] of Object.entries(readFigures(readResults()))) {
    assert.ok(value > 0 && Number.isFinite(value), `${name} is ${value}`);
  }
});

test('the shares of the mix add up, and nodes carry as much as their CPU allows', () => {
  const shares = Object.values(ASSUMED.mix);
  assert.equal(Math.round(shares.reduce((sum, one) => sum + one, 0) * 1000), 1000);
  const figures = readFigures(readResults());
  const one = computeNodeCapacity(figures, 1);
  const limit = Math.min(...Object.values(computeRequests(figures)));
  assert.equal(one.requestsPerSecond, limit);
  assert.ok((one.requestsPerSecond * computeRequestUs(figures)) / 1e6 <= ASSUMED.busyShare + 1e-9);
  assert.equal(computeNodeCapacity(figures, 10).readers, one.readers * 10);
});
