// What a wallet signs: a shape for each family of chains, told apart by `type`.

import Type, { type Static } from 'typebox';
import { rawAmount } from './trade-schemas.ts';

const evmTransactionSchema = Type.Object(
  {
    kind: Type.Enum(['approve-reset', 'approve', 'permit2-approve', 'swap']),
    chainId: Type.Integer({ minimum: 1 }),
    from: Type.String(),
    to: Type.String(),
    data: Type.String(),
    value: rawAmount('Native coin sent with the transaction, in wei.'),
    gas: rawAmount('The gas limit: the gas used in the simulation plus 50 %.'),
    maxFeePerGas: rawAmount('In wei.'),
    maxPriorityFeePerGas: rawAmount('In wei.'),
    nonce: Type.Integer({ minimum: 0 }),
    type: Type.Literal('eip1559'),
  },
  { title: 'UnsignedTransaction', additionalProperties: false },
);

/** A union of the families' shapes, as soon as a second family builds. */
export const unsignedTransactionSchema = evmTransactionSchema;

export type EvmTransaction = Static<typeof evmTransactionSchema>;

export type UnsignedTransaction = Static<typeof unsignedTransactionSchema>;
