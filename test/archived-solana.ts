// Slots of the past on Solana from Portals that may fail and lie, and the same from a node alone.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { BlockFilter } from '../src/chains/adapter.ts';
import { createSolanaAdapter } from '../src/chains/solana/create-solana-adapter.ts';
import {
  listAccountKeys,
  type RawTokenBalance,
  type RawTransaction,
} from '../src/chains/solana/data/raw-transaction.ts';
import { SYSTEM_PROGRAM } from '../src/chains/solana/data/solana-ids.ts';
import type { BlockEvents } from '../src/model/block-events.ts';
import { createRandom } from './fakes/create-random.ts';
import { ManualClock } from './fakes/manual-clock.ts';
import { MemorySolana } from './fakes/memory-solana.ts';
import { type FakeCall, startMisbehavingRpc } from './fakes/misbehaving-rpc.ts';
import { type FakeSolanaPortal, startSolanaPortal } from './fakes/solana-portal.ts';
import {
  buildCpmmSwap,
  buildTransfer,
  POOL,
  QUOTE,
  setPool,
  TOKEN,
  toSwapSignature,
} from './fakes/solana-scene.ts';
import type { PortalLine } from './fakes/to-portal-block.ts';

export const START = 100;
const BLOCKS = 40;

export const ASSETS = {
  ...{ coin: SYSTEM_PROGRAM, coinUnit: { symbol: 'SOL', decimals: 9 } },
  ...{ native: new Set([QUOTE, SYSTEM_PROGRAM]), stable: new Set<never>(), anchorPools: [] },
};

const cleanups: (() => Promise<void> | void)[] = [];

export function onSceneEnd(...work: (() => Promise<void> | void)[]): void {
  cleanups.push(...work);
}

