// Agave's virtual machine in this process: litesvm, by its interface of bytes. It is loaded only by
// the process of the embedded chain.

import { createRequire } from 'node:module';
import { decodeBase58Data, encodeBase58Data } from '../../src/chains/solana/data/base58-data.ts';
import { NoVirtualMachineError } from './chain-fault.ts';

type LiteSvmModule = typeof import('litesvm/dist/internal.js');

function loadLiteSvm(): LiteSvmModule {
  try {
    return createRequire(import.meta.url)('litesvm/dist/internal.js') as LiteSvmModule;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new NoVirtualMachineError(
      `litesvm cannot be loaded (${why}): DEVNET_SOLANA=off leaves the Solana chain out`,
      { cause },
    );
  }
}

const litesvm = loadLiteSvm();

export interface ChainAccount {
  readonly lamports: bigint;
  readonly owner: string;
  readonly data: Buffer;
  readonly isExecutable: boolean;
}

export interface InnerCall {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: string;
  readonly stackHeight: number;
}

export interface Execution {
  /** Null if it succeeded, otherwise as nodes write it. */
  readonly err: unknown;
  readonly logs: readonly string[];
  /** By the index of the transaction's own instruction. */
  readonly inner: readonly (readonly InnerCall[])[];
  readonly unitsConsumed: number;
  readonly returnData: { readonly programId: string; readonly data: readonly string[] } | null;
}

export interface SimulatedRun extends Execution {
  /** After the transaction; empty if it failed. */
  readonly accounts: ReadonlyMap<string, ChainAccount>;
}

export interface ChainTime {
  readonly slot: number;
  readonly seconds: number;
}

const SLOTS_PER_EPOCH = 432_000;
/** Programs see so many blocks before theirs. */
const SLOT_HASHES_MAX = 150;
const KEYS_MAX = 100_000;

type Metadata = ReturnType<InstanceType<LiteSvmModule['FailedTransactionMetadata']>['meta']>;
type Failure = InstanceType<LiteSvmModule['FailedTransactionMetadata']>;
type LiteAccount = InstanceType<LiteSvmModule['Account']>;

/** Names of errors without fields, by number. */
function readNames(name: 'TransactionErrorFieldless' | 'InstructionErrorFieldless'): string[] {
  const numbers = (litesvm as unknown as Record<string, Record<string, number>>)[name] ?? {};
  const names: string[] = [];
  for (const [text, number] of Object.entries(numbers)) {
    if (typeof number === 'number') names[number] = text;
  }
  return names;
}

const TRANSACTION_ERRORS = readNames('TransactionErrorFieldless');
const INSTRUCTION_ERRORS = readNames('InstructionErrorFieldless');

function toInstructionError(err: unknown): unknown {
  if (typeof err === 'number') return INSTRUCTION_ERRORS[err] ?? 'GenericError';
  const { code } = err as { readonly code?: number };
  return code === undefined ? 'BorshIoError' : { Custom: code };
}

/** As nodes write it. */
function toTransactionError(failure: Failure): unknown {
  const err: unknown = failure.err();
  if (typeof err === 'number') return TRANSACTION_ERRORS[err] ?? 'SanitizeFailure';
  const fields = err as {
    readonly index?: number;
    readonly accountIndex?: number;
    err?(): unknown;
  };
  if (typeof fields.err === 'function') {
    return { InstructionError: [fields.index, toInstructionError(fields.err())] };
  }
  if (fields.accountIndex !== undefined) {
    return { InsufficientFundsForRent: { account_index: fields.accountIndex } };
  }
  return { DuplicateInstruction: fields.index };
}

function readExecution(meta: Metadata, err: unknown): Execution {
  const returned = meta.returnData();
  const data = Buffer.from(returned.data());
  return {
    err,
    logs: meta.logs(),
    inner: meta.innerInstructions().map((calls) =>
      calls.map((call) => {
        const instruction = call.instruction();
        return {
          programIdIndex: instruction.programIdIndex(),
          accounts: [...instruction.accounts()],
          data: encodeBase58Data(instruction.data()),
          stackHeight: call.stackHeight(),
        };
      }),
    ),
    unitsConsumed: Number(meta.computeUnitsConsumed()),
    returnData:
      data.length === 0
        ? null
        : {
            programId: encodeBase58Data(returned.programId()),
            data: [data.toString('base64'), 'base64'],
          },
  };
}

