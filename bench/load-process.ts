// The load generator in a process of its own, so that its work does not delay what another one
// measures.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type LoadOptions, type LoadResult, runLoad } from './load-client.ts';

/** Started with this argument, this file is that process. */
const ROLE = 'load';

export async function runLoadApart(options: LoadOptions): Promise<LoadResult> {
  const child = fork(new URL(import.meta.url), [ROLE]);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the load generator ended with ${code}`);
  });
  failed.catch(() => undefined);
  child.send(options);
  const [result] = await Promise.race([once(child, 'message'), failed]);
  return result as LoadResult;
}

if (process.argv[2] === ROLE && process.send !== undefined) {
  const [options] = (await once(process, 'message')) as [LoadOptions];
  process.send(await runLoad(options), () => process.disconnect());
}
