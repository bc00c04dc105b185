// How the page shows a row.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderPerformance } from './performance-page.ts';
import { type PartResult, readMachine } from './results.ts';
import type { Row } from './row.ts';

const ROW: Row = {
  goal: 'quoteHttp',
  ours: '2000 req/s',
  peer: '',
  ratio: null,
  spread: 0.042,
  note: '',
};

function renderPage(row: Row, more: Partial<PartResult> = {}): string {
  const part: PartResult = {
    measuredAt: '2026-11-15T00:00:00.000Z',
    commit: 'abc',
    quick: true,
    seconds: 1,
    loadBefore: 0,
    machine: readMachine(),
    rows: [row],
    ...more,
  };
  const pages = renderPerformance({ parts: { quote: part }, profiles: {} });
  return pages['docs/performance.md'] ?? '';
}

function renderRow(row: Row): string | undefined {
  return renderPage(row)
    .split('\n')
    .find((line) => line.includes('2000 req/s'));
}

test('the page says how much time other machines took, if they took some', () => {
  assert.match(renderPage(ROW, { stolenShare: 0.123 }), /Meanwhile 12 % of the cores' time went/);
  for (const more of [{}, { stolenShare: 0.004 }]) {
    assert.doesNotMatch(renderPage(ROW, more), /Meanwhile/);
  }
});

test('a row without a peer has its spread, too', () => {
  assert.match(renderRow(ROW) ?? '', /\| 2000 req\/s \| {2}\| {2}\| {2}\| ±4 % \|$/);
});

test('a row of an older run without a spread shows none', () => {
  const stored = JSON.parse(JSON.stringify({ ...ROW, spread: null })) as Row;
  assert.match(renderRow(stored) ?? '', /\| 2000 req\/s \| {2}\| {2}\| {2}\| {2}\|$/);
});
