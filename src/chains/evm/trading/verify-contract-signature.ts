// Asks a chain whether a contract wallet accepts a signature: ERC-1271, and ERC-6492 for wallets
// that are not deployed yet.

import type { Hex } from 'viem';
import { encodeFunctionData, hashMessage, isErc6492Signature } from 'viem/utils';
import type { RpcClient } from '../../rpc/rpc-client.ts';
import { isRpcError } from '../../rpc/rpc-error.ts';
import type { SignedText } from '../../wallet-signatures.ts';
import { isHex } from '../data/evm-signature.ts';

const IS_VALID_SIGNATURE_ABI = [
  {
    type: 'function',
    name: 'isValidSignature',
    stateMutability: 'view',
    inputs: [
      { name: 'hash', type: 'bytes32' },
      { name: 'signature', type: 'bytes' },
    ],
    outputs: [{ name: '', type: 'bytes4' }],
  },
] as const;

/** The return value for a valid signature: the function's own selector, padded. */
const ACCEPTED = `0x1626ba7e${'0'.repeat(56)}`;
/** Enough for any wallet, and a limit on the work of a hostile one. */
const GAS_MAX = `0x${(10_000_000).toString(16)}`;

/** The contract rejected the signature in one of several ways, or exceeded the limits. */
const REFUSALS = ['reverted', 'rejected', 'replyTooLarge'] as const;

async function call(
  client: RpcClient,
  transaction: { readonly to?: string; readonly data: Hex },
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const params = [{ ...transaction, gas: GAS_MAX }, 'latest'];
    return await client.request({ method: 'eth_call', params }, { signal });
  } catch (error) {
    if (isRpcError(error, ...REFUSALS)) return null;
    throw error;
  }
}

/**
 * The ERC-6492 validator runs as a simulated deployment: it deploys the wallet through its factory,
 * asks it, and leaves nothing behind.
 */
async function verifyUndeployed(
  client: RpcClient,
  query: SignedText & { readonly signature: Hex },
  signal: AbortSignal,
): Promise<boolean> {
  const { encodeDeployData, erc6492SignatureValidatorAbi, erc6492SignatureValidatorByteCode } =
    await import('viem');
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [query.address as Hex, hashMessage(query.text), query.signature],
  });
  return (await call(client, { data }, signal)) === '0x01';
}

/** False if there is no contract: a call to an empty address returns nothing. */
export async function verifyContractSignature(
  client: RpcClient,
  signed: SignedText,
  signal: AbortSignal,
): Promise<boolean> {
  const { address, text, signature } = signed;
  if (!isHex(signature)) return false;
  if (isErc6492Signature(signature)) {
    return verifyUndeployed(client, { address, text, signature }, signal);
  }
  const data = encodeFunctionData({
    abi: IS_VALID_SIGNATURE_ABI,
    args: [hashMessage(text), signature],
  });
  return (await call(client, { to: address, data }, signal)) === ACCEPTED;
}
