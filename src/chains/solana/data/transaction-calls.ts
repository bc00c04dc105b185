// A transaction's calls in the order of their execution, each with the calls that it made.

import type { Address } from '../../../model/ids.ts';
import { AccountBytes } from './account-bytes.ts';
import { decodeBase58Data } from './base58-data.ts';
import { listAccountKeys, type RawInstruction, type RawTransaction } from './raw-transaction.ts';
import { toSolanaAddress } from './solana-ids.ts';

/** Where a call stands: its outer instruction, and its place among the inner ones or −1. */
export interface CallPlace {
  readonly outer: number;
  readonly inner: number;
}

/** Data and accounts are decoded when they are asked for: most calls are of no interest. */
export class ProgramCall implements CallPlace {
  readonly outer: number;
  readonly inner: number;
  readonly program: Address;
  /** Calls that it made, directly or through others, in order. */
  readonly nested: ProgramCall[] = [];
  readonly stackHeight: number;
  readonly #raw: RawInstruction;
  readonly #keys: readonly string[];
  #data: AccountBytes | null = null;

  constructor(raw: RawInstruction, keys: readonly string[], place: CallPlace) {
    this.outer = place.outer;
    this.inner = place.inner;
    this.#raw = raw;
    this.#keys = keys;
    this.program = readKey(keys, raw.programIdIndex);
    // Blocks of before 2022 do not tell the height: then all inner calls count as direct.
    this.stackHeight = raw.stackHeight ?? (place.inner < 0 ? 1 : 2);
  }

  get accountCount(): number {
    return this.#raw.accounts.length;
  }

  /** Null if the call has fewer accounts. */
  account(index: number): Address | null {
    const at = this.#raw.accounts[index];
    return at === undefined ? null : readKey(this.#keys, at);
  }

  get data(): AccountBytes {
    if (this.#data === null) {
      const bytes = decodeBase58Data(this.#raw.data);
      if (bytes === null) throw new RangeError('instruction data is not base58');
      this.#data = new AccountBytes(bytes);
    }
    return this.#data;
  }
}

function readKey(keys: readonly string[], index: number): Address {
  const key = keys[index];
  if (key === undefined) throw new RangeError(`the transaction has no account ${index}`);
  return toSolanaAddress(key);
}

/** All calls in the order of their execution. */
export function listCalls(raw: RawTransaction): ProgramCall[] {
  const keys = listAccountKeys(raw);
  const inner = new Map(
    (raw.meta?.innerInstructions ?? []).map(({ index, instructions }) => [index, instructions]),
  );
  const calls: ProgramCall[] = [];
  raw.transaction.message.instructions.forEach((instruction, outer) => {
    /** The calls that are still running, outermost first. */
    const open = [new ProgramCall(instruction, keys, { outer, inner: -1 })];
    calls.push(...open);
    (inner.get(outer) ?? []).forEach((each, index) => {
      const call = new ProgramCall(each, keys, { outer, inner: index });
      while ((open.at(-1)?.stackHeight ?? 0) >= call.stackHeight) open.pop();
      for (const caller of open) caller.nested.push(call);
      open.push(call);
      calls.push(call);
    });
  });
  return calls;
}
