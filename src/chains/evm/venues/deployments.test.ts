// Pins that the shipped addresses are well-formed and that anchor pools are what they claim to be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  encodeAbiParameters,
  encodePacked,
  getCreate2Address,
  type Hex,
  keccak256,
  parseAbiParameters,
} from 'viem';
import { BUILT_IN_CHAINS, type BuiltInSlug } from '../../../model/chain.ts';
import type { EvmDeployment } from '../data/deployments/evm-deployment.ts';
import { EVM_DEPLOYMENTS } from './deployments.ts';

/** Hashes of the pools' creation code, from the SDKs of Uniswap and PancakeSwap. */
const UNISWAP_V2_CODE = '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f';
const UNISWAP_V3_CODE = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54';
const PANCAKE_V2_CODE = '0x00fb7f630766e6a796048ea87d01acd3068e8ff67d078148a3fa3f4a84f69bd5';
const PANCAKE_V3_CODE = '0x6ce8eb472fa82df5469c6ab6d485f17c3ad13c8cd7af59b3d4a8026c5ce0f7e2';

/** PancakeSwap's V3 pools are created by a deployer apart from the factory. */
const PANCAKE_V3_DEPLOYER = '0x41ff9aa7e16b8b1a8a8dc4f0efacd93d02d071c9';

const FEES = [100, 500, 2500, 3000, 10_000];
/** V4's pools: fee and tick spacing. */
const V4_KEYS = [
  [500, 10],
  [3000, 60],
] as const;
const NO_HOOKS = '0x0000000000000000000000000000000000000000';

function derivePools(deployment: EvmDeployment, stable: string): Set<string> {
  const [token0, token1] = [deployment.wrapped, stable].sort() as [Hex, Hex];
  const pools = new Set<string>();
  for (const { venue, factory } of deployment.v2) {
    const pancake = venue.startsWith('pancake');
    const salt = keccak256(encodePacked(['address', 'address'], [token0, token1]));
    const bytecodeHash = pancake ? PANCAKE_V2_CODE : UNISWAP_V2_CODE;
    pools.add(getCreate2Address({ from: factory as Hex, salt, bytecodeHash }).toLowerCase());
  }
  for (const { venue, factory } of deployment.v3) {
    const pancake = venue.startsWith('pancake');
    for (const fee of FEES) {
      const types = parseAbiParameters('address, address, uint24');
      const salt = keccak256(encodeAbiParameters(types, [token0, token1, fee]));
      const from = (pancake ? PANCAKE_V3_DEPLOYER : factory) as Hex;
      const bytecodeHash = pancake ? PANCAKE_V3_CODE : UNISWAP_V3_CODE;
      pools.add(getCreate2Address({ from, salt, bytecodeHash }).toLowerCase());
    }
  }
  if (deployment.v4 === null) return pools;
  for (const coin of [NO_HOOKS, deployment.wrapped]) {
    const [currency0, currency1] = [coin, stable].sort() as [Hex, Hex];
    for (const [fee, spacing] of V4_KEYS) {
      const types = parseAbiParameters('address, address, uint24, int24, address');
      const key = [currency0, currency1, fee, spacing, NO_HOOKS] as const;
      pools.add(keccak256(encodeAbiParameters(types, key)));
    }
  }
  return pools;
}

for (const [slug, deployment] of Object.entries(EVM_DEPLOYMENTS)) {
  test(`${slug} has the chain id of its slug and lower-case addresses`, () => {
    assert.equal(deployment.chain, slug);
    assert.equal(deployment.chainId, BUILT_IN_CHAINS[deployment.chain as BuiltInSlug].chainId);
    const hex = JSON.stringify(deployment).match(/0x[0-9a-fA-F]+/g) ?? [];
    assert.ok(hex.length > 10);
    for (const value of hex) assert.match(value, /^0x[0-9a-f]{40}(?:[0-9a-f]{24})?$/);
  });

  test(`${slug} names each factory and each venue once`, () => {
    for (const forks of [deployment.v2, deployment.v3]) {
      assert.equal(new Set(forks.map((fork) => fork.factory)).size, forks.length);
      assert.equal(new Set(forks.map((fork) => fork.venue)).size, forks.length);
      assert.equal(forks.filter((fork) => fork.universalRouter).length, 1);
    }
  });

  test(`${slug}'s anchors are pools of its wrapped coin and a stable asset`, () => {
    const pools = new Set(
      deployment.stables.flatMap((stable) => [...derivePools(deployment, stable)]),
    );
    assert.ok(deployment.anchorPools.length >= 2);
    for (const pool of deployment.anchorPools) assert.ok(pools.has(pool), pool);
  });
}
