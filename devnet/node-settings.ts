// How clients have set up the node, beyond what a saved chain contains: repeated on the next node.

import type { DevnetRpcCall, JsonRpc } from './json-rpc.ts';

/** The setting that a method makes, and how many of its parameters name it. */
interface Setting {
  readonly name: string;
  readonly keyCount: number;
}

const SETTINGS: Readonly<Record<string, Setting>> = {
  anvil_impersonateAccount: { name: 'account', keyCount: 1 },
  hardhat_impersonateAccount: { name: 'account', keyCount: 1 },
  anvil_stopImpersonatingAccount: { name: 'account', keyCount: 1 },
  hardhat_stopImpersonatingAccount: { name: 'account', keyCount: 1 },
  anvil_impersonateSignature: { name: 'signature', keyCount: 1 },
  anvil_autoImpersonateAccount: { name: 'any account', keyCount: 0 },
  anvil_setCoinbase: { name: 'coinbase', keyCount: 0 },
  hardhat_setCoinbase: { name: 'coinbase', keyCount: 0 },
  anvil_setMinGasPrice: { name: 'gas price', keyCount: 0 },
  hardhat_setMinGasPrice: { name: 'gas price', keyCount: 0 },
  anvil_setBlockTimestampInterval: { name: 'time between blocks', keyCount: 0 },
  anvil_removeBlockTimestampInterval: { name: 'time between blocks', keyCount: 0 },
  anvil_setBlockGasLimit: { name: 'gas limit', keyCount: 0 },
  evm_setBlockGasLimit: { name: 'gas limit', keyCount: 0 },
};
const SETTINGS_MAX = 10_000;

export class NodeSettings {
  readonly #calls = new Map<string, DevnetRpcCall>();

  /** Remembers a call that the node has accepted, if it sets something up. */
  note({ method, params }: DevnetRpcCall): void {
    const setting = Object.hasOwn(SETTINGS, method) ? SETTINGS[method] : undefined;
    if (setting === undefined) return;
    const names = params.slice(0, setting.keyCount).map((name) => String(name).toLowerCase());
    const key = [setting.name, ...names].join(' ');
    // The last call of its kind, in the order of the calls.
    this.#calls.delete(key);
    this.#calls.set(key, { method, params });
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > SETTINGS_MAX && oldest !== undefined) this.#calls.delete(oldest);
  }

  async repeatOn(rpc: JsonRpc): Promise<void> {
    for (const { method, params } of this.#calls.values()) await rpc.call(method, ...params);
  }
}

export function isSetting(method: string): boolean {
  return Object.hasOwn(SETTINGS, method);
}
