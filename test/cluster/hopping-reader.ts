// A stream reader that changes nodes all the time, and resumes with the last id that it got.

import { setTimeout as sleep } from 'node:timers/promises';
import { openHttpStream } from '../open-http-stream.ts';
import type { RunningService } from '../start-service-process.ts';
import { StreamFold } from '../stream-fold.ts';

/** Events that it takes from a node before it goes to the next. */
const EVENTS_PER_NODE = 4;

interface HoppingReader {
  readonly fold: StreamFold;
  /** How often it was connected. */
  hops(): number;
  stop(): Promise<void>;
}

export function startHoppingReader(
  listNodes: () => readonly RunningService[],
  query: string,
): HoppingReader {
  const fold = new StreamFold();
  let [hops, isStopped] = [0, false];
  let leave: (() => void) | null = null;
  const connect = async (node: RunningService) => {
    let left = EVENTS_PER_NODE;
    const { lastEventId } = fold;
    const stream = await openHttpStream(`${node.origin}/v1/token/stream?${query}`, {
      headers: lastEventId === null ? {} : { 'last-event-id': lastEventId },
      onEvent: (event, connection) => {
        fold.apply(event);
        left -= 1;
        if (left <= 0) connection.leave();
      },
    });
    hops += 1;
    leave = () => stream.leave();
    if (isStopped) stream.leave();
    await stream.ended;
  };
  const run = async () => {
    for (let turn = 0; !isStopped; turn += 1) {
      const nodes = listNodes();
      const node = nodes[turn % nodes.length];
      // A node may be killed at any moment.
      if (node !== undefined) await connect(node).catch(() => undefined);
      await sleep(20);
    }
  };
  const running = run();
  return {
    fold,
    hops: () => hops,
    stop: () => {
      isStopped = true;
      leave?.();
      return running;
    },
  };
}
