// Loads the service in parts. Loading a module blocks the thread, so the port, which is open
// already, gets its turn after each part.

import { setImmediate } from 'node:timers/promises';

/** From the bottom up: each part loads what those before it have not. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('typebox'),
  () => import('typebox/compile'),
  () => import('../telemetry/metrics.ts'),
  () => import('../contract/operations.ts'),
  () => import('../http/create-http-server.ts'),
  () => import('../amm/pool-kinds.ts'),
  () => import('../engines/open-store.ts'),
  () => import('../chains/rpc/rpc-client.ts'),
  () => import('../engines/chain-families.ts'),
  () => import('./start-chains.ts'),
  () => import('../access/create-access.ts'),
  () => import('../market/create-market.ts'),
  () => import('./open-market.ts'),
  () => import('./open-trading.ts'),
];

/** A connection is accepted in one turn, its request read in the next. */
const TURNS = 3;

async function giveTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
}

export async function loadService(): Promise<typeof import('./start-service.ts')> {
  for (const load of PARTS) {
    await giveTurns();
    await load();
  }
  await giveTurns();
  return await import('./start-service.ts');
}
