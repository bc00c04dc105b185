// The bundled token lists are valid and vouch for the tokens that people know.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

const NODE_URL = 'http://127.0.0.1:1';
const EVM_CHAINS = ['ethereum', 'base', 'arbitrum', 'optimism', 'polygon', 'bsc'] as const;

test('tokens of followed chains are vouched for by the bundled lists', async () => {
  const directory = await open({ RPC_BASE: NODE_URL });
  assert.deepEqual([...directory.keys()], ['base']);
  const tokens = [...(directory.get('base') ?? [])];
  assert.ok(tokens.length > 100, `${tokens.length} tokens`);
  const [, aave] = tokens.find(([, { symbol }]) => symbol === 'AAVE') ?? [];
  assert.deepEqual(aave?.lists, ['Superchain Token List']);
  const [, coinbase] = tokens.find(([, { symbol }]) => symbol === 'cbBTC') ?? [];
  assert.deepEqual(coinbase?.lists, ['Mintwire token list']);
});

test('each built-in chain has its coin, a dollar and more that is vouched for', async () => {
  const env = EVM_CHAINS.map((chain) => [`RPC_${chain.toUpperCase()}`, NODE_URL] as const);
  const directory = await open({ ...Object.fromEntries(env), RPC_SOLANA: NODE_URL });
  for (const chain of [...EVM_CHAINS, 'solana'] as const) {
    const symbols = Array.from(directory.get(chain)?.values() ?? [], ({ symbol }) => symbol);
    assert.ok(symbols.length > 30, `${chain} has ${symbols.length} tokens`);
    assert.ok(
      symbols.some((symbol) => ['WETH', 'WBNB', 'WPOL', 'SOL'].includes(symbol ?? '')),
      chain,
    );
    assert.ok(symbols.includes('USDC'), chain);
  }
});

test("Uniswap's list names tokens of Solana by an id of its own", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mintwire-lists-'));
  try {
    const path = join(folder, 'uniswap.json');
    const list = createRequire(import.meta.url)('@uniswap/default-token-list') as object;
    await writeFile(path, JSON.stringify(list));
    const env = { RPC_SOLANA: NODE_URL, TOKEN_LISTS: path, BUNDLED_TOKEN_LIST: 'off' };
    assert.ok(((await open(env)).get('solana')?.size ?? 0) > 100);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('of tokens that share a symbol on one chain, none is vouched for', async () => {
  const directory = await open({
    RPC_BASE: NODE_URL,
    RPC_ETHEREUM: NODE_URL,
    RPC_OPTIMISM: NODE_URL,
  });
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
