// A family of chains that only tests know: its blocks leave gaps between their positions, its times
// step back, and it has addresses, ids and cost units of its own. Its nodes are a fake chain behind
// HTTP (`serve-fake-chain.ts`), so that every thread of a service can follow it.

import { deserialize, serialize } from 'node:v8';
import type { ChainAdapter, ChainHead } from '../../src/chains/adapter.ts';
import type { ChainNodes } from '../../src/chains/chain-nodes.ts';
import type { ChainTransactions, TransactionFate } from '../../src/chains/chain-transactions.ts';
import type { ChainFamily, ChainSource } from '../../src/chains/family.ts';
import { address, poolId, transactionId } from '../test-ids.ts';
import { FAKE_ASSETS, FAKE_VENUES } from './fake-market.ts';

/** Addresses are shown as `t:` and 40 hex digits. */
function parseHex(text: string): string | null {
  const [, hex] = /^t:([0-9a-f]{40})$/.exec(text) ?? [];
  return hex === undefined ? null : `0x${hex}`;
}

export function showTestAddress(stored: string): string {
  return `t:${stored.slice(2)}`;
}

/** What its transactions cost, in steps. */
export const STEPS = { base: 5_000n, hop: 1_000n, fee: 3n } as const;

type Ask = <Answer>(
  method: string,
  args: readonly unknown[],
  signal?: AbortSignal,
) => Promise<Answer>;

function createAsk({ endpoints }: ChainSource): Ask {
  const [url = ''] = endpoints;
  return async <Answer>(method: string, args: readonly unknown[], signal?: AbortSignal) => {
    const request = serialize([method, args]).toString('base64url');
    const response = await fetch(`${url}/?${request}`, { signal: signal ?? null });
    if (!response.ok) throw new Error(await response.text());
    return deserialize(Buffer.from(await response.arrayBuffer())) as Answer;
  };
}

function createTestAdapter({ chain }: ChainSource, ask: Ask): ChainAdapter {
  return {
    chain,
    assets: FAKE_ASSETS,
    readHead: (signal) => ask('readHead', [], signal),
    readHeader: (position, signal) => ask('readHeader', [position], signal),
    readBlocks: (range, signal) => ask('readBlocks', [range], signal),
    readTokenMetadata: (tokens, from) => ask('readTokenMetadata', [tokens], from?.signal),
    readSupplies: (tokens, block, signal) => ask('readSupplies', [tokens, block], signal),
    readPoolStates: (queries, block, signal) => ask('readPoolStates', [queries, block], signal),
    readBalances: (keys, block, signal) => ask('readBalances', [keys, block], signal),
    close: async () => undefined,
  };
}

async function readPosition(ask: Ask, signal?: AbortSignal): Promise<number> {
  return (await ask<ChainHead>('readHead', [], signal)).latest.position;
}

function createTestTransactions(ask: Ask): ChainTransactions {
  return {
    canBuild: false,
    isUnavailable: () => false,
    retryAfterSeconds: () => 1,
    readHead: () => readPosition(ask),
    readPaidTips: () => Promise.reject(new Error('a test chain has no fees')),
    readTransaction: (id) => ask<TransactionFate>('readTransaction', [id]),
    readWallet: () => Promise.reject(new Error('nothing is built on a test chain')),
  };
}

function openTestNodes(source: ChainSource): ChainNodes {
  const ask = createAsk(source);
  return {
    createAdapter: () => createTestAdapter(source, ask),
    transactions: createTestTransactions(ask),
    readFees: async () => {
      return { perUnit: STEPS.fee, perUnitMax: 2n * STEPS.fee, data: { kind: 'none' } };
    },
    simulateRoundTrip: async () => null,
    checkContracts: async () => [],
    findContracts: async (addresses) => new Map(addresses.map((one) => [one, false])),
    readHoldings: async () => null,
    verifyContractSignature: async () => false,
    listUsage: () => [],
    listLimitations: () => [],
    close: () => undefined,
  };
}

export const TEST_FAMILY: ChainFamily = {
  // It takes the place of this one (`use-test-family.ts`).
  name: 'evm',
  addresses: {
    parse: (text) => {
      const stored = parseHex(text);
      return stored === null ? null : address(stored);
    },
    parsePool: (text) => {
      const stored = parseHex(text);
      return stored === null ? null : poolId(stored);
    },
    toShown: showTestAddress,
    native: FAKE_ASSETS.coin,
  },
  transactionIds: {
    parse: (text) => (/^0xtx\d+-\d$/.test(text) ? transactionId(text) : null),
    rule: 'must be 0xtx, a number, a dash and a digit',
  },
  wallets: { accountName: 'test', namespace: 'test', check: async () => 'refused' },
  findTokenPage: () => null,
  markets: {
    describe: () => ({
      assets: FAKE_ASSETS,
      wrapped: [...FAKE_ASSETS.native].find((one) => one !== FAKE_ASSETS.coin) ?? FAKE_ASSETS.coin,
      venues: FAKE_VENUES,
      tradedVenues: new Set(FAKE_VENUES),
      vaults: new Set(),
      burnAddresses: new Set(),
      costs: {
        ...{ unitName: 'steps', base: STEPS.base, pull: 0n, unwrap: 0n, usual: 6_000n },
        ...{ unitsMax: 100_000n, bytesMax: 1_000, fewBytesMax: 500, hasDataFees: false },
      },
    }),
    open: openTestNodes,
    measure: async () => [],
    findHook: () => null,
    findSwapCost: () => ({ hop: STEPS.hop, hopInSameVault: STEPS.hop, perTick: 0n }),
    findHopBytes: () => ({ command: 'swap', first: 100, next: 100 }),
  },
};
