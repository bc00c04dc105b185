// Readers that get the same bytes: of one token, or of several.

import { StreamFrame } from '../../contract/stream-answer.ts';
import type { Outbox } from '../../live/outbox.ts';
import { MessageDraft, type StateName, StreamMessage } from '../../live/stream-message.ts';
import {
  type EncodedItem,
  encodeBeat,
  encodeId,
  isWanted,
  type TokenEvent,
} from './encode-events.ts';
import type { StreamPoint } from './stream-point.ts';
import {
  encodeSetId,
  type StreamFilter,
  type StreamKind,
  type StreamSet,
  toFilterKey,
} from './stream-set.ts';

const KLINE_STATE = 'kline' satisfies StreamKind;

/** A token's states that readers with other filters get, too. */
export type SharedState = Extract<StreamKind, 'price' | 'holders' | 'coverage'>;

/** What a token's channel gives its events to. */
export interface ChannelGroup {
  readonly filter: StreamFilter;
  /** Adds the events that match the filter. */
  keep(items: readonly EncodedItem[]): void;
  setKline(event: TokenEvent): void;
  setState(name: SharedState, event: TokenEvent): void;
  /** Sends what was added, as one message with the same bytes to all. */
  flush(): void;
}

/** An older live kline must not be sent after the one that ended or was reverted. */
function endsKline({ kind }: EncodedItem): boolean {
  return kind === 'kline' || kind === 'revert';
}

/** Readers of the same messages. */
export class Readers {
  readonly outboxes = new Set<Outbox>();
  readonly draft = new MessageDraft();

  flush(): void {
    if (this.draft.isEmpty) return;
    const message = this.draft.take();
    for (const outbox of this.outboxes) outbox.push(message);
  }
}

/** Readers of one token. */
export class StreamGroup extends Readers implements ChannelGroup {
  readonly filter: StreamFilter;

  constructor(filter: StreamFilter) {
    super();
    this.filter = filter;
  }

  keep(items: readonly EncodedItem[]): void {
    for (const item of items) {
      if (!isWanted(item, this.filter)) continue;
      this.draft.keep(item.text(this.filter), endsKline(item) ? KLINE_STATE : undefined);
    }
  }

  setKline(event: TokenEvent): void {
    this.draft.setState(KLINE_STATE, event.encode());
  }

  setState(name: SharedState, event: TokenEvent): void {
    if (this.filter.kinds.has(name)) this.draft.setState(name, event.encode());
  }
}

/** A token's channel, as far as a group of several tokens needs it. */
interface GroupChannel {
  /** Up to where its readers have everything. */
  readonly point: StreamPoint;
  readonly isSettled: boolean;
}

/** Readers of the same tokens. Every id has the points of all tokens. */
export class SetGroup<Channel extends GroupChannel = GroupChannel> extends Readers {
  readonly set: StreamSet;
  readonly filter: StreamFilter;
  readonly key: string;
  /** One for each token's channel. */
  readonly members: readonly ChannelGroup[];
  readonly channels: readonly Channel[];

  constructor(set: StreamSet, filter: StreamFilter, channels: readonly Channel[]) {
    super();
    this.set = set;
    this.filter = filter;
    this.key = toSetGroupKey(set, filter);
    this.channels = channels;
    this.members = channels.map((_, index) => ({
      filter,
      keep: (items) => this.#keep(index, items),
      setKline: (event) => this.#setState(index, KLINE_STATE, event),
      setState: (name, event) => {
        if (filter.kinds.has(name)) this.#setState(index, name, event);
      },
      flush: () => this.flush(),
    }));
  }

  /** A heartbeat with the readers' position; null if that is not certain. */
  buildBeat(): StreamFrame | null {
    if (this.channels.some(({ isSettled }) => !isSettled)) return null;
    this.flush();
    return new StreamFrame(encodeBeat(encodeSetId(this.set, this.#listPoints())));
  }

  #listPoints(): StreamPoint[] {
    return this.channels.map(({ point }) => point);
  }

  #keep(index: number, items: readonly EncodedItem[]): void {
    const wanted = items.filter((item) => isWanted(item, this.filter));
    if (wanted.length === 0) return;
    const points = this.#listPoints();
    for (const item of wanted) {
      const id = encodeSetId(this.set, points.with(index, item.point));
      this.draft.keep(
        item.event(this.filter)?.encode(id) ?? encodeId(id),
        endsKline(item) ? toStateName(index, KLINE_STATE) : undefined,
      );
    }
  }

  #setState(index: number, name: string, event: TokenEvent): void {
    this.draft.setState(toStateName(index, name), event.encode());
  }
}

/** States of several tokens are told apart by the token's place. */
export function toStateName(index: number, name: string): StateName {
  return `${name} ${index}`;
}

export function toSetGroupKey(set: StreamSet, filter: StreamFilter): string {
  return `${set.key} ${toFilterKey(filter)}`;
}

/** States for one new reader. */
export function buildStateMessage(states: ReadonlyMap<StateName, string>): StreamMessage {
  return new StreamMessage({ kept: '', states, ended: new Set() });
}
