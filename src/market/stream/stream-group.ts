// Readers of one token that get the same bytes.

import type { Outbox } from '../../live/outbox.ts';
import { MessageDraft, type StateName, StreamMessage } from '../../live/stream-message.ts';
import type { EncodedItem } from './encode-events.ts';
import { isWanted } from './encode-events.ts';
import type { StreamFilter, StreamKind } from './stream-filter.ts';

const KLINE_STATE = 'kline' satisfies StreamKind;

/** A token's states that readers with other filters get, too. */
export type SharedState = Extract<StreamKind, 'price' | 'holders' | 'coverage'>;

export class StreamGroup {
  readonly filter: StreamFilter;
  readonly outboxes = new Set<Outbox>();
  readonly #draft = new MessageDraft();

  constructor(filter: StreamFilter) {
    this.filter = filter;
  }

  /** Adds the events that match the filter. */
  keep(items: readonly EncodedItem[]): void {
    for (const item of items) {
      if (!isWanted(item, this.filter)) continue;
      // An older live kline must not be sent after the one that ended or was reverted.
      const endsKline = item.kind === 'kline' || item.kind === 'revert';
      this.#draft.keep(item.text, endsKline ? KLINE_STATE : undefined);
    }
  }

  setKline(text: string): void {
    this.#draft.setState(KLINE_STATE, text);
  }

  setState(name: SharedState, text: string): void {
    if (this.filter.kinds.has(name)) this.#draft.setState(name, text);
  }

  get hasNews(): boolean {
    return !this.#draft.isEmpty;
  }

  /** Sends what was added, as one message with the same bytes to all. */
  flush(): void {
    if (this.#draft.isEmpty) return;
    const message = this.#draft.take();
    for (const outbox of this.outboxes) outbox.push(message);
  }
}

/** States for one new reader. */
export function buildStateMessage(states: ReadonlyMap<StateName, string>): StreamMessage {
  return new StreamMessage({ kept: '', states, ended: new Set() });
}
