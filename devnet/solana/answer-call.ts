// The methods of a Solana node that the follower, trading and wallets need, over the embedded
// chain. Blocks are `confirmed` once sealed. Accounts are those of the newest block, whatever
// commitment is asked for.

import { decodeBase58Data } from '../../src/chains/solana/data/base58-data.ts';
import { ChainFault } from './chain-fault.ts';
import { computeFee } from './execute-transaction.ts';
import { type AccountFilter, listProgramAccounts } from './program-accounts.ts';
import { FINAL_DEPTH, RECENT_BLOCKS, type SolanaChain } from './solana-chain.ts';
import type { ChainAccount } from './svm.ts';
import { readTokenBalance } from './token-balance.ts';
import { parseWireTransaction } from './wire-transaction.ts';

interface CallConfig {
  readonly commitment?: string;
  readonly encoding?: string;
  readonly transactionDetails?: string;
  readonly minContextSlot?: number;
  readonly limit?: number;
  readonly before?: string;
  readonly until?: string;
  readonly dataSlice?: { readonly offset: number; readonly length: number };
  readonly maxSupportedTransactionVersion?: number;
  readonly sigVerify?: boolean;
  readonly replaceRecentBlockhash?: boolean;
  readonly skipPreflight?: boolean;
  readonly searchTransactionHistory?: boolean;
  readonly innerInstructions?: boolean;
  readonly accounts?: { readonly addresses: readonly string[] };
  readonly filters?: readonly AccountFilter[];
  readonly withContext?: boolean;
  readonly mint?: string;
  readonly programId?: string;
}

