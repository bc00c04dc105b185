// All holders of a token now, from its token accounts: for tokens that are older than the index.
// Nodes have no older state, so the answer is of the slot that the node names.
//
// Many providers refuse such scans or cut them short. The latter is found by the supply: all
// accounts add up to it, with the fees that Token-2022 withholds in them and in the mint, which
// counts as their holder. Where balances can be encrypted they need not. That the list is of the
// slot it names is for the caller to check (docs/decisions/0066).

import type { Address } from '../../../model/ids.ts';
import type { HoldersReading } from '../../adapter.ts';
import { HistoryUnavailableError } from '../../chain-history.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { TOKEN_PROGRAM } from '../data/solana-ids.ts';
import { readAccounts, type SolanaAccount } from '../rpc/read-accounts.ts';
import { readBlockHash } from '../rpc/slot-blocks.ts';
import { CONFIRMED, refuseReply } from '../rpc/solana-node.ts';
import { EXTENSION, findExtension, findMintWithheld } from './mint-extensions.ts';
import { decodeSupply, isMint } from './read-mints.ts';
import {
  type AccountSlice,
  HELD_SLICE,
  LEVIED_SLICE,
  sumTokenAccounts,
} from './sum-token-accounts.ts';

interface HoldersQuery {
  readonly token: Address;
  readonly minSlot: number;
}

/** Accounts of the first token program. */
const ACCOUNT_BYTES = 165;
/** About 60 megabytes of JSON. More are not listed: nobody pages through so many holders. */
const ACCOUNT_COUNT_MAX = 200_000;
/** A scan costs its node as much as this many calls for each thousand accounts. */
const CALLS_PER_THOUSAND = 1;

const LIMITATION =
  'does not list the holders of every token; of those older than the index some stay incomplete';

/** Faults that only say that the endpoint does not do this: they must not suspend it. */
const REFUSALS = ['denied', 'rejected', 'replyTooLarge', 'unsupported'] as const;

/** The endpoint goes on with other work. */
function refuse(node: RpcEndpoint, problem: string, cause?: unknown): never {
  const about = { endpoint: node.name, cause };
  node.limitations.note('getProgramAccounts', LIMITATION);
  throw new RpcError('unsupported', `${node.name}: ${problem}`, about);
}

async function listAccounts(
  node: RpcEndpoint,
  {
    token,
    minSlot,
    program,
    slice,
  }: HoldersQuery & { readonly program: Address; readonly slice: AccountSlice },
  signal?: AbortSignal,
): Promise<{ readonly slot: number; readonly rows: readonly unknown[] }> {
  const isSpl = program === TOKEN_PROGRAM;
  const config = {
    ...{ ...CONFIRMED, encoding: 'base64', minContextSlot: minSlot, withContext: true },
    dataSlice: slice,
    // Accounts of Token-2022 are as long as their extensions need.
    filters: [
      { memcmp: { offset: 0, bytes: token } },
      ...(isSpl ? [{ dataSize: ACCOUNT_BYTES }] : []),
    ],
  };
  const call = { method: 'getProgramAccounts', params: [program, config] };
  const reply = (await node.request(call, signal).catch((error: unknown) => {
    if (isRpcError(error, ...REFUSALS)) return refuse(node, error.message, error);
    if (!isRpcError(error, 'network')) throw error;
    // A scan may take longer than we wait, which says nothing about the endpoint's other answers:
    // the next one is asked, and this one is not suspended.
    throw new RpcError('stateUnavailable', error.message, { endpoint: node.name, cause: error });
  })) as { readonly context?: { readonly slot?: unknown }; readonly value?: unknown } | null;
  const slot = reply?.context?.slot;
  const rows = reply?.value;
  if (typeof slot !== 'number' || !Array.isArray(rows)) {
    return refuse(node, 'token accounts are listed without their slot');
  }
  if (slot < minSlot) return refuseReply(node, `accounts are of slot ${slot}, before ${minSlot}`);
  if (rows.length > ACCOUNT_COUNT_MAX) return refuse(node, 'the token has too many accounts');
  return { slot, rows };
}

/** What all accounts of a mint hold together, with the fees that are withheld in them. */
function sumOfAccounts(mint: SolanaAccount): bigint {
  return decodeSupply(mint) - (findMintWithheld(mint.data) ?? 0n);
}

/** Whether accounts may hold more than they show. */
function isEncrypted({ data }: SolanaAccount): boolean {
  return findExtension(data, EXTENSION.confidentialTransfer) !== null;
}

function addTo(
  balances: ReadonlyMap<Address, bigint>,
  owner: Address,
  amountRaw: bigint,
): ReadonlyMap<Address, bigint> {
  if (amountRaw === 0n) return balances;
  return new Map(balances).set(owner, (balances.get(owner) ?? 0n) + amountRaw);
}

async function readAt(
  node: RpcEndpoint,
  query: HoldersQuery,
  signal?: AbortSignal,
): Promise<HoldersReading> {
  const { token, minSlot } = query;
  const readMint = async (slot: number) => {
    const { accounts } = await readAccounts(node, { addresses: [token], minSlot: slot }, signal);
    const mint = accounts.get(token);
    return isMint(mint) ? mint : refuse(node, `${token} is not a mint`);
  };
  const mint = await readMint(minSlot);
  const slice = findMintWithheld(mint.data) === null ? HELD_SLICE : LEVIED_SLICE;
  const listed = await listAccounts(node, { ...query, program: mint.owner, slice }, signal);
  const { slot, rows } = listed;
  const hash = await readBlockHash(node, slot, signal);
  const sums = await sumTokenAccounts(rows, slice, (problem) => refuse(node, problem));
  const { sumRaw, withheldRaw } = sums;
  const inAccountsRaw = sumRaw + withheldRaw;
  let supplyRaw = decodeSupply(mint);
  if (!isEncrypted(mint) && inAccountsRaw !== sumOfAccounts(mint)) {
    // It may have been minted or burned in between.
    const later = await readMint(slot);
    const isSame = sumOfAccounts(later) === sumOfAccounts(mint);
    if (isSame) return refuse(node, 'the holders it lists do not add up to the supply');
    if (sumOfAccounts(later) !== inAccountsRaw) {
      const problem = `${node.name}: the supply changed while holders were listed`;
      throw new RpcError('stateUnavailable', problem, { endpoint: node.name });
    }
    supplyRaw = decodeSupply(later);
  }
  const restRaw = isEncrypted(mint) ? 0n : supplyRaw - sumRaw;
  const balances = addTo(sums.balances, token, restRaw);
  const callCount = 4 + Math.ceil(rows.length / 1000) * CALLS_PER_THOUSAND;
  return { balances, at: { position: slot, hash }, callCount };
}

/** Rejects with a `HistoryUnavailableError` if no endpoint lists them. */
export async function readTokenHolders(
  client: RpcClient,
  query: HoldersQuery,
  signal?: AbortSignal,
): Promise<HoldersReading> {
  try {
    return await client.at((node) => readAt(node, query, signal), { signal });
  } catch (error) {
    if (!isRpcError(error, 'unsupported')) throw error;
    throw new HistoryUnavailableError(`no endpoint lists its holders: ${error.message}`, {
      cause: error,
    });
  }
}
