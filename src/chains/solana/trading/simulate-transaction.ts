// Runs an unsigned transaction on a node's newest state. Nothing is sent.

import { AppError } from '../../../errors/app-error.ts';
import type { Address } from '../../../model/ids.ts';
import { explainFailure } from '../blocks/explain-failure.ts';
import { AccountBytes } from '../data/account-bytes.ts';
import { parseSlot } from '../rpc/solana-dialect.ts';
import { CONFIRMED, refuseReply, type SolanaNode } from '../rpc/solana-node.ts';

interface SimulationQuery {
  readonly transaction: Uint8Array;
  /** The accounts whose balances are wanted afterwards. */
  readonly watched: readonly Address[];
  readonly minSlot: number;
}

interface SimulatedTransaction {
  readonly slot: number;
  readonly unitsUsed: number;
  /** Without those that do not exist afterwards. */
  readonly watched: ReadonlyMap<Address, WatchedAccount>;
}

interface WatchedAccount {
  readonly lamports: bigint;
  readonly data: AccountBytes;
}

/** Undefined if it is malformed. */
function parseWatched(value: unknown): WatchedAccount | null | undefined {
  if (value === null) return null;
  const { data, lamports } = (value ?? {}) as { data?: unknown; lamports?: unknown };
  const text: unknown = Array.isArray(data) ? data[0] : undefined;
  if (typeof text !== 'string' || !Number.isInteger(lamports)) return undefined;
  const bytes = new AccountBytes(Buffer.from(text, 'base64'));
  return { lamports: BigInt(lamports as number), data: bytes };
}

/** Throws `SIMULATION_REVERTED` if the transaction would fail. */
export async function simulateTransaction(
  node: SolanaNode,
  { transaction, watched, minSlot }: SimulationQuery,
  signal?: AbortSignal,
): Promise<SimulatedTransaction> {
  const config = {
    ...CONFIRMED,
    ...{ encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true },
    ...{ minContextSlot: minSlot, accounts: { encoding: 'base64', addresses: [...watched] } },
  };
  const params = [Buffer.from(transaction).toString('base64'), config];
  const reply = (await node.request({ method: 'simulateTransaction', params }, signal)) as {
    readonly context?: { readonly slot?: unknown };
    readonly value?: Readonly<Record<string, unknown>> | null;
  } | null;
  const slot = parseSlot(reply?.context?.slot);
  const { err, logs, unitsConsumed, accounts } = reply?.value ?? {};
  if (slot === null || err === undefined) return refuseReply(node, 'a simulation is malformed');
  if (err !== null) {
    const reason = explainFailure(err, Array.isArray(logs) ? logs : []);
    throw new AppError('SIMULATION_REVERTED', { step: 'swap', reason });
  }
  const found = new Map<Address, WatchedAccount>();
  for (const [index, address] of watched.entries()) {
    const account = parseWatched(Array.isArray(accounts) ? accounts[index] : undefined);
    if (account === undefined) return refuseReply(node, 'a simulation is malformed');
    if (account !== null) found.set(address, account);
  }
  if (!Number.isInteger(unitsConsumed)) return refuseReply(node, 'a simulation is malformed');
  return { slot, unitsUsed: unitsConsumed as number, watched: found };
}
