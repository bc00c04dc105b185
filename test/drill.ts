// `npm run drill -- --kills 100 --reorgs 100`: the suite's worst hours, at length, with a count.

import { parseArgs } from 'node:util';
import {
  assertVerified,
  createIndexingScene,
  type Engine,
  stopService,
  trade,
  untilAtHead,
} from './indexing-scene.ts';
import { startService } from './start-service.ts';

/** Undoes in reverse what a drill set up. */
function createCleanup() {
  const works: (() => unknown)[] = [];
  return {
    after: (work: () => unknown) => void works.push(work),
    run: async () => {
      for (const work of works.reverse()) await work();
    },
  };
}

/** Kills the service at a random moment, over and over, while the chain moves. */
async function drillKills(engine: Engine, count: number): Promise<string> {
  const cleanup = createCleanup();
  try {
    const { chain, env } = await createIndexingScene(cleanup, { engine });
    for (let i = 1; i <= count; i += 1) {
      const service = await startService(cleanup, { env });
      const moving = trade(chain, 1);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500));
      process.kill(-(service.child.pid ?? 0), 'SIGKILL');
      await Promise.all([service.exited, moving]);
      process.stdout.write(`\r${engine}: killed ${i} of ${count} `);
    }
    const service = await startService(cleanup, { env });
    await untilAtHead(service, chain);
    await stopService(service);
    return await assertVerified(env);
  } finally {
    await cleanup.run();
  }
}

/** Reorganises 1 to 50 blocks, over and over, under a service that follows. */
async function drillReorgs(engine: Engine, count: number): Promise<string> {
  const cleanup = createCleanup();
  try {
    const { chain, env } = await createIndexingScene(cleanup, { engine });
    const service = await startService(cleanup, { env });
    await chain.mine(50);
    for (let i = 1; i <= count; i += 1) {
      await trade(chain, 1);
      if (i % 5 === 0) await untilAtHead(service, chain);
      await chain.reorg(1 + Math.floor(Math.random() * 50));
      process.stdout.write(`\r${engine}: reorganised ${i} of ${count} `);
    }
    await trade(chain, 1);
    await untilAtHead(service, chain);
    await stopService(service);
    return await assertVerified(env);
  } finally {
    await cleanup.run();
  }
}

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    reorgs: { type: 'string', default: '10' },
    engine: { type: 'string', default: 'sqlite' },
  },
});
const engine: Engine = values.engine === 'postgres' ? 'postgres' : 'sqlite';
const kills = Number(values.kills);
const reorgs = Number(values.reorgs);
if (!Number.isInteger(kills) || !Number.isInteger(reorgs) || engine !== values.engine) {
  console.error('usage: npm run drill -- --kills <n> --reorgs <n> --engine sqlite|postgres');
  process.exit(2);
}
if (kills > 0) console.log(`\n${await drillKills(engine, kills)}`);
if (reorgs > 0) console.log(`\n${await drillReorgs(engine, reorgs)}`);
console.log(`drill on ${engine}: ${kills} kills and ${reorgs} reorganisations, no differences`);
process.exit(0);
