// A wallet behind EIP-1193 that executes batches as EIP-5792 describes them, headless: its account
// delegates to a contract (EIP-7702) that makes all calls in one transaction, or none.

import assert from 'node:assert/strict';
import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { TEST_ADDRESSES } from '../devnet/accounts.ts';
import type { TestChain } from '../devnet/test-chain.ts';
import { compileWallets } from './contracts/compile-wallets.ts';
import type { Json } from './market-scene.ts';

const CHAIN_ID = 1337;
const CHAIN_ID_HEX = '0x539';
const GAS = 8_000_000n;
const FEES = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000n };
/** A quantity as JSON-RPC writes it: no leading zeros. */
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/;
const BYTES = /^0x([0-9a-f]{2})*$/i;
const ADDRESS = /^0x[0-9a-f]{40}$/i;

const INVALID_PARAMS = -32602;
const UNSUPPORTED_METHOD = 4200;
const UNSUPPORTED_CAPABILITY = 5700;
const UNSUPPORTED_CHAIN = 5710;
const UNKNOWN_BUNDLE = 5730;

export interface BatchWallet {
  request(asked: { readonly method: string; readonly params?: unknown }): Promise<unknown>;
  /** The parameters of every batch. */
  readonly batches: readonly Json[];
}

class ProviderError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

function assertFields(value: Json, fields: readonly string[]): void {
  const unknown = Object.keys(value).filter((name) => !fields.includes(name));
  if (unknown.length > 0) throw new ProviderError(INVALID_PARAMS, `unknown: ${unknown.join()}`);
}

/** As strict as the standard; a field that is undefined is not sent. */
function parseBatch(asked: Json, owner: string): readonly Json[] {
  const batch = JSON.parse(JSON.stringify(asked)) as Json;
  const { version, from, chainId, atomicRequired, calls, capabilities } = batch;
  const fields = ['version', 'id', 'from', 'chainId', 'atomicRequired', 'calls', 'capabilities'];
  assertFields(batch, fields);
  const isWell =
    version === '2.0.0' && from === owner && typeof atomicRequired === 'boolean' && calls.length;
  if (!isWell) throw new ProviderError(INVALID_PARAMS, 'not a batch of this account');
  if (chainId !== CHAIN_ID_HEX) throw new ProviderError(UNSUPPORTED_CHAIN, `${chainId}`);
  if (Object.keys(capabilities ?? {}).length > 0) {
    throw new ProviderError(UNSUPPORTED_CAPABILITY, Object.keys(capabilities).join());
  }
  for (const call of calls as Json[]) {
    assertFields(call, ['to', 'data', 'value', 'capabilities']);
    const { to, data = '0x', value = '0x0' } = call;
    const isCall = ADDRESS.test(to) && BYTES.test(data) && QUANTITY.test(value);
    if (!isCall) throw new ProviderError(INVALID_PARAMS, JSON.stringify(call).slice(0, 200));
  }
  return calls;
}

/** The contract answers only to the account itself. */
async function deployExecutor(chain: TestChain, owner: Hex) {
  const { OwnerWallet: executor } = compileWallets();
  assert.ok(executor, 'no wallet is compiled');
  const [from] = TEST_ADDRESSES as [Hex];
  const nonce = BigInt(await chain.rpc.call<Hex>('eth_getTransactionCount', from, 'latest'));
  const data = encodeDeployData({ ...executor, args: [owner] });
  assert.equal((await chain.send({ from, data, gas: 3_000_000n })).status, '0x1');
  return { abi: executor.abi, address: getContractAddress({ from, nonce }) };
}

export async function createBatchWallet(
  chain: TestChain,
  account: PrivateKeyAccount,
): Promise<BatchWallet> {
  const { address } = account;
  const executor = await deployExecutor(chain, address);
  const batches: Json[] = [];
  const receipts = new Map<string, Json>();

  const execute = async (calls: readonly Json[]): Promise<string> => {
    const own = calls.map(({ to, data = '0x', value = '0x0' }) => {
      return { to, data, value: BigInt(value) };
    });
    const data = encodeFunctionData({ abi: executor.abi, functionName: 'execute', args: [own] });
    const nonce = Number(await chain.rpc.call<Hex>('eth_getTransactionCount', address, 'pending'));
    const terms = { chainId: CHAIN_ID, contractAddress: executor.address, nonce: nonce + 1 };
    const authorization = await account.signAuthorization(terms);
    const signed = await account.signTransaction({
      ...{ type: 'eip7702', chainId: CHAIN_ID, to: address, data, gas: GAS, nonce, ...FEES },
      authorizationList: [authorization],
    });
    const hash = await chain.rpc.call<Hex>('eth_sendRawTransaction', signed);
    await chain.mine();
    receipts.set(hash, await chain.rpc.call<Json>('eth_getTransactionReceipt', hash));
    return hash;
  };

  const methods: Readonly<Record<string, (params: Json) => unknown>> = {
    eth_chainId: () => CHAIN_ID_HEX,
    eth_accounts: () => [address],
    wallet_getCapabilities: () => ({ [CHAIN_ID_HEX]: { atomic: { status: 'supported' } } }),
    wallet_sendCalls: async ([batch]) => {
      const calls = parseBatch(batch, address);
      batches.push(batch);
      return { id: await execute(calls) };
    },
    wallet_getCallsStatus: ([id]) => {
      const receipt = receipts.get(id);
      if (receipt === undefined) throw new ProviderError(UNKNOWN_BUNDLE, id);
      const { logs, status, blockHash, blockNumber, gasUsed, transactionHash } = receipt;
      return {
        ...{ version: '2.0.0', id, chainId: CHAIN_ID_HEX, atomic: true },
        status: status === '0x1' ? 200 : 500,
        receipts: [{ logs, status, blockHash, blockNumber, gasUsed, transactionHash }],
      };
    },
  };
  return {
    batches,
    request: async ({ method, params = [] }) => {
      const answer = methods[method];
      if (answer === undefined) throw new ProviderError(UNSUPPORTED_METHOD, method);
      return answer(params);
    },
  };
}
