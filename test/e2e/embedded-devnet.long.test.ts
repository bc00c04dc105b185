// The service without configuration: its own chain, and the death of that chain's processes.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  createTempFolder,
  type RunningService,
  spawnService,
  startServiceProcess,
} from '../start-service-process.ts';

interface ChainAnswer {
  readonly slug: string;
  readonly head: number | null;
  readonly rpcUrl?: string;
}

async function readChains(service: RunningService): Promise<ChainAnswer[]> {
  const answer = await (await fetch(`${service.origin}/v1/chains`)).json();
  return (answer as { chains: ChainAnswer[] }).chains;
}

async function untilReadyIs(service: RunningService, wanted: number): Promise<void> {
  while ((await fetch(`${service.origin}/v1/ready`)).status !== wanted) {
    assert.equal(service.child.exitCode, null, service.output());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Processes whose command line contains every word, from /proc. */
function findProcesses(words: readonly string[]): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return words.every((word) => line.includes(word));
      } catch {
        return false;
      }
    })
    .map(Number);
}

interface ListedPool {
  readonly tradable: boolean;
  readonly liquidityUsd: string | null;
  readonly base: { readonly mint: string };
  readonly quote: { readonly mint: string };
}

interface QuotedTrade {
  readonly route?: readonly { readonly hops: readonly { readonly venue: string }[] }[];
}

const OTHER_VENUES = ['solidly-v2', 'pancakeswap-v3', 'balancer-v2', 'curve'];
/** So much that no other pool comes near, whatever the traders did. */
const LARGE_SALE_RAW = '200000000000';

/** The pools of other exchanges than Uniswap are listed as tradable, and a route uses Curve's. */
async function assertVenues(service: RunningService): Promise<void> {
  const readPools = async (venue: string): Promise<ListedPool[]> => {
    const query = `chain=devnet&venue=${venue}`;
    const answer = await (await fetch(`${service.origin}/v1/pools?${query}`)).json();
    return (answer as { pools: ListedPool[] }).pools;
  };
  for (const venue of OTHER_VENUES) {
    // What no log tells of a pool is read from its contract a little later.
    for (;;) {
      const pools = await readPools(venue);
      if (pools.some((one) => one.tradable && Number(one.liquidityUsd) > 0)) break;
      assert.equal(service.child.exitCode, null, service.output());
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const [{ base, quote } = assert.fail('no pool of Curve')] = await readPools('curve');
  const trade = { chain: 'devnet', mint: base.mint, quoteMint: quote.mint, side: 'sell' };
  const response = await fetch(`${service.origin}/v1/trade/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...trade, amountInRaw: LARGE_SALE_RAW, slippageBps: 50 }),
  });
  const quoted = (await response.json()) as QuotedTrade;
  const hops = quoted.route?.flatMap((leg) => leg.hops) ?? [];
  assert.deepEqual(
    hops.map(({ venue }) => venue),
    ['curve'],
    JSON.stringify(quoted),
  );
}

test('embedded chains start, restart when a node dies, and continue', async (t) => {
  const folder = createTempFolder(t);
  const modes = { DEVNET: 'auto', DEVNET_SOLANA: 'on', DEVNET_HISTORY_HOURS: '1' };
  const env = { ...modes, DATA_DIR: folder };
  const service = await startServiceProcess(t, { env });
  await untilReadyIs(service, 200);
  const chains = await readChains(service);
  assert.deepEqual(
    chains.map(({ slug }) => slug),
    ['devnet', 'devnet-solana'],
  );
  for (const { rpcUrl } of chains) assert.match(rpcUrl ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);

  await assertVenues(service);

  const nodes = findProcesses(['anvil', folder]);
  assert.ok(nodes.length > 0, 'the node runs');
  for (const pid of nodes) process.kill(pid, 'SIGKILL');
  await untilReadyIs(service, 503);
  await untilReadyIs(service, 200);

  const heads = (await readChains(service)).map(({ head }) => head ?? 0);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
  assert.deepEqual(findProcesses(['anvil', folder]), [], 'the node ends with the service');

  const again = await startServiceProcess(t, { env });
  await untilReadyIs(again, 200);
  for (const [index, { head, slug }] of (await readChains(again)).entries()) {
    assert.ok((head ?? -1) >= (heads[index] ?? 0), `${slug} goes on`);
  }
  again.child.kill('SIGTERM');
  assert.equal(await again.exited, 0, again.output());
});

test('a second service on the folder names its owner and exits', async (t) => {
  const folder = createTempFolder(t);
  const env = {
    DEVNET: 'auto',
    DEVNET_HISTORY_HOURS: '0',
    DEVNET_TRADERS: 'off',
    DATA_DIR: folder,
  };
  const first = await startServiceProcess(t, { env });
  await untilReadyIs(first, 200);
  const second = spawnService(t, { env });
  assert.equal(await second.exited, 1, second.output());
  const { pid } = first.child;
  assert.match(second.output(), new RegExp(`Another service \\(process ${pid}\\) uses ${folder}`));
  assert.equal((await fetch(`${first.origin}/v1/ready`)).status, 200);
  first.child.kill('SIGTERM');
  assert.equal(await first.exited, 0, first.output());
});

test('a machine without a node still serves and says why it is not ready', async (t) => {
  const env = { DEVNET: 'auto', ANVIL_PATH: '/nowhere/anvil' };
  const service = await startServiceProcess(t, { env });
  const readWhy = async () => (await fetch(`${service.origin}/v1/ready`)).json();
  for (;;) {
    const answer = (await readWhy()) as { detail: string };
    if (answer.detail.includes('ANVIL_PATH=/nowhere/anvil is not an executable file')) break;
    assert.equal(service.child.exitCode, null, service.output());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.equal((await fetch(`${service.origin}/v1/health`)).status, 200);
  service.child.kill('SIGTERM');
  assert.equal(await service.exited, 0, service.output());
  const errors = service.output().match(/"level":"error".*|"level":50.*/g) ?? [];
  assert.equal(errors.length, 1, service.output());
});