/** A result that is JSON text already. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Params = readonly unknown[];
type Method = (chain: SolanaChain, params: Params, config: CallConfig) => unknown;

const ACCOUNTS_MAX = 100;
const SIGNATURES_MAX = 1000;
const STATUSES_MAX = 256;
const BLOCKS_MAX = 500_000;
const SLOTS_PER_EPOCH = 432_000;
const LARGEST_COUNT = 20;
const KEY_BYTES = 32;

function parseAddress(value: unknown): string {
  const isAddress = typeof value === 'string' && decodeBase58Data(value)?.length === KEY_BYTES;
  if (!isAddress) throw new ChainFault(-32602, `Invalid param: ${String(value)} is not an address`);
  return value;
}

function parseSlot(value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value);
  throw new ChainFault(-32602, 'Invalid param: a slot must be a whole number');
}

function findSlot(chain: SolanaChain, { commitment = 'finalized' }: CallConfig): number {
  return commitment === 'finalized' ? chain.finalizedSlot : chain.head.slot;
}

function inContext(chain: SolanaChain, value: unknown): object {
  return { context: { apiVersion: '3.0.0', slot: chain.head.slot }, value };
}

function encodeAccount(account: ChainAccount | null, { dataSlice }: CallConfig): unknown {
  if (account === null) return null;
  const { lamports, owner, data, isExecutable } = account;
  const { offset = 0, length = data.length } = dataSlice ?? {};
  const part = data.subarray(offset, offset + length);
  return {
    ...{ data: [part.toString('base64'), 'base64'], executable: isExecutable },
    ...{ lamports: Number(lamports), owner, rentEpoch: 0, space: data.length },
  };
}

function decodeBytes(value: unknown, encoding = 'base58'): Buffer {
  if (typeof value !== 'string') throw new ChainFault(-32602, 'Invalid param: no transaction');
  const bytes = encoding === 'base64' ? Buffer.from(value, 'base64') : decodeBase58Data(value);
  return bytes ?? Buffer.alloc(0);
}

function readBlock(chain: SolanaChain, slot: number, config: CallConfig): unknown {
  const { ledger, head } = chain;
  const { transactionDetails = 'full', encoding = 'json', commitment = 'finalized' } = config;
  if (commitment === 'processed') {
    throw new ChainFault(-32602, 'Method does not support commitment below `confirmed`');
  }
  if (slot > findSlot(chain, { commitment })) {
    throw new ChainFault(-32004, `Block not available for slot ${slot}`);
  }
  const block = ledger.readBlock(slot);
  if (block === null && slot < (ledger.findFirstSlot() ?? head.slot)) {
    const first = ledger.findFirstSlot();
    throw new ChainFault(-32001, `Block ${slot} cleaned up. First available block: ${first}`);
  }
  if (block === null) throw new ChainFault(-32007, `Slot ${slot} was skipped`);
  const { hash, parentHash, parentSlot, seconds, height } = block;
  const header = {
    ...{ blockhash: hash, previousBlockhash: parentHash, parentSlot },
    ...{ blockTime: seconds, blockHeight: height },
  };
  if (transactionDetails === 'none') return header;
  if (transactionDetails === 'signatures') {
    return { ...header, signatures: ledger.listSignatures(slot) };
  }
  if (transactionDetails !== 'full' || encoding !== 'json') {
    throw new ChainFault(-32602, 'blocks are served with encoding json, in full or by signatures');
  }
  if (config.maxSupportedTransactionVersion === undefined) {
    throw new ChainFault(
      -32015,
      'Transaction version (0) is not supported by the requesting client',
    );
  }
  const transactions = ledger.listTransactions(slot).join(',');
  return new RawJson(`${JSON.stringify(header).slice(0, -1)},"transactions":[${transactions}]}`);
}

function listSignatures(chain: SolanaChain, address: string, config: CallConfig): unknown {
  const { limit = SIGNATURES_MAX, before, until } = config;
  if (limit < 1 || limit > SIGNATURES_MAX) throw new ChainFault(-32602, 'Invalid limit');
  const page = {
    ...(before === undefined ? {} : { before }),
    ...(until === undefined ? {} : { until }),
    limit: Math.floor(limit),
  };
  return chain.ledger.listSignaturesOf(address, page).map(({ seconds, ...row }) => ({
    ...{ ...row, blockTime: seconds, memo: null },
    confirmationStatus: row.slot <= chain.finalizedSlot ? 'finalized' : 'confirmed',
  }));
}

function readTransaction(chain: SolanaChain, signature: string, config: CallConfig): unknown {
  const found = chain.ledger.findTransaction(signature);
  if (found === null || found.slot > findSlot(chain, config)) return null;
  if ((config.encoding ?? 'json') !== 'json') {
    throw new ChainFault(-32602, 'transactions are served with encoding json');
  }
  const blockTime = chain.ledger.readBlock(found.slot)?.seconds ?? null;
  const head = JSON.stringify({ slot: found.slot, blockTime });
  return new RawJson(`${head.slice(0, -1)},${found.json.slice(1)}`);
}

/** Token accounts of both programs, by owner or mint. */
function listTokenAccounts(chain: SolanaChain, wanted: { owner?: string; mint?: string }) {
  return chain.ledger.listTokenAccounts(wanted).flatMap((address) => {
    const account = chain.read(address);
    const balance = account === null ? null : readTokenBalance(account);
    return account === null || balance === null ? [] : [{ address, account, balance }];
  });
}

function listOwned(chain: SolanaChain, [owner, filter]: Params, config: CallConfig): unknown {
  const { mint, programId } = (filter ?? {}) as CallConfig;
  if (mint === undefined && programId === undefined) {
    throw new ChainFault(-32602, 'Invalid param: a mint or a program is needed');
  }
  const wanted = { owner: parseAddress(owner), ...(mint === undefined ? {} : { mint }) };
  const rows = listTokenAccounts(chain, wanted)
    .filter(({ account }) => programId === undefined || account.owner === programId)
    .map(({ address, account }) => ({ pubkey: address, account: encodeAccount(account, config) }));
  return inContext(chain, rows);
}

/** By program and filters; nodes send the context only if asked to. */
function listProgram(chain: SolanaChain, [program]: Params, config: CallConfig): unknown {
  const found = listProgramAccounts(chain, parseAddress(program), config.filters ?? []);
  const rows = found.map(({ address, account }) => ({
    pubkey: address,
    account: encodeAccount(account, config),
  }));
  return config.withContext === true ? inContext(chain, rows) : rows;
}

