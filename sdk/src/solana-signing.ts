// Signs a built transaction of Solana: bytes in base64, with a place for each signature.

import { type StandardWallet, toBase64 } from './wallet-sign-in.ts';

/** Signs an unsigned transaction of version 0 and returns it signed; both in base64. */
export interface SolanaSigner {
  readonly address: string;
  signTransaction(transaction: string): Promise<string>;
}

interface SignedBytes {
  /** Its first signature in base58, by which the chain knows it. */
  readonly id: string;
  readonly base64: string;
}

type StandardTransactionSend = (call: {
  readonly account: unknown;
  readonly transaction: Uint8Array;
  readonly chain: string;
}) => Promise<readonly { readonly signature: Uint8Array }[]>;

type StandardTransactionSign = (call: {
  readonly account: unknown;
  readonly transaction: Uint8Array;
}) => Promise<readonly { readonly signedTransaction: Uint8Array }[]>;

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const SIGNATURE_BYTES = 64;

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));

function encodeBase58(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)] + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

/** The account of that address among those that the page may use, or the wallet's first. */
function pickAccount({ accounts }: StandardWallet, wanted: string) {
  return accounts.find(({ address }) => address === wanted) ?? accounts[0];
}

/** A wallet of the Wallet Standard as a signer; null if it cannot sign without sending. */
export function findStandardSigner(wallet: StandardWallet, wanted: string): SolanaSigner | null {
  const account = pickAccount(wallet, wanted);
  const feature = wallet.features['solana:signTransaction'] as
    | { signTransaction: StandardTransactionSign }
    | undefined;
  if (account === undefined || feature === undefined) return null;
  return {
    address: account.address,
    signTransaction: async (text) => {
      const [signed] = await feature.signTransaction({ account, transaction: fromBase64(text) });
      if (signed === undefined) throw new TypeError('the wallet gave no transaction');
      return toBase64(signed.signedTransaction);
    },
  };
}

interface StandardSender {
  readonly account: StandardWallet['accounts'][number];
  /** Has the wallet sign and send; gives the id. */
  send(transaction: string, cluster: string): Promise<string>;
}

/** Null if the wallet cannot send. */
export function findStandardSender(wallet: StandardWallet, wanted: string): StandardSender | null {
  const account = pickAccount(wallet, wanted);
  const feature = wallet.features['solana:signAndSendTransaction'] as
    | { signAndSendTransaction: StandardTransactionSend }
    | undefined;
  if (account === undefined || feature === undefined) return null;
  return {
    account,
    send: async (text, cluster) => {
      const call = { account, transaction: fromBase64(text), chain: cluster };
      const [sent] = await feature.signAndSendTransaction(call);
      if (!(sent?.signature instanceof Uint8Array)) throw new TypeError('the wallet gave no id');
      return encodeBase58(sent.signature);
    },
  };
}

/** Throws if the signer has not signed. The number of signatures is the first byte. */
export async function signBytes(signer: SolanaSigner, transaction: string): Promise<SignedBytes> {
  const base64 = await signer.signTransaction(transaction);
  const signature = fromBase64(base64).subarray(1, 1 + SIGNATURE_BYTES);
  if (signature.length < SIGNATURE_BYTES || signature.every((byte) => byte === 0)) {
    throw new TypeError('the wallet did not sign');
  }
  return { id: encodeBase58(signature), base64 };
}
