// Pins what a slow reader gets, and that it does not affect the others.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StreamFrame, StreamOutlet } from '../contract/stream-answer.ts';
import { Outbox } from './outbox.ts';
import { MessageDraft, type StreamMessage } from './stream-message.ts';

class FakeOutlet implements StreamOutlet {
  readonly written: string[] = [];
  isFull = false;
  waitingBytes = 0;
  takenBytes = 0;
  stalledMs = 0;
  end_: 'end' | 'cut' | null = null;

  write(frame: StreamFrame): boolean {
    this.written.push(frame.bytes.toString('utf8'));
    if (this.isFull) this.waitingBytes += frame.bytes.length;
    return !this.isFull;
  }

  end(): void {
    this.end_ ??= 'end';
  }

  cut(): void {
    this.end_ ??= 'cut';
  }
}

function buildMessage(fill: (draft: MessageDraft) => void): StreamMessage {
  const draft = new MessageDraft();
  fill(draft);
  return draft.take();
}

const trade = (number: number) => buildMessage((draft) => draft.keep(`trade${number}\n`));
const kline = (number: number) =>
  buildMessage((draft) => draft.setState('kline', `kline${number}\n`));
const price = (number: number) =>
  buildMessage((draft) => draft.setState('price', `price${number}\n`));

function createOutbox(waitingBytesMax = 1000) {
  const outlet = new FakeOutlet();
  let nowMs = 0;
  const outbox = new Outbox({ outlet, waitingBytesMax, nowMs: () => nowMs });
  return {
    outlet,
    outbox,
    advance: (ms: number) => {
      nowMs += ms;
    },
    /** From here on the reader takes nothing. */
    stall: () => {
      outlet.isFull = true;
      outbox.push(trade(0));
      outlet.written.length = 0;
      outlet.waitingBytes = 0;
    },
    drain: () => {
      outlet.isFull = false;
      outlet.waitingBytes = 0;
      outbox.onDrain();
    },
  };
}

describe('a reader that keeps up', () => {
  test('gets each message at once and whole, as the same frame as all others', () => {
    const { outlet, outbox } = createOutbox();
    const other = createOutbox();
    const message = buildMessage((draft) => {
      draft.keep('trade1\n');
      draft.setState('price', 'price1\n');
    });
    outbox.push(message);
    other.outbox.push(message);
    assert.deepEqual(outlet.written, ['trade1\nprice1\n']);
    assert.deepEqual(other.outlet.written, outlet.written);
    assert.equal(message.whole, message.whole);
    assert.equal(outbox.slowSinceMs, null);
  });
});

describe('a reader that is slow', () => {
  test('gets every event and of each state the newest only', () => {
    const { outlet, outbox, stall, drain } = createOutbox();
    stall();
    for (const number of [1, 2, 3]) {
      outbox.push(trade(number));
      outbox.push(kline(number));
      outbox.push(price(number));
    }
    assert.deepEqual(outlet.written, []);
    drain();
    assert.equal(outlet.written.join(''), 'trade1\ntrade2\ntrade3\nkline3\nprice3\n');
    outbox.push(trade(4));
    assert.equal(outlet.written.at(-1), 'trade4\n');
    assert.equal(outlet.end_, null);
  });

  test('never gets a state after the event that made it stale', () => {
    const { outlet, outbox, stall, drain } = createOutbox();
    stall();
    outbox.push(kline(1));
    outbox.push(price(1));
    outbox.push(buildMessage((draft) => draft.keep('closed1\n', 'kline')));
    drain();
    assert.equal(outlet.written.join(''), 'closed1\nprice1\n');
    stall();
    outbox.push(kline(2));
    outbox.push(
      buildMessage((draft) => {
        draft.keep('closed2\n', 'kline');
        draft.setState('kline', 'kline3\n');
      }),
    );
    drain();
    assert.equal(outlet.written.join(''), 'closed2\nkline3\n');
  });

  test('is cut once too much waits, and holds nothing afterwards', () => {
    const { outlet, outbox, stall } = createOutbox(100);
    stall();
    let pushed = 0;
    while (outlet.end_ === null) {
      outbox.push(trade(1));
      pushed += 1;
      assert.ok(pushed < 100);
    }
    assert.equal(outlet.end_, 'cut');
    assert.equal(pushed, Math.floor(100 / 'trade1\n'.length) + 1);
    outbox.push(trade(2));
    outbox.onDrain();
    assert.deepEqual(outlet.written, []);
  });

  test('counts what its connection still buffers; states alone never cut it', () => {
    const { outlet, outbox, stall } = createOutbox(100);
    stall();
    for (let number = 0; number < 10_000; number += 1) outbox.push(price(number));
    assert.equal(outlet.end_, null);
    outlet.waitingBytes = 99;
    outbox.push(trade(1));
    assert.equal(outlet.end_, 'cut');
  });

  test('ends at once, because nobody would read the rest', () => {
    const { outlet, outbox, stall } = createOutbox();
    stall();
    outbox.end();
    assert.equal(outlet.end_, 'cut');
    const other = createOutbox();
    other.outbox.end();
    assert.equal(other.outlet.end_, 'end');
  });

  test('reports since when it is slow, from the first write that did not fit', () => {
    const { outbox, advance, stall, drain } = createOutbox();
    advance(5);
    stall();
    advance(5);
    outbox.push(trade(1));
    assert.equal(outbox.slowSinceMs, 5);
    drain();
    assert.equal(outbox.slowSinceMs, null);
  });
});

describe('a draft', () => {
  test('an event that ends a state removes an older one, not a newer one', () => {
    const draft = new MessageDraft();
    draft.setState('kline', 'old\n');
    draft.keep('closed\n', 'kline');
    draft.setState('kline', 'new\n');
    draft.keep('trade\n');
    assert.equal(draft.take().whole.bytes.toString(), 'closed\ntrade\nnew\n');
    assert.equal(draft.isEmpty, true);
  });
});

test('bytes that a reader has taken do not count when it stalls again', () => {
  const { outlet, outbox, stall, drain } = createOutbox(20);
  for (let round = 0; round < 5; round += 1) {
    stall();
    outbox.push(trade(1));
    outbox.push(trade(2));
    assert.equal(outlet.end_, null, `round ${round}`);
    drain();
    assert.deepEqual(outlet.written, ['trade1\n', 'trade2\n']);
  }
});
