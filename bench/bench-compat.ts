// Part `compat`: routes in the shape of other APIs against the operations beneath, by CPU per
// request, on the embedded chains.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '../src/lib/retry.ts';
import { measureCpu } from './bench-mcp.ts';
import { median, type StartedServer, spread, startOurs } from './measure.ts';
import type { Row } from './row.ts';

const WSOL = 'So11111111111111111111111111111111111111112';
const SOLANA = 'devnet-solana';
const DEVNET = 'devnet';

interface Request {
  readonly path: string;
  readonly body?: string;
}

interface Twin {
  readonly name: string;
  readonly theirs: Request;
  readonly ours: Request;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Json = any;

async function read({ port }: StartedServer, { path, body }: Request): Promise<Json> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', headers, body };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

const POOL_PARTS = 'include=windows,reserves,tokens';

/** Each beside the operation that it asks most of. */
async function listJupiterTwins(server: StartedServer): Promise<Twin[]> {
  const { tokens } = await read(server, {
    path: `/v1/tokens?chain=${SOLANA}&sort=liquidity&limit=30`,
  });
  const [{ mint }] = tokens;
  const mints: string[] = tokens.map((one: Json) => one.mint);
  const amount = '100000000';
  return [
    {
      name: 'jup quote',
      theirs: {
        path: `/compat/jup/swap/v1/quote?inputMint=${WSOL}&outputMint=${mint}&amount=${amount}`,
      },
      ours: {
        path: '/v1/trade/quote',
        body: JSON.stringify({ chain: SOLANA, mint, side: 'buy', amountInRaw: amount }),
      },
    },
    {
      name: `jup price v2 of ${mints.length}`,
      theirs: { path: `/compat/jup/price/v2?ids=${mints.join()}` },
      ours: {
        path: '/v1/prices',
        body: JSON.stringify({ tokens: mints.map((one) => ({ chain: SOLANA, mint: one })) }),
      },
    },
    {
      name: 'jup price v3 of 1',
      theirs: { path: `/compat/jup/price/v3?ids=${mint}` },
      ours: { path: `/v1/token?chain=${SOLANA}&mint=${mint}` },
    },
    {
      name: 'jup toptraded',
      theirs: { path: '/compat/jup/tokens/v2/toptraded/24h?limit=20' },
      ours: { path: `/v1/tokens?chain=${SOLANA}&sort=volume&window=24h&limit=20` },
    },
  ];
}

/** What programs ask most of these two (DexScreener's and GeckoTerminal's clients). */
async function listPoolTwins(server: StartedServer): Promise<Twin[]> {
  const { pools } = await read(server, { path: `/v1/pools?chain=${DEVNET}&sort=trades&limit=1` });
  const [{ address, base }] = pools;
  const { mint, symbol } = base;
  const of = `chain=${DEVNET}&mint=${mint}`;
  const ofPool = `${of}&pool=${address}`;
  const gt = '/compat/gt/api/v2';
  const net = `/networks/${DEVNET}`;
  const tokenPools = { path: `/v1/pools?${of}&sort=liquidity&limit=30&${POOL_PARTS}` };
  const prices = {
    path: '/v1/prices',
    body: JSON.stringify({ tokens: [{ chain: DEVNET, mint }] }),
  };
  return (
    [
      ['ds tokens', `/compat/ds/latest/dex/tokens/${mint}`, tokenPools],
      ['ds token-pairs', `/compat/ds/token-pairs/v1/${DEVNET}/${mint}`, tokenPools],
      [
        'ds pairs',
        `/compat/ds/latest/dex/pairs/${DEVNET}/${address}`,
        `/v1/pool?chain=${DEVNET}&pool=${address}`,
      ],
      [
        'ds search',
        `/compat/ds/latest/dex/search?q=${symbol}`,
        `/v1/tokens/search?q=${symbol}&limit=5`,
      ],
      ['gt pool', `${gt}${net}/pools/${address}`, `/v1/pool?chain=${DEVNET}&pool=${address}`],
      [
        'gt ohlcv',
        `${gt}${net}/pools/${address}/ohlcv/minute?limit=100`,
        `/v1/token/klines?${ofPool}&interval=1m&limit=100`,
      ],
      ['gt trades', `${gt}${net}/pools/${address}/trades`, `/v1/token/trades?${ofPool}&limit=300`],
      ['gt price', `${gt}/simple${net}/token_price/${mint}`, prices],
      [
        'gt trending',
        `${gt}${net}/trending_pools`,
        `/v1/pools?chain=${DEVNET}&sort=trending&window=24h&limit=20&${POOL_PARTS}`,
      ],
    ] as const
  ).map(([name, path, ours]) => ({
    ...{ name, theirs: { path } },
    ours: typeof ours === 'string' ? { path: ours } : ours,
  }));
}

async function measureTwin(
  server: StartedServer,
  { name, theirs, ours }: Twin,
  { quick }: { readonly quick: boolean },
) {
  const durationMs = quick ? 300 : 1000;
  for (const request of [theirs, ours]) {
    // What is refused is named here, with the reason.
    await read(server, request);
    await measureCpu(server, request, durationMs);
  }
  const pairs: { theirs: number; ours: number }[] = [];
  // Interleaved, so that other load affects both alike.
  for (let count = 0; count < (quick ? 5 : 9); count += 1) {
    const mapped = await measureCpu(server, theirs, durationMs);
    pairs.push({ theirs: mapped, ours: await measureCpu(server, ours, durationMs) });
  }
  const ratios = pairs.map((pair) => pair.ours / pair.theirs);
  return {
    name,
    theirs: median(pairs.map((pair) => pair.theirs)),
    ours: median(pairs.map((pair) => pair.ours)),
    ratio: median(ratios),
    spread: spread(ratios),
  };
}

export async function benchCompat(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const server = await startOurs({
    env: {
      ...{ DATA_DIR: folder, LOG_LEVEL: 'error', OVERLOAD_LAG_MS: '60000' },
      ...{ DEVNET: 'auto', DEVNET_SOLANA: 'on', DEVNET_TRADERS: 'off', DEVNET_HISTORY_HOURS: '1' },
    },
  });
  try {
    const isReady = () => fetch(`http://127.0.0.1:${server.port}/v1/ready`).then(({ ok }) => ok);
    while (!(await isReady())) await sleep(500);
    const measured = [];
    const twins = [...(await listJupiterTwins(server)), ...(await listPoolTwins(server))];
    // Pools are known a moment after the chain is ready.
    for (const { ours } of twins) {
      while (
        !(await read(server, ours).then(
          () => true,
          () => false,
        ))
      )
        await sleep(500);
    }
    for (const twin of twins) {
      measured.push(await measureTwin(server, twin, options));
    }
    const [worst] = measured.toSorted((a, b) => a.ratio - b.ratio);
    if (worst === undefined) return [];
    const each = measured.map((one) => `${one.name} ${one.ratio.toFixed(2)}`);
    return [
      {
        goal: 'compatRoute',
        ours: `${worst.theirs.toFixed(0)} µs of CPU (${worst.name})`,
        peer: `${worst.ours.toFixed(0)} µs (our own route)`,
        ratio: worst.ratio,
        spread: worst.spread,
        note: `of our own route's speed: ${each.join(', ')}`,
      },
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
