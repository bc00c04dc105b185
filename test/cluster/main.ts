// `npm run cluster`: several nodes behind a proxy, as compose.yaml has them, on this machine.

import { readCommand } from '../../src/cli/read-command.ts';
import { type Cluster, startCluster } from './start-cluster.ts';

const HELP = `usage: npm run cluster [-- --port <port>]

Starts PostgreSQL with a hot standby (where its programs are installed), an indexer and another that
stands by, two API nodes, and a proxy on port 8080. Settings of the nodes come from the environment;
without an RPC_… a devnet is started. Data is temporary. Ctrl-C stops everything.
`;

function render({ origin, nodes, databaseUrl, standbyUrl }: Cluster): string {
  return [
    '',
    `The cluster serves on ${origin}`,
    '',
    ...nodes.map(({ name, child, origin: own, metricsUrl }) =>
      ['', name.padEnd(12), `pid ${child.pid}`.padEnd(14), own, metricsUrl].join(' '),
    ),
    ` PostgreSQL   ${databaseUrl}`,
    ` its standby  ${standbyUrl ?? 'none'}`,
    '',
    'Kill nodes and watch: another one indexes, the proxy asks the one that is left.',
    'Ctrl-C stops everything.',
  ].join('\n');
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}

async function main(port: number): Promise<void> {
  const undo: (() => unknown)[] = [];
  const stopped = untilStopped();
  try {
    const starting = startCluster(
      { after: (work) => void undo.push(work) },
      { port, env: process.env, log: (line) => console.log(line), isPlain: true },
    );
    const started = starting.then((cluster) => console.log(render(cluster)));
    await Promise.race([started.then(() => stopped), stopped]);
    console.log('stopping');
  } finally {
    for (const work of undo.toReversed()) await work();
  }
}

const command = readCommand(process.argv.slice(2), {
  name: 'npm run cluster',
  help: HELP,
  flags: { port: { type: 'string' } },
});
if (command !== null) await main(Number(command.values.port ?? 8080));
