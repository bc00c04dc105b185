// `npm run drill -- --kills 100 --reorgs 100`, `-- --trades 500`, `-- --faults` or
// `-- --devnet-blocks 12000`: the suite's hardest scenarios, repeated, with a count.

import { readCommand, refuseCommand } from '../src/cli/read-command.ts';
import { runDevnetKills } from './devnet-kills.ts';
import { drillDevnetBlocks } from './drill/devnet-blocks.ts';
import { drillFaults } from './drill/faults.ts';
import { createRandom } from './fakes/create-random.ts';
import { assertVerified, stopService, untilAtHead } from './indexed-service.ts';
import { createIndexingScene, type Engine, trade } from './indexing-scene.ts';
import { runRandomTrades } from './random-trades.ts';
import { startServiceProcess } from './start-service-process.ts';
import { startTradeService } from './trade-service.ts';

/** Undoes what a drill set up, in reverse order. */
function createCleanup() {
  const works: (() => unknown)[] = [];
  return {
    after: (work: () => unknown) => void works.push(work),
    run: async () => {
      for (const work of works.reverse()) await work();
    },
  };
}

/** Kills the service, its devnet, its node or all of them, repeatedly, while traders trade. */
async function drillKills(
  engine: Engine,
  wanted: { count: number; seed: number },
): Promise<string> {
  const cleanup = createCleanup();
  const counts = new Map<string, number>();
  try {
    const verified = await runDevnetKills(cleanup, {
      engine,
      count: wanted.count,
      random: createRandom(wanted.seed),
      onKill: (killed, victim) => {
        counts.set(victim, (counts.get(victim) ?? 0) + 1);
        process.stdout.write(`\r${engine}: killed ${killed} of ${wanted.count} (${victim}) `);
      },
      onVerified: (killed) => console.log(`\nno differences after ${killed} kills`),
    });
    const killed = [...counts].map(([victim, count]) => `${victim} ${count}`).join(', ');
    return `killed: ${killed}\n${verified}`;
  } finally {
    await cleanup.run();
  }
}

/** Reorganises 1 to 50 blocks, repeatedly, under a service that follows. */
async function drillReorgs(engine: Engine, count: number): Promise<string> {
  const cleanup = createCleanup();
  try {
    const { chain, env } = await createIndexingScene(cleanup, { engine });
    const service = await startServiceProcess(cleanup, { env });
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

/** Random trades through the service, each executed and compared with its quote. */
async function drillTrades(
  engine: Engine,
  wanted: { count: number; seed: number },
): Promise<string> {
  const cleanup = createCleanup();
  try {
    const service = await startTradeService(cleanup, { engine });
    const tally = await runRandomTrades(service, {
      count: wanted.count,
      random: createRandom(wanted.seed),
      onBlock: ({ executed }) =>
        void process.stdout.write(`\r${engine}: traded ${executed} of ${wanted.count} `),
    });
    const formatCounts = (counts: ReadonlyMap<string, number>) =>
      [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
    const { executed, exact, divided, blocks } = tally;
    return [
      `${executed} trades in ${blocks} blocks: ${exact} promised exact and were, ${divided} divided`,
      `seen: ${formatCounts(tally.seen)}`,
      `refused: ${formatCounts(tally.refused) || 'none'}`,
    ].join('\n');
  } finally {
    await cleanup.run();
  }
}

const FORM = {
  name: 'npm run drill',
  help: `usage: npm run drill -- --kills <n> --reorgs <n> --trades <n> --seed <n> --engine sqlite|postgres | --faults | --devnet-blocks <n>

Kills the service and reorganises its chain (10 times each by default), or makes random trades (none
by default), then verifies the index. The seed decides which trades. --faults breaks disks, files and
nodes instead. --devnet-blocks mines so many blocks on the devnet, prints what its node needs for each
thousand, and verifies a fresh index.
`,
  flags: {
    kills: { type: 'string' },
    reorgs: { type: 'string' },
    trades: { type: 'string' },
    seed: { type: 'string' },
    engine: { type: 'string' },
    faults: { type: 'boolean' },
    'devnet-blocks': { type: 'string' },
  },
} as const;

const command = readCommand(process.argv.slice(2), FORM);
if (command === null) process.exit();
const { values } = command;
if (values.faults) {
  const cleanup = createCleanup();
  try {
    await drillFaults(cleanup, (name, result) => console.log(`${name}: ${result}`));
  } finally {
    await cleanup.run();
  }
  console.log('drill of faults: no differences');
  process.exit(0);
}
if (values['devnet-blocks'] !== undefined) {
  const blocks = Number(values['devnet-blocks']);
  if (!Number.isInteger(blocks) || blocks < 1) {
    refuseCommand(FORM, '--devnet-blocks must be a whole number above 0');
    process.exit();
  }
  const cleanup = createCleanup();
  try {
    await drillDevnetBlocks(cleanup, { blocks, log: (line) => console.log(line) });
  } finally {
    await cleanup.run();
  }
  console.log(`drill of ${blocks} blocks on the devnet: no differences`);
  process.exit(0);
}
const engine: Engine = values.engine === 'postgres' ? 'postgres' : 'sqlite';
const trades = Number(values.trades ?? 0);
const seed = Number(values.seed ?? 1);
// `--trades` alone skips the rest.
const kills = Number(values.kills ?? (trades > 0 ? 0 : 10));
const reorgs = Number(values.reorgs ?? (trades > 0 ? 0 : 10));
if (![kills, reorgs, trades, seed].every((count) => Number.isInteger(count) && count >= 0)) {
  refuseCommand(FORM, 'counts and the seed must be whole numbers');
  process.exit();
}
if (engine !== (values.engine ?? engine)) {
  refuseCommand(FORM, `no engine "${values.engine}"; known: sqlite, postgres`);
  process.exit();
}
if (kills > 0) console.log(`\n${await drillKills(engine, { count: kills, seed })}`);
if (reorgs > 0) console.log(`\n${await drillReorgs(engine, reorgs)}`);
if (trades > 0) console.log(`\n${await drillTrades(engine, { count: trades, seed })}`);
const done = `${kills} kills, ${reorgs} reorganisations and ${trades} trades`;
console.log(`drill on ${engine}: ${done}, no differences`);
process.exit(0);
