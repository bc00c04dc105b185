// The answer of a stream: holds the caller's slot and the channels for the life of the stream.

import type { Identity } from '../../contract/identity.ts';
import type { StreamAnswer, StreamContext, StreamOutlet } from '../../contract/stream-answer.ts';
import type { TokenReference } from '../parse-token.ts';
import { StreamClient } from './stream-client.ts';
import type { StreamHub } from './stream-hub.ts';
import type { StreamSource } from './stream-source.ts';

/** What a stream holds until it ends. */
export interface HeldStream {
  /** Called once; the first text and page are not needed afterwards. */
  start(): { readonly text: string; readonly source: StreamSource };
  release(): void;
  /** A token of the stream that is paused. */
  findPaused(): TokenReference | undefined;
}

export function buildStreamAnswer(
  held: HeldStream,
  of: {
    readonly hub: StreamHub;
    /** Calls back when the credential of a stream stops working. */
    readonly watch: (identity: Identity, onEnded: () => void) => () => void;
    readonly identity: Identity;
    readonly spend: StreamContext['spend'];
    /** Gives the caller's slot back. */
    readonly release: () => void;
  },
): StreamAnswer {
  const { hub, identity, spend } = of;
  const letGo = () => {
    held.release();
    of.release();
  };
  const start = (outlet: StreamOutlet): StreamClient => {
    let unwatch: () => void = () => undefined;
    const onGone = () => {
      unwatch();
      letGo();
    };
    const { text, source } = held.start();
    const client = new StreamClient({ hub, source, spend, onGone }, outlet, text);
    hub.add(client);
    unwatch = of.watch(identity, () => client.end());
    client.start();
    // Both may have happened since the request.
    const paused = held.findPaused();
    if (hub.isStopping) client.end();
    else if (paused !== undefined) client.pause(paused);
    return client;
  };
  return { kind: 'stream', start, cancel: letGo };
}
