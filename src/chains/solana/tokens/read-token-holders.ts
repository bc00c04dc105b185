// All holders of a token now, from its token accounts: for tokens that are older than the index.
// Nodes have no older state, so the answer is of the slot that the node names.
//
// Many providers refuse such scans or cut them short. The latter is found by the supply: tokens of
// the SPL program add up to it. Those of Token-2022 need not, because fees may be withheld and
// balances encrypted.

import type { Address } from '../../../model/ids.ts';
import type { HoldersReading } from '../../adapter.ts';
import { HistoryUnavailableError } from '../../chain-history.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { isRpcError, RpcError } from '../../rpc/rpc-error.ts';
import { AccountBytes } from '../accounts/account-bytes.ts';
import { readAccounts } from '../accounts/read-accounts.ts';
import { readBlockHash } from '../blocks/slot-blocks.ts';
import { CONFIRMED, refuseReply } from '../rpc/solana-node.ts';
import { TOKEN_PROGRAM } from '../solana-ids.ts';
import { decodeSupply, isMint } from './read-mints.ts';

interface HoldersQuery {
  readonly token: Address;
  readonly minSlot: number;
}

interface ListedAccount {
  readonly account: { readonly data: readonly [string, string]; readonly space?: number };
}

/** Of a token account: the owner's key and the amount, which are all that is asked for. */
const SLICE = { offset: 32, length: 40 } as const;
const AMOUNT_OFFSET = 32;
const ACCOUNT_BYTES = 165;
/** Multisignature accounts of Token-2022, which could begin with any key. */
const MULTISIG_BYTES = 355;
/** About 60 megabytes of JSON. More are not listed: nobody pages through so many holders. */
const ACCOUNT_COUNT_MAX = 200_000;
/** A scan costs its node as much as this many calls for each thousand accounts. */
const CALLS_PER_THOUSAND = 1;

const LIMITATION =
  'does not list the holders of every token; of those older than the index some stay incomplete';

/** Faults that only say that the endpoint does not do this: they must not suspend it. */
const REFUSALS = ['denied', 'rejected', 'replyTooLarge', 'unsupported'] as const;

function isListed(value: unknown): value is ListedAccount {
  const { account } = (value ?? {}) as { readonly account?: { readonly data?: unknown } };
  return Array.isArray(account?.data) && typeof account.data[0] === 'string';
}

/** The endpoint goes on with other work. */
function refuse(node: RpcEndpoint, problem: string, cause?: unknown): never {
  const about = { endpoint: node.name, cause };
  node.limitations.note('getProgramAccounts', LIMITATION);
  throw new RpcError('unsupported', `${node.name}: ${problem}`, about);
}

async function listAccounts(
  node: RpcEndpoint,
  { token, minSlot, program }: HoldersQuery & { readonly program: Address },
  signal?: AbortSignal,
): Promise<{ readonly slot: number; readonly rows: readonly unknown[] }> {
  const isSpl = program === TOKEN_PROGRAM;
  const config = {
    ...{ ...CONFIRMED, encoding: 'base64', minContextSlot: minSlot, withContext: true },
    dataSlice: SLICE,
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

function sumByOwner(node: RpcEndpoint, rows: readonly unknown[]): Map<Address, bigint> {
  const balances = new Map<Address, bigint>();
  for (const row of rows) {
    if (!isListed(row)) return refuse(node, 'a token account is malformed');
    if (row.account.space === MULTISIG_BYTES) continue;
    const data = new AccountBytes(Buffer.from(row.account.data[0], 'base64'));
    if (data.length !== SLICE.length) return refuse(node, 'a token account has another length');
    const amountRaw = data.u64(AMOUNT_OFFSET);
    if (amountRaw === 0n) continue;
    const owner = data.key(0);
    balances.set(owner, (balances.get(owner) ?? 0n) + amountRaw);
  }
  return balances;
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
  const program = mint.owner;
  const { slot, rows } = await listAccounts(node, { ...query, program }, signal);
  const hash = await readBlockHash(node, slot, signal);
  const balances = sumByOwner(node, rows);
  const sumRaw = [...balances.values()].reduce((sum, amountRaw) => sum + amountRaw, 0n);
  const supplyRaw = decodeSupply(mint);
  if (program === TOKEN_PROGRAM && sumRaw !== supplyRaw) {
    // It may have been minted or burned in between.
    const isSame = decodeSupply(await readMint(slot)) === supplyRaw;
    if (isSame) return refuse(node, 'the holders it lists do not add up to the supply');
  }
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
