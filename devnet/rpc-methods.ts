// Which RPC methods the devnet takes, and what each does to the node.

/** Methods that change the chain's blocks: never run while a block is being mined. */
export const REWRITES: ReadonlySet<string> = new Set([
  ...['evm_mine', 'evm_mine_detailed', 'anvil_mine_detailed', 'anvil_mine', 'hardhat_mine'],
  ...['evm_snapshot', 'anvil_snapshot', 'evm_revert', 'anvil_revert', 'anvil_reorg'],
  ...['anvil_rollback', 'anvil_reset', 'hardhat_reset', 'anvil_loadState', 'hardhat_loadState'],
]);
/** What developers do to a chain besides, and what reads how it is set up. */
const CHANGES = new Set([
  ...['evm_increaseTime', 'evm_setNextBlockTimestamp', 'evm_setTime', 'evm_setBlockGasLimit'],
  ...['anvil_increaseTime', 'anvil_setNextBlockTimestamp', 'anvil_setTime'],
  ...['anvil_setBlockGasLimit', 'anvil_setBlockTimestampInterval', 'evm_setAccountNonce'],
  ...['anvil_removeBlockTimestampInterval', 'anvil_setNextBlockBaseFeePerGas'],
  ...['anvil_setMinGasPrice', 'anvil_setCoinbase', 'anvil_setBalance', 'anvil_addBalance'],
  ...['anvil_setNonce', 'anvil_setCode', 'anvil_setStorageAt', 'anvil_dealERC20'],
  ...['anvil_dealErc20', 'anvil_setERC20Allowance', 'anvil_setErc20Allowance'],
  ...['anvil_impersonateAccount', 'anvil_stopImpersonatingAccount', 'anvil_impersonateSignature'],
  ...['anvil_autoImpersonateAccount', 'anvil_dropTransaction', 'anvil_dropAllTransactions'],
  ...['anvil_removePoolTransactions', 'anvil_dumpState', 'anvil_nodeInfo', 'anvil_metadata'],
  ...['anvil_getAutomine', 'anvil_getIntervalMining', 'anvil_getBlobByHash'],
  ...['hardhat_setBalance', 'hardhat_setCode', 'hardhat_setNonce', 'hardhat_setStorageAt'],
  ...['hardhat_setNextBlockBaseFeePerGas', 'hardhat_setMinGasPrice', 'hardhat_setCoinbase'],
  ...['hardhat_impersonateAccount', 'hardhat_stopImpersonatingAccount', 'hardhat_getAutomine'],
  ...['hardhat_dropTransaction', 'hardhat_metadata'],
]);
/** Namespaces that read and send: as on any node. */
const NAMESPACES = /^(eth|net|web3|debug|trace|txpool|rpc|erigon|ots)_/;
/** Of those namespaces, what leaves something in the node: transactions, filters. */
const LEAVES_TRACES = /^eth_(send|new|uninstallFilter|getFilterChanges|subscribe|unsubscribe)/;
export const MINES_MANY: ReadonlySet<string> = new Set(['anvil_mine', 'hardhat_mine']);
export const SETS_INTERVAL: ReadonlySet<string> = new Set([
  'evm_setIntervalMining',
  'anvil_setIntervalMining',
]);

export function isAllowed(method: string): boolean {
  if (NAMESPACES.test(method)) return true;
  return REWRITES.has(method) || SETS_INTERVAL.has(method) || CHANGES.has(method);
}

/** Whether a call may change the node; any other is answered alike by every node of the chain. */
export function changesNode(method: string): boolean {
  return !NAMESPACES.test(method) || LEAVES_TRACES.test(method);
}
