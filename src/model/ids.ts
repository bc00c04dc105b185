// Ids, as the service keeps them.
//
// Addresses are in their stored form inside the service (lower case on EVM chains), and in the form
// that people are shown only where they leave it: an `AddressCodec` changes one into the other.

/** Who or what acts on a chain: a token, a wallet, an owner, a contract. EVM: lower-case hex. */
export type Address = string;

/** A pool's address, or for Uniswap V4 its 32-byte pool id. */
export type PoolId = string;
