// Part `serve`: answers through the whole stack against bare node:http with the same bytes.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  median,
  spread,
  startBare,
  startOurs,
  type Turn,
  takeTurns,
  toCpuNote,
  toRatios,
} from './measure.ts';
import type { Row } from './row.ts';

const PATH = '/v1/entitlements';
const CONNECTIONS = 32;

async function copyAnswer(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`);
  const omitted = new Set(['connection', 'date', 'keep-alive']);
  const headers = [...response.headers].filter(([name]) => !omitted.has(name));
  return { body: await response.text(), headers: Object.fromEntries(headers) };
}

export async function benchServe(options: { readonly quick: boolean }): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mintwire-bench-'));
  const ours = await startOurs({ env: { DATA_DIR: folder } });
  const peer = await startBare(await copyAnswer(ours.port));
  try {
    const load = { path: PATH, connections: CONNECTIONS };
    const turns = { turns: options.quick ? 15 : 60, turnMs: 250, warmMs: 3000 };
    const compared = await takeTurns({ ours, peer }, load, turns);
    const ratios = toRatios(compared);
    const toSpeed = (list: readonly Turn[]) => Math.round(median(list.map((t) => t.perSecond)));
    return [
      {
        goal: 'entitlements',
        ours: `${toSpeed(compared.ours)} req/s`,
        peer: `${toSpeed(compared.peer)} req/s (node:http)`,
        ratio: median(ratios),
        spread: spread(ratios),
        note: toCpuNote(compared),
      },
    ];
  } finally {
    await Promise.all([ours.stop(), peer.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