function readLiteAccount(account: LiteAccount): ChainAccount {
  return {
    lamports: account.lamports(),
    owner: encodeBase58Data(account.owner()),
    data: Buffer.from(account.data()),
    isExecutable: account.executable(),
  };
}

const NO_ACCOUNT = { lamports: 0n, data: new Uint8Array(), owner: new Uint8Array(32) };

export class Svm {
  readonly #svm: InstanceType<LiteSvmModule['LiteSvm']>;
  readonly #keys = new Map<string, Buffer>();
  /** The newest first. */
  #slotHashes: { readonly slot: bigint; readonly hash: string }[] = [];

  constructor() {
    const svm = new litesvm.LiteSvm();
    svm.setFeatureSet(litesvm.FeatureSet.allEnabled());
    svm.setSysvars();
    const slots = BigInt(SLOTS_PER_EPOCH);
    svm.setEpochSchedule(new litesvm.EpochSchedule(slots, slots, false, 0n, 0n));
    svm.setBuiltins();
    svm.setPrecompiles();
    svm.setDefaultPrograms();
    svm.withNativeMints();
    svm.setSigverify(true);
    // The chain knows which blockhashes are recent and which signatures were seen.
    svm.setBlockhashCheck(false);
    svm.setTransactionHistory(0n);
    this.#svm = svm;
  }

  /** Null if there is none, or it was closed. */
  read(address: string): ChainAccount | null {
    const account = this.#svm.getAccount(this.#toKey(address));
    if (account === null || account.lamports() === 0n) return null;
    return readLiteAccount(account);
  }

  /** Null closes it. */
  write(address: string, account: ChainAccount | null): void {
    const { lamports, data, owner } =
      account === null ? NO_ACCOUNT : { ...account, owner: this.#toKey(account.owner) };
    const isExecutable = account?.isExecutable ?? false;
    const key = this.#toKey(address);
    this.#svm.setAccount(key, new litesvm.Account(lamports, data, owner, isExecutable, 0n));
  }

  addProgram(address: string, bytes: Uint8Array): void {
    this.#svm.addProgram(this.#toKey(address), bytes);
  }

  findRent(byteCount: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(byteCount));
  }

  /** What programs see of the block that is being made, and of the one before. */
  setTime({ slot, seconds }: ChainTime, parent: { slot: number; hash: string }): void {
    const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
    const now = BigInt(seconds);
    this.#svm.setClock(new litesvm.Clock(BigInt(slot), now, epoch, epoch + 1n, now));
    // A fork replaces slots.
    const older = this.#slotHashes.filter((one) => one.slot < parent.slot);
    const newest = { slot: BigInt(parent.slot), hash: parent.hash };
    this.#slotHashes = [newest, ...older].slice(0, SLOT_HASHES_MAX);
    this.#svm.setSlotHashes(this.#slotHashes);
  }

  execute(bytes: Uint8Array): Execution {
    const result = this.#svm.sendVersionedTransaction(bytes);
    return result instanceof litesvm.FailedTransactionMetadata
      ? readExecution(result.meta(), toTransactionError(result))
      : readExecution(result, null);
  }

  simulate(bytes: Uint8Array, isVerified: boolean): SimulatedRun {
    this.#svm.setSigverify(isVerified);
    try {
      const result = this.#svm.simulateVersionedTransaction(bytes);
      if (result instanceof litesvm.FailedTransactionMetadata) {
        const failed = readExecution(result.meta(), toTransactionError(result));
        return { ...failed, accounts: new Map() };
      }
      const accounts = new Map(
        result
          .postAccounts()
          .map((one) => [encodeBase58Data(one.address), readLiteAccount(one.account())] as const),
      );
      return { ...readExecution(result.meta(), null), accounts };
    } finally {
      this.#svm.setSigverify(true);
    }
  }

  #toKey(address: string): Buffer {
    const known = this.#keys.get(address);
    if (known !== undefined) return known;
    const key = decodeBase58Data(address);
    if (key?.length !== 32) throw new TypeError(`${address} is not an address`);
    if (this.#keys.size >= KEYS_MAX) this.#keys.clear();
    this.#keys.set(address, key);
    return key;
  }
}
