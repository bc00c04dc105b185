// Which processes on the store answer requests: each says so every two seconds.

import { startPolling } from '../../lib/start-polling.ts';

interface NodeCensusOptions {
  /** This process. */
  readonly node: string;
  readonly signals: {
    send(channel: string, text: string): Promise<void>;
    listen(channel: string, onText: (text: string) => void): () => Promise<void>;
  };
  readonly monotonicMs: () => number;
}

const CHANNEL = 'mintwire_nodes';
const SAY_MS = 2000;
/** Several may be lost. */
const SILENT_MS = 7000;

export class NodeCensus {
  readonly #options: NodeCensusOptions;
  /** When each other process was last heard. */
  readonly #others = new Map<string, number>();
  /** When this process last heard itself: nobody is missing while it is deaf. */
  #heardSelfMs: number | null = null;
  #stops: readonly (() => Promise<void>)[] = [];

  constructor(options: NodeCensusOptions) {
    this.#options = options;
  }

  /** All that are there, this one first. */
  list(): readonly string[] {
    this.#forgetSilent();
    return [this.#options.node, ...this.#others.keys()];
  }

  count(): number {
    return this.#others.size + 1;
  }

  start(): void {
    const { signals } = this.#options;
    const stopListening = signals.listen(CHANNEL, (text) => this.#onMessage(text));
    const say = async () => {
      this.#forgetSilent();
      await this.#say('here');
    };
    const stopSaying = startPolling(say, { everyMs: SAY_MS, onError: ignore });
    this.#stops = [stopSaying, stopListening];
    this.#say('hello').catch(ignore);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.#say('gone').catch(ignore);
  }

  #say(word: 'hello' | 'here' | 'gone'): Promise<void> {
    return this.#options.signals.send(CHANNEL, `${word} ${this.#options.node}`);
  }

  #onMessage(text: string): void {
    const [word, name = ''] = text.split(' ');
    const nowMs = this.#options.monotonicMs();
    if (name === this.#options.node) {
      this.#heardSelfMs = nowMs;
      return;
    }
    if (word === 'gone') {
      this.#others.delete(name);
      return;
    }
    this.#others.set(name, nowMs);
    // It does not know this process yet.
    if (word === 'hello') this.#say('here').catch(ignore);
  }

  #forgetSilent(): void {
    const sinceMs = this.#heardSelfMs;
    if (sinceMs === null) return;
    for (const [name, heardMs] of this.#others) {
      if (sinceMs - heardMs > SILENT_MS) this.#others.delete(name);
    }
  }
}

/** The next one comes soon. */
function ignore(): void {}
