// Loaded first into every thread of a service (`--import`): says which files of src ran since it
// was asked last. It is asked by connecting to the socket at `MINTWIRE_WAYS_SOCKET`.

import { rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { isMainThread, threadId } from 'node:worker_threads';

const SOURCE = /\/(src\/.*\.ts)$/;
/** A thread that does not answer for so long has ended. */
const ANSWER_MS = 5_000;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Files with a function that ran since the last call; a module's own top level does not count. */
async function takeFiles(): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url, functions }) => {
    const path = SOURCE.exec(url)?.[1];
    const ran = functions.some(
      ({ ranges: [range] }, index) => index > 0 && (range?.count ?? 0) > 0,
    );
    return path !== undefined && ran ? [path] : [];
  });
}

const channel = new BroadcastChannel('ways');

interface ThreadFiles {
  readonly id: number;
  readonly files: readonly string[];
}

function serve(path: string): void {
  // The service may start itself again with other flags: the last process serves.
  rmSync(path, { force: true });
  const threads = new Set<number>();
  let answered = new Map<number, readonly string[]>();
  channel.onmessage = ({ data }: { data: ThreadFiles }) => {
    threads.add(data.id);
    answered.set(data.id, data.files);
  };
  createServer(async (socket) => {
    answered = new Map();
    channel.postMessage('take');
    const main = await takeFiles();
    const isWhole = () => [...threads].every((id) => answered.has(id));
    for (let ms = 0; ms < ANSWER_MS && !isWhole(); ms += 50) await setTimeout(50);
    for (const id of threads) if (!answered.has(id)) threads.delete(id);
    // What ran while the threads were waited for is nobody's.
    await takeFiles();
    socket.end(JSON.stringify({ main, threads: [...new Set([...answered.values()].flat())] }));
  })
    .listen(path)
    .unref();
}

const socketPath = process.env['MINTWIRE_WAYS_SOCKET'];
/** A process that the service starts, such as a build of the console, must not take the socket. */
const isService = process.argv[1]?.endsWith('/src/cli/main.ts') ?? false;
if (isMainThread && isService && socketPath !== undefined) serve(socketPath);
else if (!isMainThread) {
  const answer = async () => channel.postMessage({ id: threadId, files: await takeFiles() });
  channel.onmessage = ({ data }) => (data === 'take' ? answer() : undefined);
  await answer();
}
// What listens here must not keep a thread alive.
(channel as unknown as { unref(): void }).unref();
