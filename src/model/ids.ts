// Ids, as the service keeps them.
//
// Addresses are in their stored form inside the service (lower case on EVM chains), and in the form
// that people are shown only where they leave it: an `AddressCodec` changes one into the other.
//
// A brand exists for the compiler only; at run time an id is its text. Ids are made where text
// comes in, by a parser or decoder; everything inside takes them as they are. A cast to an id
// anywhere else breaks a house rule (test/tidy.test.ts).

declare const brand: unique symbol;

/** Text that a parser has made an id of one kind. */
type Branded<Kind extends string> = string & { readonly [brand]: Kind };

/** Who or what acts on a chain: a token, a wallet, an owner, a contract. EVM: lower-case hex. */
export type Address = Branded<'Address'>;

/** A pool's address, or for Uniswap V4 its 32-byte pool id. */
export type PoolId = Branded<'PoolId'>;

/** On an EVM chain the hash of the transaction. */
export type TransactionId = Branded<'TransactionId'>;

/**
 * A wallet that signed in, named by its proof: `eip155:<address>` by its own key on every EVM
 * chain, `eip155:<chainId>:<address>` by a contract of one chain, `solana:<address>`. Who owns a
 * balance or sent a trade is an `Address`.
 */
export type WalletId = Branded<'WalletId'>;
