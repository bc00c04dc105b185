// A store whose commits sometimes fail: before they happen, or just after.

import type { MarketStore } from '../../src/store/store.ts';

export type CommitFault = 'before' | 'after' | null;

/**
 * Called for every transaction, which waits for the answer; `after` commits and then loses the
 * result.
 */
export function createFailingStore(
  store: MarketStore,
  nextFault: () => CommitFault | Promise<CommitFault>,
): MarketStore {
  return new Proxy(store, {
    get(target, name) {
      if (name !== 'transaction') {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      }
      const transaction: MarketStore['transaction'] = async (chain, work) => {
        const fault = await nextFault();
        const result = await target.transaction(chain, async (inside) => {
          const done = await work(inside);
          if (fault === 'before') throw new Error('the disk is full');
          return done;
        });
        if (fault === 'after') throw new Error('the connection was lost');
        return result;
      };
      return transaction;
    },
  });
}
