// Pins what is read from the devnet's file, and that an invalid one is rejected with a reason.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDevnetDeployment } from './parse-devnet-deployment.ts';

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;

const CONTRACTS = [
  'weth',
  'v2Factory',
  'v2Router',
  'v3Factory',
  'v3Quoter',
  'v4PoolManager',
  'v4PositionManager',
  'v4StateView',
  'v4Quoter',
  'universalRouter',
  'permit2',
  'multicall3',
];

const FILE = {
  chainId: 1337,
  contracts: Object.fromEntries(CONTRACTS.map((name, index) => [name, address(index + 1)])),
  tokens: [
    { key: 'usdc', address: `0x${'Ab'.repeat(20)}` },
    { key: 'wire', address: address(99) },
  ],
  anchorPools: [address(50), `0x${'5'.repeat(64)}`],
};

test('contracts, the dollar and the anchors', () => {
  const deployment = parseDevnetDeployment(FILE);
  assert.equal(deployment.chainId, 1337);
  assert.equal(deployment.wrapped, address(1));
  assert.deepEqual(deployment.stables, [`0x${'ab'.repeat(20)}`]);
  assert.deepEqual(deployment.anchorPools, FILE.anchorPools);
  assert.equal(deployment.v2[0]?.factory, address(2));
  assert.equal(deployment.v4?.stateView, address(8));
});

test('a file without a contract, a chain id or pools is refused by name', () => {
  for (const name of CONTRACTS) {
    const contracts = { ...FILE.contracts, [name]: '0x12' };
    assert.throws(() => parseDevnetDeployment({ ...FILE, contracts }), new RegExp(name));
  }
  assert.throws(() => parseDevnetDeployment({ ...FILE, chainId: 'x' }), /chainId/);
  assert.throws(() => parseDevnetDeployment({ ...FILE, anchorPools: null }), /anchorPools/);
  assert.throws(() => parseDevnetDeployment({ ...FILE, anchorPools: ['0x1'] }), /anchor pool/);
  for (const broken of [null, 5, {}, []])
    assert.throws(() => parseDevnetDeployment(broken), TypeError);
});