function readDecimals(chain: SolanaChain, mint: string): number {
  return chain.read(mint)?.data[44] ?? 0;
}

function listLargest(chain: SolanaChain, [mint]: Params): unknown {
  const decimals = readDecimals(chain, parseAddress(mint));
  const rows = listTokenAccounts(chain, { mint: parseAddress(mint) })
    .sort((a, b) => (a.balance.amount < b.balance.amount ? 1 : -1))
    .slice(0, LARGEST_COUNT)
    .map(({ address, balance }) => ({ address, amount: String(balance.amount), decimals }));
  return inContext(chain, rows);
}

function simulate(chain: SolanaChain, [transaction]: Params, config: CallConfig): unknown {
  const bytes = decodeBytes(transaction, config.encoding);
  const result = chain.simulate(bytes, {
    isVerified: config.sigVerify ?? false,
    replacesBlockhash: config.replaceRecentBlockhash ?? false,
  });
  const { err, logs, unitsConsumed, returnData, accounts, inner } = result;
  const addresses = config.accounts?.addresses;
  const listed = addresses?.map((address) => {
    const after = accounts.get(address) ?? chain.read(address);
    return err === null ? encodeAccount(after, config) : null;
  });
  return inContext(chain, {
    ...{ err, logs, unitsConsumed, returnData, accounts: listed ?? null },
    ...(config.innerInstructions === true
      ? { innerInstructions: inner.map((instructions, index) => ({ index, instructions })) }
      : {}),
    ...(config.replaceRecentBlockhash === true
      ? {
          replacementBlockhash: {
            blockhash: chain.head.hash,
            lastValidBlockHeight: chain.head.height + RECENT_BLOCKS,
          },
        }
      : {}),
  });
}

function readStatuses(chain: SolanaChain, [signatures]: Params): unknown {
  if (!Array.isArray(signatures) || signatures.length > STATUSES_MAX) {
    throw new ChainFault(-32602, `Too many inputs provided; max ${STATUSES_MAX}`);
  }
  const value = signatures.map((signature) => {
    const found = chain.ledger.findSignature(String(signature));
    if (found === null) return null;
    const { slot, err } = found;
    const isFinal = slot <= chain.finalizedSlot;
    return {
      ...{ slot, err, status: err === null ? { Ok: null } : { Err: err } },
      confirmations: isFinal ? null : Math.min(FINAL_DEPTH, chain.head.slot - slot),
      confirmationStatus: isFinal ? 'finalized' : 'confirmed',
    };
  });
  return inContext(chain, value);
}

function readFee(chain: SolanaChain, [message]: Params): unknown {
  const bytes = decodeBytes(message, 'base64');
  // A message is a transaction without signatures; its first byte says how many it needs.
  const count = bytes[(bytes[0] ?? 0) & 0x80 ? 1 : 0] ?? 0;
  const signatures = Buffer.alloc(1 + count * 64);
  signatures.writeUInt8(count);
  try {
    const wire = parseWireTransaction(Buffer.concat([signatures, bytes]));
    const isRecent = chain.isRecent(wire.recentBlockhash);
    return inContext(chain, isRecent ? computeFee(wire) : null);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ChainFault(-32602, `invalid message: ${error.message}`);
  }
}

