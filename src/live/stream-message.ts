// A message to many readers: events that must not be lost, and states of which only the newest
// matters.

import { StreamFrame } from '../contract/stream-answer.ts';

/** A state's name, such as `price`; a newer state replaces an older one that was not sent yet. */
export type StateName = string;

interface MessageParts {
  /** Events that must not be lost, as text. */
  readonly kept: string;
  /** States, as text. */
  readonly states: ReadonlyMap<StateName, string>;
  /** States that the events make obsolete: older ones of these must not be sent after them. */
  readonly ended: ReadonlySet<StateName>;
}

/** Encoded once for all readers; its parts are encoded only if a reader is slow. */
export class StreamMessage {
  readonly parts: MessageParts;
  #whole: StreamFrame | null = null;
  #kept: StreamFrame | null = null;
  #states: ReadonlyMap<StateName, StreamFrame> | null = null;

  constructor(parts: MessageParts) {
    this.parts = parts;
  }

  get whole(): StreamFrame {
    this.#whole ??= new StreamFrame([this.parts.kept, ...this.parts.states.values()].join(''));
    return this.#whole;
  }

  /** Null if there are no events. */
  get kept(): StreamFrame | null {
    if (this.parts.kept === '') return null;
    this.#kept ??= new StreamFrame(this.parts.kept);
    return this.#kept;
  }

  get states(): ReadonlyMap<StateName, StreamFrame> {
    this.#states ??= new Map(
      Array.from(this.parts.states, ([name, text]) => [name, new StreamFrame(text)]),
    );
    return this.#states;
  }
}

/** Collects what is sent together. */
export class MessageDraft {
  #kept: string[] = [];
  #states = new Map<StateName, string>();
  #ended = new Set<StateName>();

  get isEmpty(): boolean {
    return this.#kept.length === 0 && this.#states.size === 0;
  }

  /** Adds an event; `ends` names a state that it makes obsolete. */
  keep(text: string, ends?: StateName): void {
    this.#kept.push(text);
    if (ends === undefined) return;
    this.#states.delete(ends);
    this.#ended.add(ends);
  }

  setState(name: StateName, text: string): void {
    this.#states.set(name, text);
  }

  /** Returns what was collected and clears the draft. */
  take(): StreamMessage {
    const parts = { kept: this.#kept.join(''), states: this.#states, ended: this.#ended };
    this.#kept = [];
    this.#states = new Map();
    this.#ended = new Set();
    return new StreamMessage(parts);
  }
}
