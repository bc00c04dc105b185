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

const solanaTransactionSchema = Type.Object(
  {
    kind: Type.Literal('swap'),
    type: Type.Literal('solana-v0'),
    from: Type.String({ description: 'The wallet that signs and pays.' }),
    transaction: Type.String({
      description: 'An unsigned transaction of version 0 in base64, its signature all zeros.',
    }),
    recentBlockhash: Type.String(),
    lastValidBlockHeight: Type.Integer({
      minimum: 0,
      description: 'After this block height it can no longer be executed.',
    }),
    computeUnitLimit: Type.Integer({
      minimum: 0,
      description:
        'The units used in the simulation plus 10 %, and what further bins or ticks take if the price moves by the slippage.',
    }),
    computeUnitPriceMicroLamports: rawAmount('The priority fee for a unit, in 1e-6 lamports.'),
    requiredSigners: Type.Array(Type.String(), { description: 'Who signs, in order.' }),
  },
  { title: 'UnsignedSolanaTransaction', additionalProperties: false },
);

const typedFields = Type.Array(
  Type.Object({ name: Type.String(), type: Type.String() }, { additionalProperties: false }),
);

const PERMIT_DESCRIPTION =
  'What the wallet signs (EIP-712, `eth_signTypedData_v4`) to let the router take the input once; only if `approval` is `permit` and it is needed. Then build again with `permitSignature` and the `quoteId` of this response.';

const permit2Schema = Type.Object(
  {
    domain: Type.Object(
      {
        name: Type.Literal('Permit2'),
        chainId: Type.Integer({ minimum: 1 }),
        verifyingContract: Type.String({ description: 'The Permit2 contract.' }),
      },
      { additionalProperties: false },
    ),
    types: Type.Object(
      { EIP712Domain: typedFields, PermitSingle: typedFields, PermitDetails: typedFields },
      { additionalProperties: false },
    ),
    primaryType: Type.Literal('PermitSingle'),
    message: Type.Object(
      {
        details: Type.Object(
          {
            token: Type.String(),
            amount: rawAmount('The most that may be taken.'),
            expiration: rawAmount('Until when, in Unix seconds.'),
            nonce: rawAmount('How many permits for this token and router were used before.'),
          },
          { additionalProperties: false },
        ),
        spender: Type.String({ description: 'The router.' }),
        sigDeadline: rawAmount('Until when the signature is valid, in Unix seconds.'),
      },
      { additionalProperties: false },
    ),
  },
  { title: 'Permit2Permit', additionalProperties: false },
);

const tokenPermitSchema = Type.Object(
  {
    domain: Type.Object(
      {
        name: Type.String(),
        version: Type.Optional(Type.String()),
        chainId: Type.Integer({ minimum: 1 }),
        verifyingContract: Type.String({ description: 'The token.' }),
      },
      { additionalProperties: false },
    ),
    types: Type.Object(
      { EIP712Domain: typedFields, Permit: typedFields },
      { additionalProperties: false },
    ),
    primaryType: Type.Literal('Permit'),
    message: Type.Object(
      {
        owner: Type.Optional(Type.String({ description: 'The wallet (EIP-2612).' })),
        holder: Type.Optional(Type.String({ description: "The wallet (DAI's form)." })),
        spender: Type.String({ description: 'The router.' }),
        value: Type.Optional(rawAmount('The most that may be taken (EIP-2612).')),
        nonce: rawAmount('How many permits of the wallet the token has seen.'),
        deadline: Type.Optional(
          rawAmount('Until when the signature is valid, in Unix seconds (EIP-2612).'),
        ),
        expiry: Type.Optional(rawAmount("The same in DAI's form.")),
        allowed: Type.Optional(
          Type.Literal(true, {
            description:
              "DAI's form knows no amount: the router may take this token without limit until it is revoked.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
  { title: 'TokenPermit', additionalProperties: false },
);

/** Of Permit2, or of the token itself; told apart by `primaryType`. */
export const permitSchema = Type.Union([permit2Schema, tokenPermitSchema], {
  title: 'Permit',
  description: PERMIT_DESCRIPTION,
});

export type Permit2Message = Static<typeof permit2Schema>;

export type Permit = Static<typeof permitSchema>;

export const walletCallsSchema = Type.Object(
  {
    version: Type.Literal('2.0.0'),
    chainId: Type.String({ description: 'In hex.' }),
    from: Type.String(),
    atomicRequired: Type.Literal(true),
    calls: Type.Array(
      Type.Object(
        {
          to: Type.String(),
          data: Type.String(),
          value: Type.String({ description: 'In wei, in hex.' }),
        },
        { title: 'WalletCall', additionalProperties: false },
      ),
    ),
  },
  {
    title: 'WalletCalls',
    additionalProperties: false,
    description:
      'The same transactions as parameters of `wallet_sendCalls` (EIP-5792), executed together or not at all; on EVM chains, once the swap is among them.',
  },
);

export type WalletCalls = Static<typeof walletCallsSchema>;

export const unsignedTransactionSchema = Type.Union([
  evmTransactionSchema,
  solanaTransactionSchema,
]);

export type EvmTransaction = Static<typeof evmTransactionSchema>;

export type UnsignedTransaction = Static<typeof unsignedTransactionSchema>;