/** For `afterEach`. */
export async function endArchivedScene(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

/** As a node has it of the swap's three calls. */
function buildLog({ transaction, meta }: RawTransaction): string[] {
  const { accountKeys, instructions } = transaction.message;
  const nameOf = ({ programIdIndex }: { programIdIndex: number }) => accountKeys[programIdIndex];
  const [outer = ''] = instructions.map(nameOf);
  const inner = (meta?.innerInstructions ?? []).flatMap((group) => group.instructions.map(nameOf));
  return [
    `Program ${outer} invoke [1]`,
    ...inner.flatMap((name) => [`Program ${name} invoke [2]`, `Program ${name} success`]),
    `Program ${outer} success`,
  ];
}

/** Each transaction goes on from the balances that the one before left. */
class Ledger {
  readonly #held = new Map<string, bigint>();

  carry(raw: RawTransaction): RawTransaction {
    const { meta } = raw;
    const [pre, post] = [meta?.preTokenBalances ?? [], meta?.postTokenBalances ?? []];
    const keys = listAccountKeys(raw);
    const keyOf = ({ accountIndex }: RawTokenBalance) => keys[accountIndex] ?? '';
    const write = (row: RawTokenBalance, amount: bigint): RawTokenBalance => ({
      ...{ ...row, programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
      uiTokenAmount: { amount: String(amount), decimals: 6 },
    });
    const before = pre.map((row) =>
      write(row, this.#held.get(keyOf(row)) ?? BigInt(row.uiTokenAmount.amount)),
    );
    const hasFailed = meta?.err != null;
    const after = post.map((row, at) => {
      const change = BigInt(row.uiTokenAmount.amount) - BigInt(pre[at]?.uiTokenAmount.amount ?? 0);
      const held = BigInt(before[at]?.uiTokenAmount.amount ?? 0);
      const amount = hasFailed ? held : held + change;
      this.#held.set(keyOf(row), amount);
      return write(row, amount);
    });
    const balances = { preTokenBalances: before, postTokenBalances: after };
    const logMessages = buildLog(raw);
    return { ...raw, meta: { ...meta, err: meta?.err ?? null, fee: 0, logMessages, ...balances } };
  }
}

/** With `isMixed`, also what is no trade of the pool: transfers, and swaps that failed. */
export function buildChain(blockCount = BLOCKS, isMixed = false): MemorySolana {
  const chain = new MemorySolana();
  const ledger = new Ledger();
  setPool(chain, 50_000_000n, 50_000_000n);
  chain.add(START - 1);
  let id = 0;
  let slot = START;
  for (let count = 0; count < blockCount; count += 1) {
    const transactions = Array.from({ length: count % 3 }, () => {
      id += 1;
      const amountIn = BigInt(1000 + id);
      return ledger.carry(buildCpmmSwap({ id, amountIn, amountOut: amountIn / 2n }));
    });
    if (isMixed) {
      const failed = { id: 10_000 + count, amountIn: 9n, amountOut: 4n, err: 'InstructionError' };
      const transfer = { id: 20_000 + count, amount: 3n, isToVault: count % 5 === 2 };
      if (count % 4 === 1) transactions.push(ledger.carry(buildCpmmSwap(failed)));
      if (count % 2 === 0) transactions.push(ledger.carry(buildTransfer(transfer)));
    }
    chain.add(slot, { transactions, blockTime: count % 7 === 5 ? null : slot });
    // Some slots have no block.
    slot += count % 5 === 4 ? 3 : 1;
  }
  chain.finalized = chain.head;
  return chain;
}

/** What is read of it. */
export const WATCHED: BlockFilter = { pools: new Set([POOL]), tokens: new Set([TOKEN]) };

interface Scene {
  readonly chain: MemorySolana;
  readonly portals: readonly FakeSolanaPortal[];
  readonly clock: ManualClock;
  /** As they came to the node. */
  readonly calls: readonly FakeCall[];
  /** The methods that the node was asked. */
  readonly asked: string[];
  /** All events of the range, and how many readings came from a Portal and from the node. */
  read(): Promise<{
    readonly blocks: readonly BlockEvents[];
    readonly archived: number;
    readonly fromNode: number;
    /** Of the archived readings. */
    readonly starts: readonly number[];
    /** As archived readings say it. */
    readonly blockCount: number;
    readonly limitations: string[];
  }>;
}

interface SceneOptions {
  /** 100 by default. */
  readonly samplePct?: number;
  /** 1 by default. */
  readonly portalCount?: number;
  readonly chain?: MemorySolana;
  /** All by default. */
  readonly only?: BlockFilter;
}

export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const { samplePct = 100, portalCount = 1, chain = buildChain(), only } = options;
  const asked: string[] = [];
  const node = await startMisbehavingRpc((method, params) => {
    const { transactionDetails = '' } = (params.at(-1) ?? {}) as { transactionDetails?: string };
    asked.push(`${method} ${transactionDetails}`.trim());
    return chain.answer(method, params);
  });
  const portals = await Promise.all(
    Array.from({ length: portalCount }, () => startSolanaPortal(chain)),
  );
  const clock = new ManualClock();
  const adapter = createSolanaAdapter({
    ...{ chain: 'devnet', genesis: chain.genesis, endpoints: [node.url] },
    ...{ clock, random: () => 0.5, knownPools: async () => [] },
    sleep: async (ms) => clock.advance(ms),
    archives: { places: portals.map(({ url }) => ({ kind: 'portal', place: url })), samplePct },
    assets: ASSETS,
  });
  onSceneEnd(
    () => node.stop(),
    ...portals.map((portal) => () => portal.stop()),
    () => adapter.close(),
  );
  const read = async () => {
    const blocks: BlockEvents[] = [];
    let [archived, fromNode, blockCount] = [0, 0, 0];
    const starts: number[] = [];
    for (let fromBlock = START; fromBlock <= chain.head; ) {
      const range = { fromBlock, toBlock: chain.head, linked: false, eventCountMax: 20, only };
      const reading = await adapter.readBlocks(range);
      assert.ok(reading.toBlock >= fromBlock);
      if (reading.archive !== undefined) {
        archived += 1;
        starts.push(fromBlock);
        blockCount += reading.blockCount;
        assert.deepEqual(reading.archive, { source: '127.0.0.1', isProved: false });
        const hashes = [chain.blocks.get(reading.toBlock)?.blockhash, undefined];
        assert.ok(hashes.includes(reading.last?.hash));
      } else {
        fromNode += 1;
      }
      blocks.push(...reading.blocks);
      fromBlock = reading.toBlock + 1;
    }
    const limitations = [...adapter.status().limitations];
    return { blocks, archived, fromNode, starts, blockCount, limitations };
  };
  return { chain, portals, clock, calls: node.calls, asked, read };
}

/** Without what a pool makes of a trade, which is a function nowhere here. */
export function toText(blocks: readonly BlockEvents[], isFiltered = false): string {
  // A pool is described once in each reading, and readings end elsewhere.
  const events = blocks.map(({ header: { hash: own, parentHash, ...header }, events: all }) => ({
    // Blocks that do not link are stored without their hashes.
    header: isFiltered ? header : { ...header, own, parentHash },
    events: all.filter(({ kind }) => kind !== 'poolCreated'),
  }));
  const text = JSON.stringify(events, (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  return `${blocks.length} ${hash('sha256', text)}`;
}

export async function readByNodes(options: SceneOptions = {}): Promise<string> {
  const scene = await openScene({ ...options, portalCount: 0 });
  return toText((await scene.read()).blocks, options.only !== undefined);
}

type PickBehaviour = Parameters<FakeSolanaPortal['behave']>[0];

export const FAULTS: readonly (readonly [string, PickBehaviour])[] = [
  ['429', () => ({ status: 429 })],
  ['529', () => ({ status: 529 })],
  ['500', () => ({ status: 500 })],
  ['403', () => ({ status: 403 })],
  ['400', () => ({ status: 400 })],
  ['204 for ever', () => ({ status: 204 })],
  ['a stream cut at its start', () => ({ cutAt: 5 })],
  ['a stream cut in the middle', ({ fromBlock }) => (fromBlock > START ? { cutAt: 300 } : null)],
];

type Lie = readonly [string, RegExp, (lines: PortalLine[]) => PortalLine[]];

const bump = (value: unknown) => String(BigInt(String(value)) + 1n);
/** An empty line if it is not about any. */
const withSwaps = (lines: PortalLine[]): PortalLine =>
  lines.find(({ instructions = [] }) => instructions.length > 1) ?? { header: {} };
/** What each sends, and how that is found where everything is compared. */
export const LIES: readonly Lie[] = [
  [
    'one digit of a balance',
    /do not add up/,
    (lines) => {
      const row = (withSwaps(lines).tokenBalances ?? []).find(({ preMint }) => preMint !== QUOTE);
      Object.assign(row ?? {}, { postAmount: bump(row?.['postAmount']) });
      return lines;
    },
  ],
  [
    'a trade without its balances',
    /does not go on|the node has otherwise/,
    (lines) => {
      for (const row of withSwaps(lines).tokenBalances ?? []) {
        Object.assign(row, { postAmount: row['preAmount'] });
      }
      return lines;
    },
  ],
  [
    'another wallet',
    /the node has otherwise/,
    (lines) => {
      const [row] = withSwaps(lines).transactions ?? [];
      const [payer = '', ...others] = (row?.['accountKeys'] ?? []) as string[];
      Object.assign(row ?? {}, {
        accountKeys: [...others.slice(0, 1), payer, ...others.slice(1)],
      });
      return lines;
    },
  ],
  [
    'another signature',
    /the node has otherwise/,
    (lines) => {
      const [row] = withSwaps(lines).transactions ?? [];
      Object.assign(row ?? {}, { signatures: [toSwapSignature(999_999)] });
      return lines;
    },
  ],
  [
    'a swap as failed',
    /moved tokens/,
    (lines) => {
      Object.assign(withSwaps(lines).transactions?.[0] ?? {}, { err: 'InstructionError' });
      return lines;
    },
  ],
  [
    'a transaction left out',
    /does not go on|it left out/,
    (lines) => {
      // Balances go on from those of the answer's lines before.
      const start = lines.indexOf(withSwaps(lines)) + 1;
      const line =
        start === 0
          ? undefined
          : lines.slice(start).find(({ transactions = [] }) => transactions.length > 1);
      const first = line?.transactions?.[0]?.['transactionIndex'];
      for (const name of ['transactions', 'instructions', 'logs', 'tokenBalances'] as const) {
        if (line === undefined) continue;
        const kept = (line[name] ?? []).filter((row) => row['transactionIndex'] !== first);
        Object.assign(line, { [name]: kept });
      }
      return lines;
    },
  ],
  ['a block left out', /does not follow/, (lines) => lines.toSpliced(1, 1)],
  [
    'a block left out, and its links',
    /the node has a block at/,
    (lines) => {
      const [before, , after] = lines;
      const { number: parentNumber, hash: parentHash } = before?.header ?? {};
      Object.assign(after?.header ?? {}, { parentNumber, parentHash });
      return lines.toSpliced(1, 1);
    },
  ],
  ['a block twice', /was not asked for/, (lines) => lines.flatMap((line) => [line, line])],
  [
    'another hash inside',
    /does not follow/,
    (lines) => {
      Object.assign(lines[1]?.header ?? {}, { hash: 'forged' });
      return lines;
    },
  ],
  [
    'another fork',
    /the node has another block/,
    (lines) => {
      for (const { header } of lines) {
        header['hash'] = `${header['hash']}x`;
        header['parentHash'] = `${header['parentHash']}x`;
      }
      return lines;
    },
  ],
  [
    'a call left out',
    /instructions are missing/,
    (lines) => {
      withSwaps(lines).instructions?.splice(1, 1);
      return lines;
    },
  ],
  [
    'lines that are no blocks',
    /header is no object|is no/,
    (lines) => lines.map(() => ({}) as never),
  ],
];

/** Where blocks do not link, and their hashes are stored nowhere. */
const LINKED_ONLY = new Set([
  ...['a block left out', 'a block left out, and its links', 'another hash inside'],
]);

/** Nothing follows that would have to go on from what is hidden from here on. */
const LAST_HIDDEN = START + 45;

/** The same of filtered answers. */
export const FILTERED_LIES: readonly Lie[] = [
  ...LIES.filter(([name]) => !LINKED_ONLY.has(name)),
  [
    'the transactions of a block left out',
    /does not go on|it left out/,
    (lines) => {
      const found = lines.filter(({ transactions = [] }) => transactions.length > 0);
      const [first] = found;
      return lines.map((line) => (line === first ? { header: line.header } : line));
    },
  ],
  ['everything left out', /it left out/, (lines) => lines.map(({ header }) => ({ header }))],
  [
    'the last transactions left out',
    /it left out/,
    (lines) =>
      lines.map((line) =>
        Number(line.header['number']) < LAST_HIDDEN ? line : { header: line.header },
      ),
  ],
  [
    'another time',
    /the node has otherwise/,
    (lines) => {
      const { header } = withSwaps(lines);
      if (header['timestamp'] !== 0) header['timestamp'] = Number(header['timestamp']) + 1;
      return lines;
    },
  ],
];

/** Rounds of Portals that lie and fail at random: how many used one. */
export async function readMixtures(
  rounds: number,
  { seed, isFiltered }: { readonly seed: number; readonly isFiltered: boolean },
): Promise<number> {
  const random = createRandom(seed);
  const options = { chain: buildChain(BLOCKS, true), ...(isFiltered ? { only: WATCHED } : {}) };
  const expected = await readByNodes(options);
  const lies = (isFiltered ? FILTERED_LIES : LIES).map(([, , change]) => () => ({ change }));
  const choices = [...FAULTS.map(([, behaviour]) => behaviour), ...lies];
  let used = 0;
  for (let round = 0; round < rounds; round += 1) {
    const portalCount = 1 + Math.floor(random() * 3);
    // Every transaction is compared.
    const scene = await openScene({ ...options, portalCount, samplePct: 10_000 });
    for (const portal of scene.portals) {
      portal.behave((query) => {
        if (random() < 0.8) return null;
        return choices[Math.floor(random() * choices.length)]?.(query) ?? null;
      });
    }
    const { blocks, archived } = await scene.read();
    assert.equal(toText(blocks, isFiltered), expected, `seed ${seed}, round ${round}`);
    if (archived > 0) used += 1;
    await endArchivedScene();
  }
  return used;
}
