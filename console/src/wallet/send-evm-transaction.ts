// Has a wallet sign and send a transaction, after checking that it is the right wallet and chain.

import { dialogTexts } from '../dialog-texts.ts';
import { type BuiltTransaction, isSameAddress, type PageWallet } from './page-wallet.ts';
import { WalletError } from './wallet-error.ts';

type FeeTransaction = Extract<BuiltTransaction, { type: 'eip1559' }>;

interface EvmSending {
  readonly wallet: Pick<PageWallet, 'readAddress' | 'readCaip2'>;
  readonly ask: (method: string, params: readonly unknown[]) => Promise<unknown>;
  readonly transaction: BuiltTransaction;
  /** The wallet of the session. */
  readonly owner: string;
}

const toHex = (decimal: string | number) => `0x${BigInt(decimal).toString(16)}`;

/** Whether the wallet is on the transaction's chain; refuses another account. */
async function checkWallet(
  { wallet, owner }: EvmSending,
  { from, chainId }: FeeTransaction,
): Promise<boolean> {
  const account = await wallet.readAddress();
  const isOwner = [account, from].every((each) => isSameAddress('eip155', each, owner));
  if (!isOwner) throw new WalletError(dialogTexts.swap.otherAccount(owner));
  return (await wallet.readCaip2()) === `eip155:${chainId}`;
}

/** Before each signature: account and chain may have been changed in the wallet at any time. */
async function assertWallet(sending: EvmSending, transaction: FeeTransaction): Promise<void> {
  if (await checkWallet(sending, transaction)) return;
  const { chainId } = transaction;
  await sending.ask('wallet_switchEthereumChain', [{ chainId: toHex(chainId) }]);
  // The user may have chosen another account with the chain.
  if (!(await checkWallet(sending, transaction))) {
    throw new WalletError(dialogTexts.swap.otherChain(String(chainId)));
  }
}

/** The hash of the sent transaction. The wallet picks the nonce: it knows what else it has sent. */
export async function sendEvmTransaction(sending: EvmSending): Promise<string> {
  const { transaction, ask } = sending;
  if (transaction.type !== 'eip1559') throw new WalletError(dialogTexts.swap.otherFamily);
  await assertWallet(sending, transaction);
  const { chainId, from, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const hash = await ask('eth_sendTransaction', [
    {
      // A wallet that has left the chain meanwhile refuses, instead of signing for another one.
      chainId: toHex(chainId),
      from,
      to,
      data,
      value: toHex(value),
      gas: toHex(gas),
      maxFeePerGas: toHex(maxFeePerGas),
      maxPriorityFeePerGas: toHex(maxPriorityFeePerGas),
    },
  ]);
  if (typeof hash !== 'string') throw new WalletError(dialogTexts.swap.noHash);
  return hash;
}
