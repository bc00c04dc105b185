// The bundled token list is valid and vouches for the tokens that people know.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { loadConfig } from '../config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { openTokenLists } from './open-token-lists.ts';

async function open(env: Readonly<Record<string, string>>) {
  const config = loadConfig(env);
  const warnings: unknown[] = [];
  const logger = { warn: (...line: unknown[]) => warnings.push(line), info: () => undefined };
  const lists = await openTokenLists({
    ...{ config, metrics: new Metrics() },
    logger: logger as unknown as Logger,
  });
  assert.deepEqual(warnings, []);
  return lists.directory;
}

test('tokens of followed chains are vouched for by the bundled list', async () => {
  const directory = await open({ RPC_BASE: 'http://127.0.0.1:1', RPC_BSC: 'http://127.0.0.1:1' });
  assert.deepEqual([...directory.keys()], ['base']);
  const tokens = [...(directory.get('base') ?? [])];
  assert.ok(tokens.length > 100, `${tokens.length} tokens`);
  const [, aave] = tokens.find(([, { symbol }]) => symbol === 'AAVE') ?? [];
  assert.deepEqual(aave?.lists, ['Superchain Token List']);
});

test('of tokens that share a symbol on one chain, none is vouched for', async () => {
  const url = 'http://127.0.0.1:1';
  const directory = await open({ RPC_BASE: url, RPC_ETHEREUM: url, RPC_OPTIMISM: url });
  const { default: all } = createRequire(import.meta.url)('@eth-optimism/tokenlist') as {
    readonly default: { readonly tokens: readonly { chainId: number; symbol: string }[] };
  };
  const arcs = all.tokens.filter(({ chainId, symbol }) => chainId === 8453 && symbol === 'ARC');
  assert.equal(arcs.length, 2, 'another example is needed');
  for (const [chain, entries] of directory) {
    const symbols = Array.from(entries.values(), ({ symbol }) => symbol?.toLowerCase());
    assert.equal(new Set(symbols).size, symbols.length, chain);
    if (chain === 'base') assert.ok(!symbols.includes('arc'));
    // The list names it twice with the same address, which is no doubt about it.
    if (chain === 'ethereum') assert.ok(symbols.includes('usdc'));
  }
  assert.equal(directory.size, 3);
});

test('without followed chains, or if it is off, there is no list', async () => {
  assert.equal((await open({})).size, 0);
  assert.equal((await open({ RPC_BASE: 'http://127.0.0.1:1', BUNDLED_TOKEN_LIST: 'off' })).size, 0);
});
