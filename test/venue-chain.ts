// A chain of its own for the contracts of other exchanges, as npm has them: plain tokens, a caller
// that pays pools, and large blocks of transactions.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from 'viem';
import { MAKER } from '../devnet/accounts.ts';
import { startAnvil } from '../devnet/anvil-node.ts';
import { createBlockWriter } from '../devnet/block-writer.ts';
import { readCompiledContracts } from '../devnet/compile-contracts.ts';
import type { JsonRpc } from '../devnet/json-rpc.ts';
import { evmAddress } from '../src/chains/evm/data/evm-ids.ts';
import type { EvmLog } from '../src/chains/evm/data/evm-log.ts';
import { parseLogs } from '../src/chains/evm/data/parse-logs.ts';
import type { CallContracts } from '../src/chains/evm/rpc/multicall.ts';
import type { Address } from '../src/model/ids.ts';

export interface NpmContract {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

function readPackageJson(path: string): unknown {
  return JSON.parse(readFileSync(createRequire(import.meta.url).resolve(path), 'utf8'));
}

/** A compiled contract of a package; its code may be in a file of its own. */
export function readNpmContract(path: string, codePath?: string): NpmContract {
  const file = readPackageJson(path) as Abi | { abi: Abi; bytecode?: string };
  const abi = 'abi' in file ? file.abi : file;
  const code =
    codePath === undefined
      ? 'bytecode' in file && file.bytecode
      : (readPackageJson(codePath) as { creationCode: string }).creationCode;
  assert.ok(typeof code === 'string' && code.length > 2, `${path} has no code`);
  return { abi, bytecode: (code.startsWith('0x') ? code : `0x${code}`) as Hex };
}

interface ChainCall {
  readonly to: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
}

const GENESIS_S = 1_700_000_000;
/** What a token's holder has: more than any swap takes. */
const HOLDING = 10n ** 32n;
const CREATE_GAS = 12_000_000n;
const CALL_GAS = 1_500_000n;

export class VenueChain {
  readonly rpc: JsonRpc;
  readonly #stop: () => Promise<void>;
  readonly #writer: ReturnType<typeof createBlockWriter>;
  #timeS = GENESIS_S;
  #head = 0;

  private constructor(rpc: JsonRpc, stop: () => Promise<void>) {
    this.rpc = rpc;
    this.#stop = stop;
    this.#writer = createBlockWriter(rpc);
  }

  static async start(): Promise<VenueChain> {
    const dataDir = await mkdtemp(join(tmpdir(), 'mintwire-venues-'));
    const stateFile = join(dataDir, 'state.json');
    const node = await startAnvil({ dataDir, stateFile, genesisTimestamp: GENESIS_S });
    const stop = async () => {
      await node.discard();
      await rm(dataDir, { recursive: true, force: true });
    };
    try {
      await node.rpc.call('anvil_setBalance', MAKER, `0x${(10n ** 24n).toString(16)}`);
      await node.rpc.call('anvil_impersonateAccount', MAKER);
    } catch (error) {
      await stop();
      throw error;
    }
    return new VenueChain(node.rpc, stop);
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  /** Queues a contract of the maker and returns its address. */
  create({ abi, bytecode }: NpmContract, args: readonly unknown[] = [], gas = CREATE_GAS): Address {
    const address = this.nextAddress();
    const data = encodeDeployData({ abi, bytecode, args });
    this.#writer.queue({ from: MAKER, data, gas });
    return address;
  }

  /** That of the contract that is created after this many others. */
  nextAddress(others = 0): Address {
    const nonce = BigInt(this.#writer.nonceOf(MAKER) + others);
    return evmAddress(getContractAddress({ from: MAKER, nonce }));
  }

  /** Tokens in the order of their addresses, held by the maker and these others. */
  createTokens(decimals: readonly number[], others: readonly Address[] = []) {
    const plain = readCompiledContracts().contracts['PlainToken'] ?? assert.fail();
    const holders = [MAKER, ...others];
    const created = decimals.map((places) => ({
      decimals: places,
      address: this.create(plain, ['Token', 'T', places, holders, holders.map(() => HOLDING)]),
    }));
    return created.sort((a, b) => (a.address < b.address ? -1 : 1));
  }

  call({ to, abi, functionName, args }: ChainCall, gas = CALL_GAS): void {
    this.send(to, encodeFunctionData({ abi, functionName, args }), gas);
  }

  /** Queues a call of the maker. */
  send(to: Address, data: Hex, gas = CALL_GAS): void {
    this.#writer.queue({ from: MAKER, to: to as Hex, data, gas });
  }

  /** Mines what is queued, in blocks as large as they may be; fails if a transaction failed. */
  async mine(elapsedS = 12): Promise<readonly EvmLog[]> {
    const from = this.#head + 1;
    while (this.#writer.queuedCount > 0) {
      this.#timeS += elapsedS;
      await this.#writer.mine(this.#timeS);
      this.#head += 1;
    }
    const range = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${this.#head.toString(16)}` };
    const blocks = Array.from({ length: this.#head - from + 1 }, (_, index) => from + index);
    const receipts = await this.rpc.batch<{ status: string; transactionHash: string }[]>(
      blocks.map((block) => ({
        ...{ method: 'eth_getBlockReceipts', params: [`0x${block.toString(16)}`] },
      })),
    );
    const failed = receipts.flat().findIndex(({ status }) => status !== '0x1');
    assert.equal(failed, -1, `transaction ${failed} failed`);
    const raw = await this.rpc.call<unknown>('eth_getLogs', range);
    return parseLogs(raw, { fromBlock: from, toBlock: this.#head, endpoint: 'anvil' });
  }

  /** For our readers: null where the contract does not answer. */
  readonly callContracts: CallContracts = async (calls) => {
    const replies = await this.rpc.ask(
      calls.map((one) => ({ method: 'eth_call', params: [one, 'latest'] })),
    );
    return replies.map(({ result }) =>
      typeof result === 'string' && result !== '0x' ? result : null,
    );
  };
}
