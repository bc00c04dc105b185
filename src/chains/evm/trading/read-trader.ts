// Reads a wallet's balances, allowances and nonce as of the newest block, in one request.

import type { BlockHeader } from '../../../model/block-header.ts';
import type { Address } from '../../../model/ids.ts';
import type { RpcOutcome } from '../../rpc/parse-rpc-reply.ts';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import type { RpcCall } from '../../rpc/rpc-dialect.ts';
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts';
import { RpcError } from '../../rpc/rpc-error.ts';
import { addressWord, encodeCallData, hasWords, uintAt } from '../data/hex-data.ts';
import { parseBlock } from '../data/parse-block.ts';
import { ZERO_ADDRESS } from '../data/zero-address.ts';
import { type BlockConditions, parseConditions } from '../rpc/realistic-simulation.ts';
import type { SwapRouter } from '../venues/swap-routers.ts';
import { findSpender, type RouterAllowance } from './encode-approval.ts';

export interface Trader {
  readonly head: BlockHeader;
  /** What contracts saw in that block. */
  readonly conditions: BlockConditions | null;
  readonly nativeRaw: bigint;
  /** The next nonce, pending transactions included. */
  readonly nonce: number;
  /** Of the input; the native balance if the native coin is spent. */
  readonly balanceRaw: bigint;
  /** Null if the native coin is spent, which needs no allowance. */
  readonly allowance: RouterAllowance | null;
}

const BALANCE_OF = '0x70a08231';
const ALLOWANCE = '0xdd62ed3e';
const PERMIT2_ALLOWANCE = '0x927da105';
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;

function parseQuantity(value: unknown, endpoint: RpcEndpoint): bigint {
  if (typeof value === 'string' && QUANTITY.test(value)) return BigInt(value);
  const { name } = endpoint;
  throw new RpcError('invalidReply', `${name}: quantity expected`, { endpoint: name });
}

/** A contract's return value as words; zeros if the contract does not have the function. */
function parseWords(value: unknown, count: number): bigint[] {
  const isUsable = typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value);
  const isWhole = isUsable && (hasWords(value, count) || value.length > 2 + count * 64);
  return Array.from({ length: count }, (_, index) => (isWhole ? uintAt(value, index) : 0n));
}

function buildReads(wallet: Address, token: Address, router: SwapRouter): RpcCall[] {
  const { permit2, address } = router;
  const owner = addressWord(wallet);
  const buildRead = (to: Address, data: string): RpcCall => ({
    method: 'eth_call',
    params: [{ to, data, gas: '0x1e8480' }, 'latest'],
  });
  const words = [owner, addressWord(token), addressWord(address)];
  return [
    buildRead(token, encodeCallData(BALANCE_OF, owner)),
    buildRead(token, encodeCallData(ALLOWANCE, owner, addressWord(findSpender(router)))),
    ...(permit2 === null ? [] : [buildRead(permit2, encodeCallData(PERMIT2_ALLOWANCE, ...words))]),
  ];
}

interface TraderQuery {
  readonly wallet: Address;
  /** The token that is spent. */
  readonly token: Address;
  readonly router: SwapRouter;
  readonly signal?: AbortSignal | undefined;
}

async function readAt(endpoint: RpcEndpoint, query: TraderQuery): Promise<Trader> {
  const { wallet, token, router, signal } = query;
  const isNative = token === ZERO_ADDRESS;
  const [latest, native, nonce, ...reads] = await endpoint.batch(
    [
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      { method: 'eth_getBalance', params: [wallet, 'latest'] },
      { method: 'eth_getTransactionCount', params: [wallet, 'pending'] },
      ...(isNative ? [] : buildReads(wallet, token, router)),
    ],
    { signal },
  );
  const block = endpoint.unwrap(latest);
  const head = parseBlock(block, endpoint.name)?.header;
  if (head === undefined) throw new RpcError('invalidReply', `${endpoint.name}: no latest block`);
  endpoint.health.observeHead(head.position);
  const nativeRaw = parseQuantity(endpoint.unwrap(native), endpoint);
  const common = {
    head,
    conditions: parseConditions(block),
    nativeRaw,
    nonce: Number(parseQuantity(endpoint.unwrap(nonce), endpoint)),
  };
  if (isNative) return { ...common, balanceRaw: nativeRaw, allowance: null };
  return { ...common, ...parseReads(reads) };
}

/** If a token does not report its balance, it counts as zero: the simulation shows the reason. */
function parseReads(reads: readonly RpcOutcome[]): Pick<Trader, 'balanceRaw' | 'allowance'> {
  const [balance, allowance, permitted] = reads.map((one) => (one.ok ? one.result : null));
  const [balanceRaw = 0n] = parseWords(balance, 1);
  const [tokenRaw = 0n] = parseWords(allowance, 1);
  const [permit2Raw = 0n, expiration = 0n, nonce = 0n] = parseWords(permitted, 3);
  const [permit2Expiration, permit2Nonce] = [Number(expiration), Number(nonce)];
  return { balanceRaw, allowance: { tokenRaw, permit2Raw, permit2Expiration, permit2Nonce } };
}

export function readTrader(client: RpcClient, query: TraderQuery): Promise<Trader> {
  return client.at((endpoint) => readAt(endpoint, query), { signal: query.signal });
}

/** What the wallet has allowed another router of the chain. */
export function readAllowance(
  client: RpcClient,
  { wallet, token, router }: TraderQuery,
): Promise<RouterAllowance | null> {
  if (token === ZERO_ADDRESS) return Promise.resolve(null);
  return client.at(async (endpoint) => {
    const reads = await endpoint.batch(buildReads(wallet, token, router), {});
    return parseReads(reads).allowance;
  });
}