const METHODS: Readonly<Record<string, Method>> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
  getGenesisHash: (chain) => chain.genesisHash,
  getSlot: (chain, _, config) => findSlot(chain, config),
  getBlockHeight: (chain, _, config) =>
    chain.ledger.readBlock(findSlot(chain, config))?.height ?? chain.head.height,
  getEpochInfo: (chain) => ({
    ...{ absoluteSlot: chain.head.slot, blockHeight: chain.head.height },
    epoch: Math.floor(chain.head.slot / SLOTS_PER_EPOCH),
    ...{ slotIndex: chain.head.slot % SLOTS_PER_EPOCH, slotsInEpoch: SLOTS_PER_EPOCH },
  }),
  getFirstAvailableBlock: (chain) => chain.ledger.findFirstSlot() ?? 0,
  getBlock: (chain, [slot], config) => readBlock(chain, parseSlot(slot), config),
  getBlocks: (chain, [from, to], config) => {
    const newest = findSlot(chain, config);
    const [first, last] = [parseSlot(from), typeof to === 'number' ? parseSlot(to) : newest];
    if (last - first > BLOCKS_MAX)
      throw new ChainFault(-32602, `Slot range too large; max ${BLOCKS_MAX}`);
    return chain.ledger.listSlots(first, Math.min(last, newest));
  },
  getBlockTime: (chain, [slot]) => chain.ledger.readBlock(parseSlot(slot))?.seconds ?? null,
  getTransaction: (chain, [signature], config) => readTransaction(chain, String(signature), config),
  getSignaturesForAddress: (chain, [address], config) =>
    listSignatures(chain, parseAddress(address), config),
  getSignatureStatuses: (chain, params) => readStatuses(chain, params),
  getAccountInfo: (chain, [address], config) =>
    inContext(chain, encodeAccount(chain.read(parseAddress(address)), config)),
  getMultipleAccounts: (chain, [addresses], config) => {
    if (!Array.isArray(addresses) || addresses.length > ACCOUNTS_MAX) {
      throw new ChainFault(-32602, `Too many inputs provided; max ${ACCOUNTS_MAX}`);
    }
    const accounts = addresses.map((one) => chain.read(parseAddress(one)));
    return inContext(
      chain,
      accounts.map((account) => encodeAccount(account, config)),
    );
  },
  getBalance: (chain, [address]) =>
    inContext(chain, Number(chain.read(parseAddress(address))?.lamports ?? 0n)),
  getProgramAccounts: listProgram,
  getTokenAccountsByOwner: listOwned,
  getTokenLargestAccounts: (chain, params) => listLargest(chain, params),
  getTokenSupply: (chain, [mint]) => {
    const data = chain.read(parseAddress(mint))?.data;
    const decimals = data?.[44] ?? 0;
    return inContext(chain, { amount: String(data?.readBigUInt64LE(36) ?? 0n), decimals });
  },
  getLatestBlockhash: (chain, _, config) => {
    const slot = findSlot(chain, config);
    const { hash, height } = chain.ledger.readBlock(slot) ?? chain.head;
    return inContext(chain, { blockhash: hash, lastValidBlockHeight: height + RECENT_BLOCKS });
  },
  isBlockhashValid: (chain, [hash]) => inContext(chain, chain.isRecent(String(hash))),
  getRecentPrioritizationFees: (chain) => [{ slot: chain.head.slot, prioritizationFee: 0 }],
  getMinimumBalanceForRentExemption: (chain, [byteCount]) =>
    Number(chain.svm.findRent(parseSlot(byteCount))),
  getFeeForMessage: (chain, params) => readFee(chain, params),
  simulateTransaction: simulate,
  /** Ours: replaces the newest blocks, as `SolanaChain.fork` says. */
  devnet_fork: (chain, [depth]) => {
    chain.fork(parseSlot(depth), { seconds: chain.head.seconds });
    return chain.head.hash;
  },
  sendTransaction: (chain, [transaction], config) => {
    const bytes = decodeBytes(transaction, config.encoding);
    return chain.submit(bytes, { isChecked: config.skipPreflight !== true });
  },
};

/** Throws an `ChainFault` for a call that a node would refuse. */
export function answerCall(chain: SolanaChain, method: string, params: Params): unknown {
  const handler = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (handler === undefined) throw new ChainFault(-32601, 'Method not found');
  const last = params.at(-1);
  const isConfig = typeof last === 'object' && last !== null && !Array.isArray(last);
  const config = (isConfig ? last : {}) as CallConfig;
  if ((config.minContextSlot ?? 0) > chain.head.slot) {
    throw new ChainFault(-32016, 'Minimum context slot has not been reached', {
      contextSlot: chain.head.slot,
    });
  }
  return handler(chain, params, config);
}
