// What the settings of indexing become for the adapter of a chain.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ChainNodes } from '../chains/chain-nodes.ts';
import type { ChainSource } from '../chains/family.ts';
import { loadConfig } from '../config.ts';
import type { Store } from '../store/store.ts';
import { createAdapter } from './chain-source.ts';

it('pairs of unlisted forks are looked for unless UNLISTED_FORKS is off', () => {
  const findsForks = (env: Record<string, string>) => {
    let asked: boolean | undefined;
    const nodes: Pick<ChainNodes, 'createAdapter'> = {
      createAdapter: (options) => {
        asked = options.findsForks;
        return {} as ReturnType<ChainNodes['createAdapter']>;
      },
    };
    const { indexing } = loadConfig(env);
    createAdapter(nodes as ChainNodes, {} as ChainSource, { store: {} as Store, indexing });
    return asked;
  };
  assert.equal(findsForks({}), true);
  assert.equal(findsForks({ UNLISTED_FORKS: 'on' }), true);
  assert.equal(findsForks({ UNLISTED_FORKS: 'off' }), false);
  assert.throws(() => findsForks({ UNLISTED_FORKS: 'no' }));
});
