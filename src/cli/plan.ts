// `mintwire plan --chain <chain>`: measures endpoints and prints what scope they can carry.

import type {
  EndpointMeasurement,
  EvmAbilities,
  SolanaAbilities,
} from '../chains/endpoint-measurement.ts';
import { type ArchiveEstimate, LONG_HISTORY_DAYS } from '../chains/estimate-history.ts';
import type { ScopeEstimate } from '../chains/estimate-scopes.ts';
import {
  type ChainPlan,
  type EndpointPlan,
  planFollowedChain,
} from '../compose/plan-followed-chain.ts';
import { loadProcessConfig } from '../config.ts';
import { type ChainSlug, toSettingSuffix } from '../model/chain.ts';
import { sumUsage } from '../model/rpc-usage.ts';
import { readCommand } from './read-command.ts';
import { describeStartProblem } from './serve.ts';
import { readChain } from './with-store.ts';

const FORM = {
  name: 'npx mintwire plan',
  help: `usage: npx mintwire plan --chain <chain> [--from <block>]   for example --chain base

Measures the endpoints in RPC_<CHAIN> in about a hundred calls each, and prints what they can do and
what following the chain costs a day, for each scope, and what its history costs from a block on
(--from, or START_BLOCK_<CHAIN>): calls, credits, days and disk. RPC_CREDITS_<CHAIN> prices the
calls. What CHAINS_FILE says of the chain is checked, too.
`,
  flags: { chain: { type: 'string' }, from: { type: 'string' } },
} as const;

type Ability = keyof EvmAbilities | keyof SolanaAbilities;

const ABILITIES: Readonly<Record<Ability, string>> = {
  receipts: 'receipts of a block (eth_getBlockReceipts)',
  finalized: 'final block',
  hashes: 'state by block hash (EIP-1898)',
  overrides: 'state overrides',
  simulation: 'eth_simulateV1',
  feeHistory: 'eth_feeHistory',
  debug: 'debug_traceCall',
  trace: 'trace_call',
  gzip: 'compressed replies',
  scans: 'lists of accounts (getProgramAccounts)',
};

/** What is done where something is missing; all else is not needed. */
const WORKAROUNDS: Readonly<Partial<Record<Ability, string>>> = {
  receipts: 'blocks are read by their logs, in more calls',
  finalized: 'blocks count as final at a depth below the head',
  hashes: 'state is read by block number and the hash is checked, in more calls',
  overrides: 'pools cannot be probed: quotes are never exact',
  simulation: 'trades are simulated by eth_call, with state overrides',
  feeHistory: 'fees are read by eth_gasPrice',
  gzip: 'replies come unpacked: several times the bytes',
  scans: 'holders of older tokens are not complete, and their pools are found when they trade',
};

const formatNumber = (value: number) => Math.round(value).toLocaleString('en');

function formatBytes(bytes: number): string {
  if (bytes <= 0) return '0 B';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bytes) / 3)));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

function listFacts(one: EndpointMeasurement): [string, string][] {
  const { burst } = one;
  const what = one.family === 'solana' ? 'whole blocks' : 'calls';
  const rate =
    burst.answered < burst.sent
      ? `limited: ${burst.answered} of ${burst.sent} ${what} at once were answered`
      : `${burst.sent} ${what} at once were answered, in ${burst.seconds.toFixed(1)} s`;
  return [
    ['head', `${formatNumber(one.head)}, a block every ${one.blockSeconds.toFixed(2)} s`],
    ['rate', rate],
    ['batches', one.batchCallsMax > 1 ? `up to ${one.batchCallsMax} calls` : 'refused'],
    ...listFamilyFacts(one),
  ];
}

function listFamilyFacts(one: EndpointMeasurement): [string, string][] {
  if (one.family === 'solana') {
    const size = `${formatBytes(one.blockBytes.full)}, ${one.swapsPerBlock.toFixed(1)} trades`;
    const first = one.firstSlot === null ? 'not told' : `slot ${formatNumber(one.firstSlot)}`;
    return [
      ['a block', size],
      ['first block', first],
    ];
  }
  const { stateDepth } = one;
  const state =
    stateDepth === null ? 'of all blocks' : `of the last ${formatNumber(stateDepth)} blocks`;
  return [
    ['eth_getLogs', `up to ${formatNumber(one.logBlocksMax)} blocks at once`],
    ['state', state],
  ];
}

function listAbilities({ abilities }: EndpointMeasurement): string[] {
  const names = Object.keys(ABILITIES) as Ability[];
  const found: Readonly<Partial<Record<Ability, boolean>>> = abilities;
  return names.flatMap((name) => {
    if (found[name] === undefined) return [];
    if (found[name]) return `  yes  ${ABILITIES[name]}`;
    const workaround = WORKAROUNDS[name] ?? 'not needed';
    return `  no   ${ABILITIES[name]}: ${workaround}`;
  });
}

function describeFit(scope: ScopeEstimate, plan: ChainPlan): string {
  const { creditsPerDay } = plan;
  if (creditsPerDay === null) return '';
  if (scope.creditsPerDay <= creditsPerDay) return '  fits';
  return `  ${(scope.creditsPerDay / creditsPerDay).toFixed(1)} times the daily cap`;
}

