// Pins the format of log lines and that nothing that looks like a secret gets through.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineBuffer } from './line-buffer.ts';
import { createLogger, redact } from './logger.ts';

function capture(format: 'json' | 'text', level = 'info', isTerminal = false) {
  const lines: string[] = [];
  const sink = { write: (line: string) => lines.push(line) };
  return { lines, logger: createLogger({ level, format, sink, isTerminal, nowMs: () => 0 }) };
}

const REQUEST = {
  requestId: 'r1',
  method: 'GET',
  path: '/v1/thing',
  operation: 'getThing',
  status: 200,
  ms: 1.23456,
  identity: 'anonymous',
};

test('a request line has the form of every other line', () => {
  const { lines, logger } = capture('json');
  logger.request(REQUEST);
  logger.info({ chain: 'base' }, 'hello');
  const [request, other] = lines.map((line) => JSON.parse(line));
  assert.deepEqual(request, { level: 30, time: 0, ...REQUEST, ms: 1.235, msg: 'request' });
  assert.deepEqual(Object.keys(other), ['level', 'time', 'chain', 'msg']);
});

test('text is for people', () => {
  const { lines, logger } = capture('text');
  logger.request(REQUEST);
  assert.equal(
    lines[0],
    '00:00:00 info  request requestId=r1 method=GET path=/v1/thing operation=getThing status=200 ms=1.235 identity=anonymous\n',
  );
  logger.error({ err: new Error('boom') }, 'failed');
  assert.match(lines[1] ?? '', /error failed\nError: boom\n/);
});

test('a path without a route is not written: it may hold a secret', () => {
  const { lines, logger } = capture('json');
  logger.request({ ...REQUEST, operation: 'unknown', path: '/hunter2"' });
  assert.equal(JSON.parse(lines[0] ?? '').path, '');
});

test('a terminal shows requests at the level debug only', () => {
  for (const [level, count] of [
    ['info', 0],
    ['debug', 1],
  ] as const) {
    const { lines, logger } = capture('text', level, true);
    logger.request(REQUEST);
    assert.equal(lines.length, count, level);
  }
});

test('lines are written above the status line of a terminal, which is drawn once', () => {
  const { lines, logger } = capture('text', 'info', true);
  logger.showStatus('half');
  logger.showStatus('half');
  logger.info('hello');
  logger.showStatus('');
  logger.info('bye');
  const clear = '\r\u001b[2K';
  const shown = lines.map((line) => line.replace(/\d\d:\d\d:\d\d info {2}/, ''));
  assert.deepEqual(shown, [`${clear}half`, `${clear}hello\nhalf`, clear, 'bye\n']);
});

test('what is no terminal has no status line', () => {
  const { lines, logger } = capture('text');
  logger.showStatus('half');
  assert.deepEqual(lines, []);
});

test('below the level nothing is written', () => {
  const { lines, logger } = capture('json', 'warn');
  logger.request(REQUEST);
  logger.info('no');
  logger.warn('yes');
  assert.equal(lines.length, 1);
});

test('secrets in an error are redacted everywhere', () => {
  const hex = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
  const secrets = [
    'mw_live_4fzzzxjyl9FvbkoLXQ2pqz',
    'mw_sess_9sKd81jdkLw',
    hex,
    `0x${hex}`,
    'Bearer abcdef123456',
    JSON.stringify(Array.from({ length: 64 }, (_, i) => i)),
    '5'.repeat(88),
  ];
  for (const secret of secrets) {
    const { lines, logger } = capture('json');
    const cause = new Error(`inner ${secret}`);
    logger.error({ err: new Error(`outer ${secret} end`, { cause }), extra: secret }, secret);
    assert.ok(!lines.join('').includes(secret), secret);
    assert.match(lines.join(''), /\[redacted\]|\[\]/);
    assert.doesNotThrow(() => lines.map((line) => JSON.parse(line)));
  }
});

test('of a URL only scheme and host stay', () => {
  assert.equal(
    redact('at postgres://admin:hunter2@db.example:5432/x?sslpassword=y failed'),
    'at postgres://db.example:5432/[redacted] failed',
  );
  assert.equal(
    redact('"https://rpc.example.com/v2/MY-KEY"'),
    '"https://rpc.example.com/[redacted]"',
  );
});

test('lines are flushed by number or by time, in order, and none is lost', async () => {
  const written: string[] = [];
  const sink = { write: (text: string) => written.push(text) };
  const toText = (line: string) => line;
  const buffer = new LineBuffer({ sink, toText, countMax: 2, delayMs: 1 });
  buffer.write('12345');
  assert.deepEqual(written, []);
  buffer.write('67890');
  assert.deepEqual(written, ['1234567890']);
  buffer.write('a');
  while (written.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  buffer.write('b');
  buffer.flush();
  assert.equal(written.join(''), '1234567890ab');
});
