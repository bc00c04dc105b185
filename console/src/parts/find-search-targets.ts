// What a text may name besides a token: a wallet, a pool, a transaction.

interface SearchTargets {
  readonly isWallet: boolean;
  readonly isPool: boolean;
  readonly isTransaction: boolean;
  /** The namespace of the chains that have such ids. */
  readonly namespace: 'eip155' | 'solana';
}

const EVM_ADDRESS = /^0x[0-9a-f]{40}$/i;
/** Of a transaction, or of a pool that a singleton contract holds. */
const EVM_WORD = /^0x[0-9a-f]{64}$/i;
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const SOLANA_SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;

/** Null if it is no whole address or id. */
export function findSearchTargets(text: string): SearchTargets | null {
  const isEvmWord = EVM_WORD.test(text);
  if (EVM_ADDRESS.test(text) || isEvmWord) {
    return { isWallet: !isEvmWord, isPool: true, isTransaction: isEvmWord, namespace: 'eip155' };
  }
  if (SOLANA_ADDRESS.test(text)) {
    return { isWallet: true, isPool: true, isTransaction: false, namespace: 'solana' };
  }
  if (SOLANA_SIGNATURE.test(text)) {
    return { isWallet: false, isPool: false, isTransaction: true, namespace: 'solana' };
  }
  return null;
}
