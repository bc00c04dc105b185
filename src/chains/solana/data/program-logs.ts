// Events that programs write to the log, each with the call that wrote it.
//
// A log has no addresses of calls: it has a line when a program is entered and one when it ends.
// The n-th entry of a program in the log is its n-th call in the transaction. A log that was cut
// off ends with "Log truncated"; what was written before still belongs to its call.

import type { ProgramCall } from './transaction-calls.ts';

const INVOKE = /^Program (\w+) invoke \[\d+\]$/;
const END = /^Program (\w+) (?:success|failed)/;
const DATA = 'Program data: ';
const RAY_LOG = 'Program log: ray_log: ';

/** What a call wrote, as bytes: `Program data` and Raydium's own lines. */
export type LogEvents = ReadonlyMap<ProgramCall, readonly Buffer[]>;

export function readLogEvents(
  logs: readonly string[] | null | undefined,
  calls: readonly ProgramCall[],
): LogEvents {
  const queues = new Map<string, ProgramCall[]>();
  for (const call of calls) {
    const queue = queues.get(call.program);
    if (queue === undefined) queues.set(call.program, [call]);
    else queue.push(call);
  }
  const events = new Map<ProgramCall, Buffer[]>();
  const entered = new Map<string, number>();
  const stack: (ProgramCall | undefined)[] = [];
  for (const line of logs ?? []) {
    const program = line.endsWith(']') ? INVOKE.exec(line)?.[1] : undefined;
    if (program !== undefined) {
      const count = entered.get(program) ?? 0;
      entered.set(program, count + 1);
      stack.push(queues.get(program)?.[count]);
      continue;
    }
    if (END.test(line)) {
      stack.pop();
      continue;
    }
    const mark = [DATA, RAY_LOG].find((each) => line.startsWith(each));
    const call = stack.at(-1);
    if (mark === undefined || call === undefined) continue;
    const bytes = Buffer.from(line.slice(mark.length), 'base64');
    const list = events.get(call);
    if (list === undefined) events.set(call, [bytes]);
    else list.push(bytes);
  }
  return events;
}
