// The state of a chain that an answer reflects.

import { createSerializer } from '../contract/create-serializer.ts';
import { asOfSchema } from '../contract/schemas/market-schemas.ts';
import type { Checkpoint } from '../model/market-record.ts';

export function toAsOf(checkpoint: Checkpoint) {
  return {
    block: checkpoint.block,
    blockHash: checkpoint.blockHash,
    timestamp: checkpoint.timestampMs,
    finalizedBlock: checkpoint.finalizedBlock,
  };
}

const serialize = createSerializer(asOfSchema);
const texts = new WeakMap<Checkpoint, string>();

/** As JSON; built once per commit of a chain. */
export function serializeAsOf(checkpoint: Checkpoint): string {
  let text = texts.get(checkpoint);
  if (text === undefined) {
    text = serialize(toAsOf(checkpoint));
    texts.set(checkpoint, text);
  }
  return text;
}
