// `npm run drill -- --kills 100 --reorgs 100`, `-- --trades 500 --exact-out`,
// all three with `--chain devnet-solana`, `-- --faults`,
// `-- --backfill 20`, `-- --scope`, `-- --devnet-blocks 12000`, `-- --nodes`,
// `-- --nodes --minutes 5`, `-- --upgrades 10`, `-- --failover 5`,
// `-- --webhooks`,
// `-- --routers 100 --router algebra` or `-- --charts bundle.js`: the suite's hardest scenarios,
// repeated, with a count.

import { readCommand, refuseCommand } from '../src/cli/read-command.ts';
import { runDevnetKills } from './devnet-kills.ts';
import { drillBackfill } from './drill/backfill-kills.ts';
import { drillCharts } from './drill/charts.ts';
import { drillDevnetBlocks } from './drill/devnet-blocks.ts';
import { drillFailover } from './drill/failover.ts';
import { drillFaults } from './drill/faults.ts';
import { drillNodePair } from './drill/node-pair.ts';
import { drillNodes } from './drill/nodes.ts';
import { drillRouters } from './drill/routers.ts';
import { drillScope } from './drill/scope-savings.ts';
import { drillSolanaForks, drillSolanaKills } from './drill/solana-kills.ts';
import { drillUpgrades } from './drill/upgrades.ts';
import { createRandom } from './fakes/create-random.ts';
import { assertVerified, stopService, untilAtHead } from './indexed-service.ts';
import { createIndexingScene, type Engine, trade } from './indexing-scene.ts';
import { runRandomTrades } from './random-trades.ts';
import { runSolanaTrades } from './solana-random-trades.ts';
import { SLUG, startSolanaTradeService } from './solana-trade-service.ts';
import { type Cleanup, startServiceProcess } from './start-service-process.ts';
import { startTradeService } from './trade-service.ts';
import { runWebhookWeek } from './webhooks/webhook-week.ts';

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
async function drillReorgs(
  engine: Engine,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<string> {
  const cleanup = createCleanup();
  const random = createRandom(seed);
  try {
    const { chain, env } = await createIndexingScene(cleanup, { engine });
    const service = await startServiceProcess(cleanup, { env });
    await chain.mine(50);
    for (let i = 1; i <= count; i += 1) {
      await trade(chain, 1);
      if (i % 5 === 0) await untilAtHead(service, chain);
      await chain.reorg(1 + Math.floor(random() * 50));
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

/** Of random trades: those that are paid by a signed permit, unless they spend the native coin. */
const PERMIT_SHARE = 0.4;

/** Random trades through the service, each executed and compared with its quote. */
async function drillTrades(
  engine: Engine,
  wanted: { count: number; seed: number; isExactOut: boolean },
): Promise<string> {
  const cleanup = createCleanup();
  try {
    const service = await startTradeService(cleanup, { engine });
    const tally = await runRandomTrades(service, {
      count: wanted.count,
      exactOutShare: wanted.isExactOut ? 1 : 0,
      permitShare: PERMIT_SHARE,
      random: createRandom(wanted.seed),
      onBlock: ({ executed }) =>
        void process.stdout.write(`\r${engine}: traded ${executed} of ${wanted.count} `),
    });
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

const formatCounts = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([name, count]) => `${name} ${count}`).join(', ');

/** The same on the embedded Solana chain, signed with @solana/kit. */
async function drillSolanaTrades(wanted: { count: number; seed: number }): Promise<string> {
  const cleanup = createCleanup();
  try {
    const service = await startSolanaTradeService(cleanup, { coinCount: 3 });
    const tally = await runSolanaTrades(service, {
      count: wanted.count,
      random: createRandom(wanted.seed),
      onBlock: ({ executed }) =>
        void process.stdout.write(`\r${SLUG}: traded ${executed} of ${wanted.count} `),
    });
    // The last block, too: a state that changed since cannot be compared.
    await service.settle();
    await stopService(service.service);
    return [
      `${tally.executed} trades in ${tally.blocks} blocks: all promised exact and were, ${tally.completed} curves sold out`,
      `seen: ${formatCounts(tally.seen)}`,
      `refused: ${formatCounts(tally.refused) || 'none'}`,
      await assertVerified(service.env, SLUG),
    ].join('\n');
  } finally {
    await cleanup.run();
  }
}

/** Kills and forks on the embedded Solana chain. */
async function drillSolana(
  engine: Engine,
  wanted: { kills: number; reorgs: number; seed: number },
): Promise<void> {
  const counts = new Map<string, number>();
  const random = createRandom(wanted.seed);
  const tell = (text: string) => process.stdout.write(`\r${SLUG}, ${engine}: ${text} `);
  const steps = [
    async (cleanup: Cleanup) => {
      const verified = await drillSolanaKills(cleanup, {
        ...{ engine, random, count: wanted.kills },
        onKill: (killed, victim) => {
          counts.set(victim, (counts.get(victim) ?? 0) + 1);
          tell(`killed ${killed} of ${wanted.kills} (${victim})`);
        },
        onVerified: (killed) => console.log(`\nno differences after ${killed} kills`),
      });
      return `killed: ${formatCounts(counts)}\n${verified}`;
    },
    (cleanup: Cleanup) =>
      drillSolanaForks(cleanup, {
        ...{ engine, random, count: wanted.reorgs },
        onFork: (forked, depth) => tell(`forked ${forked} of ${wanted.reorgs} (${depth} blocks)`),
        onVerified: (forked) => console.log(`\nno differences after ${forked} forks`),
      }),
  ];
  for (const [index, count] of [wanted.kills, wanted.reorgs].entries()) {
    const cleanup = createCleanup();
    try {
      if (count > 0) console.log(`\n${await steps[index]?.(cleanup)}`);
    } finally {
      await cleanup.run();
    }
  }
}

const FORM = {
  name: 'npm run drill',
  help: `usage: npm run drill -- --kills <n> --reorgs <n> --trades <n> [--exact-out] [--chain devnet-solana] --seed <n> --engine sqlite|postgres | --faults | --backfill <kills> | --scope | --devnet-blocks <n> | --nodes [--minutes <n>] | --upgrades <n> | --failover <n> | --routers <n> [--router <name>] | --charts <file> | --webhooks

Kills the service and reorganises its chain (10 times each by default), or makes random trades (none
by default), then verifies the index. The seed decides which trades; with --exact-out their outputs
are given instead of their inputs. With --chain devnet-solana all of it happens on the embedded Solana
chain, whose forks replace 1 to 32 blocks. --faults breaks disks, files and
nodes instead. --backfill fills in 5,000 trades of 100,000 blocks through so many kills, and compares
them with a full index. --scope measures what watching 20 of 3,000 tokens takes, and 50,000 spam
tokens under scope liquid. --devnet-blocks mines so many blocks on the devnet, prints what its node needs for each
thousand, and verifies a fresh index. --nodes kills the process that indexes among three on one
PostgreSQL (20 times, or --kills); with --minutes two such processes run for so long beside a single
one, and what they ask of the chain is compared. --upgrades restarts one of two processes after the other, under
load, each time with the other one of two versions. --failover kills the primary of PostgreSQL so many times, under
load, and promotes a standby that lacks commits. --routers makes so many random trades through each kind of router,
or through the one that --router names.
--charts reads the chart feed with TradingView's own client (charting_library/datafeeds/udf/dist/bundle.js).
--webhooks sends a week of events to receivers that are down, fail and lose answers, through 30 kills of the sending node
(or --kills) and reorganisations, on each store, and compares them with the stream.
`,
  flags: {
    kills: { type: 'string' },
    reorgs: { type: 'string' },
    trades: { type: 'string' },
    'exact-out': { type: 'boolean' },
    chain: { type: 'string' },
    seed: { type: 'string' },
    engine: { type: 'string' },
    faults: { type: 'boolean' },
    backfill: { type: 'string' },
    scope: { type: 'boolean' },
    'devnet-blocks': { type: 'string' },
    nodes: { type: 'boolean' },
    minutes: { type: 'string' },
    upgrades: { type: 'string' },
    failover: { type: 'string' },
    routers: { type: 'string' },
    router: { type: 'string' },
    charts: { type: 'string' },
    webhooks: { type: 'boolean' },
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
if (values.webhooks) {
  const engines = values.engine === undefined ? (['sqlite', 'postgres'] as const) : [values.engine];
  for (const one of engines) {
    const cleanup = createCleanup();
    const seed = Number(values.seed ?? 1);
    const engine = one === 'postgres' ? 'postgres' : 'sqlite';
    try {
      const kills = Number(values.kills ?? 30);
      console.log(await runWebhookWeek(cleanup, { engine, kills, hours: 168, seed }));
    } finally {
      await cleanup.run();
    }
  }
  console.log('drill of webhooks: no differences');
  process.exit(0);
}
if (values.routers !== undefined) {
  const count = Number(values.routers);
  await drillRouters({
    ...{ count, seed: Number(values.seed ?? 1), only: values.router },
    log: (line) => console.log(line),
  });
  console.log('drill of routers: no differences');
  process.exit(0);
}
if (values.charts !== undefined) {
  const cleanup = createCleanup();
  try {
    await drillCharts(cleanup, { bundle: values.charts, log: (line) => console.log(line) });
  } finally {
    await cleanup.run();
  }
  console.log('drill of charts: no differences');
  process.exit(0);
}
if (values.nodes || values.upgrades !== undefined) {
  const cleanup = createCleanup();
  const log = (line: string) => console.log(line);
  try {
    const minutes = Number(values.minutes ?? 0);
    // `--minutes` alone kills nobody.
    const kills = Number(values.kills ?? (minutes > 0 ? 0 : 20));
    if (values.nodes && kills > 0) log(await drillNodes(cleanup, { kills, log }));
    if (values.nodes && minutes > 0) log(await drillNodePair(cleanup, { minutes, log }));
    const restarts = Number(values.upgrades ?? 0);
    if (restarts > 0) log(await drillUpgrades(cleanup, { restarts, log }));
  } finally {
    await cleanup.run();
  }
  console.log('drill of nodes: no differences');
  process.exit(0);
}
if (values.failover !== undefined) {
  const cleanup = createCleanup();
  const log = (line: string) => console.log(line);
  try {
    log(await drillFailover(cleanup, { count: Number(values.failover), log }));
  } finally {
    await cleanup.run();
  }
  console.log('drill of failovers: no differences');
  process.exit(0);
}
if (values.backfill !== undefined || values.scope) {
  const kills = Number(values.backfill ?? 0);
  if (!Number.isInteger(kills) || kills < 0) {
    refuseCommand(FORM, '--backfill must be a whole number of kills');
    process.exit();
  }
  const cleanup = createCleanup();
  const log = (line: string) => console.log(line);
  const random = createRandom(Number(values.seed ?? 1));
  try {
    if (values.backfill !== undefined) log(await drillBackfill(cleanup, { kills, random, log }));
    if (values.scope) log(await drillScope(cleanup, log));
  } finally {
    await cleanup.run();
  }
  console.log('drill of history and scopes: no differences');
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
if (!['devnet', SLUG].includes(values.chain ?? 'devnet')) {
  refuseCommand(FORM, `no chain "${values.chain}"; known: devnet, ${SLUG}`);
  process.exit();
}
const done = `${kills} kills, ${reorgs} reorganisations and ${trades} trades`;
if (values.chain === SLUG) {
  await drillSolana(engine, { kills, reorgs, seed });
  if (trades > 0) console.log(`\n${await drillSolanaTrades({ count: trades, seed })}`);
  console.log(`drill on ${SLUG}, ${engine}: ${done}, no differences`);
  process.exit(0);
}
if (kills > 0) console.log(`\n${await drillKills(engine, { count: kills, seed })}`);
if (reorgs > 0) console.log(`\n${await drillReorgs(engine, { count: reorgs, seed })}`);
const isExactOut = values['exact-out'] ?? false;
if (trades > 0) console.log(`\n${await drillTrades(engine, { count: trades, seed, isExactOut })}`);
console.log(`drill on ${engine}: ${done}, no differences`);
process.exit(0);
