// Starts the recorded chain as a separate process, so that serving it does not cost the indexers
// CPU.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type {
  RecordedChainOptions,
  RecordedChainReady,
  RecordedChainReport,
} from './recorded-chain.ts';

export interface RecordedChain extends RecordedChainReady {
  readonly url: string;
  /** Returns and resets the counts since the last call. */
  report(): Promise<RecordedChainReport>;
  stop(): Promise<void>;
}

export async function startRecordedChain(options: RecordedChainOptions): Promise<RecordedChain> {
  const child = fork(new URL('./recorded-chain.ts', import.meta.url));
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => {
    throw new Error(`the recorded chain ended with ${code}`);
  });
  failed.catch(() => undefined);
  async function ask<T>(message: object): Promise<T> {
    const reply = once(child, 'message');
    child.send(message);
    const [value] = await Promise.race([reply, failed]);
    return value as T;
  }
  const ready = await ask<RecordedChainReady>(options);
  return {
    ...ready,
    url: `http://127.0.0.1:${ready.port}`,
    report: () => ask<RecordedChainReport>({}),
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Runs work while a chain is served. */
export async function withChain<T>(
  options: RecordedChainOptions,
  work: (chain: RecordedChain) => Promise<T>,
): Promise<T> {
  const chain = await startRecordedChain(options);
  try {
    return await work(chain);
  } finally {
    await chain.stop();
  }
}
