// `npm run fuzz -- --requests 100000 --seed 1`: hostile requests to its own service, or to the one
// at `--url`, which must be on this machine.

import { parseArgs } from 'node:util';
import type { Engine } from '../indexing-scene.ts';
import { startPostgres } from '../postgres.ts';
import { type FuzzService, startFuzzService } from './fuzz-service.ts';
import { type FuzzReport, runFuzz } from './run-fuzz.ts';

const USAGE =
  'usage: npm run fuzz -- --requests <n> --seed <n> --minutes <n> --engine sqlite|postgres | --url http://127.0.0.1:<port>';

function parseOptions() {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '10000' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      minutes: { type: 'string', default: '60' },
      engine: { type: 'string', default: 'sqlite' },
      url: { type: 'string' },
    },
  });
  const [requests, seed, minutes] = [values.requests, values.seed, values.minutes].map(Number) as [
    number,
    number,
    number,
  ];
  const engine: Engine = values.engine === 'postgres' ? 'postgres' : 'sqlite';
  const isRight = [requests, seed].every((one) => Number.isSafeInteger(one) && one >= 0);
  if (!isRight || !(minutes > 0) || requests === 0 || engine !== values.engine) {
    throw new Error(USAGE);
  }
  return { requests, seed, timeMaxMs: minutes * 60_000, engine, url: values.url ?? null };
}

function formatReport(report: FuzzReport): string[] {
  const rows = [...report.counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const table = rows.map(([operation, counts]) => {
    const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return `  ${operation.padEnd(18)} ${sorted.map(([status, count]) => `${status}: ${count}`).join('  ')}`;
  });
  const credentials = [...report.credentials].map(([kind, count]) => `${kind} ${count}`);
  const findings = report.findings.flatMap(({ operation, fault, count, curl, answer }) => [
    `FINDING ${operation}: ${fault} (${count} times)`,
    `  ${curl}`,
    ...(answer === '' ? [] : [`  ${answer}`]),
  ]);
  return [
    `seed ${report.seed}, ${report.sent} requests`,
    ...table,
    `credentials: ${credentials.join(', ')}`,
    ...findings,
  ];
}

const works: (() => unknown)[] = [];
const cleanup = { after: (work: () => unknown) => void works.unshift(work) };
let isClean = false;
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    isStopped = true;
  });
}
try {
  const { url, engine, ...options } = parseOptions();
  if (url === null && engine === 'postgres') {
    const postgres = await startPostgres();
    cleanup.after(() => postgres.stop());
    process.env['MINTWIRE_TEST_POSTGRES_URL'] = postgres.url;
  }
  const own: FuzzService | null = url === null ? await startFuzzService(cleanup, { engine }) : null;
  const origin = url ?? own?.origin ?? '';
  console.log(`${options.requests} requests to ${origin}, seed ${options.seed}`);
  const started = Date.now();
  const report = await runFuzz({
    ...options,
    origin,
    isStopped: () => isStopped,
    onProgress: (sent) => {
      if (sent % 10_000 === 0) console.log(`${sent} sent`);
    },
  });
  for (const line of formatReport(report)) console.log(line);
  const errors = own?.listErrors() ?? [];
  for (const line of errors.slice(0, 10)) console.log(`LOGGED ${line.slice(0, 500)}`);
  const isAlive = own === null || own.child.exitCode === null;
  if (!isAlive) console.log(`THE SERVICE ENDED\n${own?.output().slice(-2000)}`);
  isClean = report.findings.length === 0 && isAlive;
  const seconds = Math.round((Date.now() - started) / 1000);
  console.log(`${report.sent} requests in ${seconds} s: ${isClean ? 'no findings' : 'FINDINGS'}`);
} catch (error) {
  console.error(error);
} finally {
  for (const work of works) await work();
}
process.exit(isClean ? 0 : 1);
