// A stream client that connects, disconnects and resumes, and must end with the same data as the
// reads.

import { rest, type SoakToken, type Stage } from './actors.ts';

export interface ReaderEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: string;
}

/** Takes complete events from the front of a text and returns the rest. */
export function takeEvents(text: string): { events: ReaderEvent[]; rest: string } {
  const blocks = text.split('\n\n');
  const left = blocks.pop() ?? '';
  const events = blocks.flatMap((block): ReaderEvent[] => {
    const lines = block.split('\n');
    const read = (name: string) =>
      lines
        .find((line) => line.startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim() ?? null;
    const event = read('event');
    return event === null ? [] : [{ event, id: read('id'), data: read('data') ?? '' }];
  });
  return { events, rest: left };
}

/** The trades that a client of one token has, by id. */
export class TradeFold {
  readonly trades = new Set<string>();
  lastId: string | null = null;
  #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  take({ event, id, data }: ReaderEvent): void {
    const { tally } = this.#stage;
    tally.add(`stream ${event}`);
    if (id !== null) this.lastId = id;
    const value = JSON.parse(data) as { id?: string; tradeIds?: string[] };
    if (event === 'reset') this.trades.clear();
    if (event === 'revert') for (const one of value.tradeIds ?? []) this.trades.delete(one);
    if (event !== 'trade' || value.id === undefined) return;
    if (this.trades.has(value.id)) tally.fail('trade sent twice', value.id);
    this.trades.add(value.id);
  }
}

/** One connection, for a while or until the end; resumes from the fold's position. */
async function readOnce(
  stage: Stage,
  { chain, mint }: SoakToken,
  fold: TradeFold,
  forMs: number,
): Promise<void> {
  const url = `${stage.origin}/v1/token/stream?chain=${chain}&mint=${mint}&interval=1m`;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), forMs);
  try {
    const headers = {
      authorization: `Bearer ${stage.streamKey}`,
      ...(fold.lastId === null ? {} : { 'last-event-id': fold.lastId }),
    };
    const response = await fetch(url, { headers, signal: abort.signal });
    if (response.status !== 200 || response.body === null) {
      stage.tally.fail(`stream ${response.status}`, await response.text());
      return;
    }
    let pending = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const taken = takeEvents(pending + chunk);
      pending = taken.rest;
      for (const event of taken.events) fold.take(event);
    }
    stage.tally.add('stream ended by the server');
  } catch (error) {
    if (!abort.signal.aborted) stage.tally.fail('stream broke', String(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Connects repeatedly; events could be lost in the gaps. */
export async function runStreamReader(stage: Stage, token: SoakToken): Promise<TradeFold> {
  const fold = new TradeFold(stage);
  while (!stage.isOver()) {
    await readOnce(stage, token, fold, 1000 + Math.random() * 15_000);
    await rest(Math.random() * 1500);
  }
  return fold;
}

/** A last connection, long enough for everything that is still pending. */
export async function finishStream(stage: Stage, token: SoakToken, fold: TradeFold): Promise<void> {
  await readOnce(stage, token, fold, 4000);
}
