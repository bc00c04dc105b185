// The readiness check: the store works and every followed chain is at its head.

import type { OutputOf } from '../contract/operation.ts';
import type { getReady } from '../contract/operations/get-ready.ts';
import { AppError } from '../errors/app-error.ts';
import type { Clock } from '../lib/clock.ts';
import { StoreError } from '../store/store-error.ts';
import type { ChainDirectory } from './chain-status.ts';

/** Half of the second within which a fault must be reported. */
const STORE_CHECK_MS = 500;
const RETRY_AFTER_SECONDS = 2;

interface ReadinessOptions {
  readonly store: { readonly engine: string; ping(): Promise<void> };
  readonly chains: ChainDirectory;
  readonly clock: Clock;
  readonly isDraining: () => boolean;
}

type ReadinessAnswer = OutputOf<typeof getReady>;

function notReady(reason: string, cause?: unknown): AppError {
  return new AppError(
    'NOT_READY',
    { reason },
    { retryAfterSeconds: RETRY_AFTER_SECONDS, ...(cause === undefined ? {} : { cause }) },
  );
}

export function createReadiness(options: ReadinessOptions): () => Promise<ReadinessAnswer> {
  // The route is not metered, so the result of a store check is reused for a while.
  let lastCheck: { readonly atMs: number; readonly result: Promise<void> } | null = null;
  function checkStore(): Promise<void> {
    const nowMs = options.clock.monotonicMs();
    if (lastCheck === null || nowMs - lastCheck.atMs >= STORE_CHECK_MS) {
      lastCheck = { atMs: nowMs, result: options.store.ping() };
      // Callers see the rejection; a check without a caller must not crash the process.
      lastCheck.result.catch(() => {});
    }
    return lastCheck.result;
  }
  return async () => {
    if (options.isDraining()) throw notReady('The server is shutting down.');
    try {
      await checkStore();
    } catch (error) {
      const reason = error instanceof StoreError ? error.reason : 'The store is not responding.';
      throw notReady(reason);
    }
    const chains = options.chains.list();
    const missing = chains.flatMap((chain) =>
      chain.notReady === null ? [] : [`${chain.slug}: ${chain.notReady}`],
    );
    const limitations = chains.flatMap(({ slug, limitations: texts }) =>
      texts.map((detail) => ({ name: `${slug} endpoint`, detail })),
    );
    if (missing.length > 0) {
      const about = limitations.map(({ name, detail }) => ` ${name}: ${detail}.`);
      throw notReady(`Not ready. ${missing.join('; ')}.${about.join('')}`);
    }
    return {
      status: 'ready',
      checks: [
        { name: 'store', detail: `${options.store.engine} answers` },
        ...chains.map(({ slug, answer: { head, slowed } }) => ({
          name: slug,
          detail: slowed === undefined ? `at block ${head}` : `at block ${head}, ${slowed}`,
        })),
        ...limitations,
      ],
    };
  };
}
