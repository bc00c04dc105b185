// Checks logs and headers of one range against each other. Mismatches are rejected: the endpoint
// may be faulty, lagging behind its own head, or in the middle of a reorganisation.

import { RpcError } from '../../rpc/rpc-error.ts';
import { isSameTime } from '../data/block-time.ts';
import type { EvmLog } from '../data/evm-log.ts';
import { judgeLogs, parseBloom } from '../data/logs-bloom.ts';
import type { EvmBlock } from '../data/parse-block.ts';

interface VerifyContext {
  readonly endpoint: string;
  /** Whether the logs are all logs of the blocks, and not only those of some topics. */
  readonly allLogs: boolean;
}

function refuse(context: VerifyContext, reason: string): RpcError {
  const { endpoint } = context;
  return new RpcError('invalidReply', `${endpoint}: ${reason}`, { endpoint });
}

/** Headers of a whole range, each the child of the one before. */
export function assertLinked(blocks: readonly EvmBlock[], context: VerifyContext): void {
  for (let index = 1; index < blocks.length; index += 1) {
    const child = blocks[index]?.header;
    const parent = blocks[index - 1]?.header;
    if (child === undefined || parent === undefined) continue;
    if (child.parentHash !== parent.hash) {
      throw refuse(context, `block ${child.position} does not follow block ${parent.position}`);
    }
  }
}

function assertComplete(block: EvmBlock, logs: readonly EvmLog[], context: VerifyContext): void {
  const { position } = block.header;
  for (const [index, log] of logs.entries()) {
    if (log.logIndex !== index) throw refuse(context, `logs of block ${position} have gaps`);
  }
  if (block.logsBloom === null) return;
  const verdict = judgeLogs(logs, parseBloom(block.logsBloom));
  // Polygon returns bridge logs that are in no bloom, so only missing logs are an error.
  if (verdict === 'missing') throw refuse(context, `logs of block ${position} are incomplete`);
}

/** Every log's block must match the header; with all logs, none may be missing. */
export function assertLogsFit(
  blocks: readonly EvmBlock[],
  logs: readonly EvmLog[],
  context: VerifyContext,
): void {
  let next = 0;
  for (const block of blocks) {
    const { position, hash, timestampMs } = block.header;
    while (next < logs.length && (logs[next]?.block ?? position) < position) next += 1;
    const start = next;
    for (; next < logs.length && logs[next]?.block === position; next += 1) {
      const log = logs[next];
      if (log?.blockHash !== hash) throw refuse(context, `block ${position} has two hashes`);
      if (log.timestampMs !== null && !isSameTime(log.timestampMs, timestampMs)) {
        throw refuse(context, `block ${position} has two times`);
      }
    }
    if (context.allLogs) assertComplete(block, logs.slice(start, next), context);
  }
}