function formatDays(days: number): string {
  return days < 1 ? `${formatNumber(Math.max(1, days * 24))} hours` : `${formatNumber(days)} days`;
}

const ARCHIVES: Readonly<Record<ArchiveEstimate['source'], string>> = {
  portal: 'SQD Portal',
  era: 'era files',
  rpc: 'another RPC',
};

function listArchives(archives: readonly ArchiveEstimate[]): string[] {
  const [first] = archives;
  if (first === undefined) return [];
  const { calls, credits } = first;
  return [
    `    from an archive (HISTORY_<CHAIN>): ${formatNumber(calls)} calls, ${formatNumber(credits)} credits here, and there`,
    ...archives.map(({ source, callsThere, bytes, days }) => {
      const there = callsThere === null ? '' : `, ${formatNumber(callsThere)} calls`;
      return `      ${ARCHIVES[source].padEnd(12)}about ${formatBytes(bytes)}${there}, ${formatDays(days)}`;
    }),
  ];
}

function listHistory({ measurement, history, archives }: EndpointPlan): string[] {
  if (history === null) return [];
  const { fromBlock, blocks, calls, credits, days, limit, diskBytes, weekFromBlock } = history;
  const firstBlock = measurement.family === 'solana' ? (measurement.firstSlot ?? 0) : 0;
  const rate = limit === 'creditsPerDay' ? 'the daily cap' : 'the measured rate';
  return [
    '',
    `  history from block ${formatNumber(fromBlock)} on, scope all: ${formatNumber(blocks)} blocks`,
    `    ${formatNumber(calls)} calls, ${formatNumber(credits)} credits, ${formatBytes(diskBytes)} of disk`,
    `    ${formatDays(days)} at ${rate}`,
    ...listArchives(archives),
    ...(days > LONG_HISTORY_DAYS
      ? [`    over a week: block ${formatNumber(weekFromBlock)} on is what a week reads`]
      : []),
    ...(firstBlock > fromBlock
      ? [`    the endpoint has no block before ${formatNumber(firstBlock)}`]
      : []),
  ];
}

function formatEndpoint(endpoint: EndpointPlan, plan: ChainPlan): string {
  const { measurement, scopes } = endpoint;
  const [spent] = sumUsage([measurement.usage.map((one) => ({ ...one, method: 'all' }))]);
  const rows = scopes.map(
    (scope) =>
      `  ${scope.scope.padEnd(8)}${formatNumber(scope.callsPerDay).padStart(12)}${formatNumber(scope.creditsPerDay).padStart(16)}${formatBytes(scope.bytesPerDay).padStart(12)}${describeFit(scope, plan)}`,
  );
  return [
    measurement.name,
    ...listFacts(measurement).map(([name, text]) => `  ${name.padEnd(12)}${text}`),
    ...listAbilities(measurement),
    '',
    `  scope      calls a day   credits a day  bytes a day`,
    ...rows,
    ...listHistory(endpoint),
    '',
    `  measured in ${spent?.calls} calls (${formatNumber(spent?.credits ?? 0)} credits, ${formatBytes(spent?.bytes ?? 0)})`,
  ].join('\n');
}

function listAdvice(chain: ChainSlug, plan: ChainPlan): string[] {
  const suffix = toSettingSuffix(chain);
  const isSolana = plan.endpoints.some(({ measurement }) => measurement.family === 'solana');
  return [
    plan.isAnnounced || isSolana
      ? ''
      : `A wss:// entry in RPC_${suffix} saves the polls for new blocks.`,
    plan.hasCredits ? '' : `Set RPC_CREDITS_${suffix} to price calls as the provider does.`,
    plan.creditsPerDay === null
      ? `Set RPC_CREDITS_PER_DAY_${suffix} to what the plan allows; indexing then keeps within it.`
      : '',
    'Bytes in scope watch are for 20 tokens as busy as the busiest pool.',
  ].filter((line) => line !== '');
}

function formatPlan(chain: ChainSlug, plan: ChainPlan): string {
  return [
    ...plan.problems.map((problem) => `CHAINS_FILE does not fit the chain: ${problem}`),
    ...plan.failed.map(({ reason }) => `could not be measured: ${reason}`),
    ...plan.endpoints.map((endpoint) => formatEndpoint(endpoint, plan)),
    listAdvice(chain, plan).join('\n'),
  ].join('\n\n');
}

export async function plan(typed: readonly string[]): Promise<void> {
  const command = readCommand(typed, FORM);
  const chain = command && readChain(FORM, command.values.chain);
  if (chain === null) return;
  const { from = null } = command?.values ?? {};
  if (from !== null && !/^\d{1,12}$/.test(from)) {
    console.error('mintwire: --from must be the number of a block');
    process.exitCode = 2;
    return;
  }
  const fromBlock = from === null ? null : Number(from);
  try {
    const { signal } = new AbortController();
    const config = loadProcessConfig();
    const planned = await planFollowedChain({ config, chain, fromBlock, signal });
    console.log(formatPlan(chain, planned));
    process.exitCode = planned.endpoints.length === 0 || planned.problems.length > 0 ? 1 : 0;
  } catch (error) {
    console.error(`mintwire: ${describeStartProblem(error, null)}`);
    process.exitCode = 1;
  }
}
