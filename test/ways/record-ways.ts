// Loaded first into every thread of a service (`--import`): says which files of src ran since it
// was asked last. It is asked by connecting to the socket at `MINTWIRE_WAYS_SOCKET`.

import { rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const SOURCE = /\/(src\/.*\.ts)$/;
/** Long enough for a thread that is in the middle of its work. */
const ANSWER_MS = 300;

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

function serve(path: string): void {
  // The service may start itself again with other flags: the last process serves.
  rmSync(path, { force: true });
  let others = new Set<string>();
  channel.onmessage = ({ data }) => {
    if (Array.isArray(data)) for (const file of data) others.add(file);
  };
  createServer((socket) => {
    others = new Set();
    channel.postMessage('take');
    const own = takeFiles();
    setTimeout(async () => {
      const main = await own;
      // What ran while the threads were waited for is nobody's.
      await takeFiles();
      socket.end(JSON.stringify({ main, threads: [...others] }));
    }, ANSWER_MS);
  })
    .listen(path)
    .unref();
}

const socketPath = process.env['MINTWIRE_WAYS_SOCKET'];
if (isMainThread && socketPath !== undefined) serve(socketPath);
else if (!isMainThread) channel.onmessage = async () => channel.postMessage(await takeFiles());
// What listens here must not keep a thread alive.
(channel as unknown as { unref(): void }).unref();
