// The way to the primary process, in a worker.

import cluster from 'node:cluster';
import { WorkerLink } from './worker-link.ts';

/** Null if this process serves alone, or is the primary. */
export function openWorkerLink(): WorkerLink | null {
  if (!cluster.isWorker) return null;
  const link = new WorkerLink({
    // Without its primary a worker ends by itself.
    send: (message, onSent) => void process.send?.(message, undefined, undefined, () => onSent?.()),
    onMessage: (listener) => void process.on('message', listener),
  });
  link.tell({ type: 'ready' });
  return link;
}
