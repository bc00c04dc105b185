// Asks a chain whether a contract wallet accepts a signature: ERC-1271, and ERC-6492 for wallets
// that are yet to be deployed.

import type { Hex } from 'viem';
import { encodeFunctionData, hashMessage, isErc6492Signature } from 'viem/utils';
import type { SignedText } from '../wallet-signatures.ts';
import { isHex } from './evm-signature.ts';
import type { RpcClient } from './rpc/rpc-client.ts';
import { isRpcError } from './rpc/rpc-error.ts';

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

/** What the contract returns when it accepts: the function's own selector, padded. */
const ACCEPTED = `0x1626ba7e${'0'.repeat(56)}`;
/** Plenty for any wallet, and a bound on what a hostile one can make the node do. */
const GAS_MAX = `0x${(10_000_000).toString(16)}`;

/** The contract said no in one of its ways, or used more than it may. */
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
 * The validator of ERC-6492 runs as if it were being deployed: it lets the wallet's factory deploy
 * the wallet, asks it, and leaves nothing behind.
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

/** False where there is no contract: a call to nothing returns nothing. */
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
