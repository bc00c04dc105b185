// The routers that an operator's file names.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { FactoryEntry } from '../../../model/chain-contracts.ts';
import { EVM_DEPLOYMENTS } from './deployments.ts';
import { toFileDeployment } from './file-deployment.ts';
import { listSwapRouters } from './swap-routers.ts';

const FORK: Extract<FactoryEntry, { readonly kind: 'v3' }> = {
  ...{ kind: 'v3', venue: 'my-v3', factory: `0x${'c'.repeat(40)}`, quoter: null, feeTiers: null },
  ...{ router: `0x${'d'.repeat(40)}`, universalRouter: false },
};

function findRouter(entry: FactoryEntry) {
  const contracts = { kind: 'added', stables: [], anchorPools: [], factories: [entry] } as const;
  const deployment = toFileDeployment('base', contracts, EVM_DEPLOYMENTS.base ?? null);
  const router = listSwapRouters(deployment).find(({ name }) => name === 'my-v3');
  return router && { kind: router.kind, address: router.address, isProven: router.isProven };
}

it('a fork of V3 is traded through its SwapRouter, or its SwapRouter02 if that is said', () => {
  const address = FORK.router;
  assert.deepEqual(findRouter(FORK), { kind: 'swapRouter', address, isProven: true });
  const other = findRouter({ ...FORK, routerKind: 'swapRouter02' });
  assert.deepEqual(other, { kind: 'smart', address, isProven: false });
  const { router: _router, ...without } = FORK;
  assert.equal(findRouter(without), undefined);
});
