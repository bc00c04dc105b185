// Events that an Anchor program sends to itself as a call, so that no log limit can cut them.

import type { AccountBytes } from './account-bytes.ts';
import type { ProgramCall } from './transaction-calls.ts';

/** The discriminator of every such call. */
export const SELF_EVENT = 'e445a52e51cb9a1d';
const PREFIX_BYTES = 8;

/** The events of one kind that a call sent, without the prefix. */
export function readSelfEvents(call: ProgramCall, discriminator: string): AccountBytes[] {
  const events: AccountBytes[] = [];
  for (const inner of call.nested) {
    const isOwn = inner.program === call.program && inner.stackHeight === call.stackHeight + 1;
    if (!isOwn || inner.data.discriminator() !== SELF_EVENT) continue;
    const event = inner.data.from(PREFIX_BYTES);
    if (event.discriminator() === discriminator) events.push(event);
  }
  return events;
}
