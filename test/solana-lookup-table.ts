// An address lookup table on the embedded chain, made by the chain's own program.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { send } from '../devnet/solana/scene.ts';
import { use } from '../devnet/solana/wire-transaction.ts';
import { findProgramAddress } from '../src/chains/solana/data/program-address.ts';
import { SYSTEM_PROGRAM, toSolanaAddress } from '../src/chains/solana/data/solana-ids.ts';
import { decodeBase58, encodeBase58 } from '../src/lib/base58.ts';
import type { Address } from '../src/model/ids.ts';
import { chain, SECONDS, USER } from './executed-solana-trades.ts';

const TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';

/** A table with these addresses. */
export function createTable(addresses: readonly Address[]): Address {
  const recent = Buffer.alloc(8);
  recent.writeBigUInt64LE(BigInt(chain.head.slot - 1));
  const program = toSolanaAddress(TABLE_PROGRAM);
  const seeds = [Buffer.from(decodeBase58(USER.address) ?? []), recent];
  const table = findProgramAddress(program, seeds);
  const isBump = (bump: number) => {
    const hash = createHash('sha256').update(Buffer.concat(seeds)).update(Uint8Array.of(bump));
    const rest = [Buffer.from(decodeBase58(program) ?? []), 'ProgramDerivedAddress'] as const;
    return encodeBase58(hash.update(rest[0]).update(rest[1]).digest()) === table;
  };
  const bump = Array.from({ length: 256 }, (_, index) => index).find(isBump) ?? assert.fail();
  const count = Buffer.alloc(8);
  count.writeBigUInt64LE(BigInt(addresses.length));
  const keys = addresses.map((one) => Buffer.from(decodeBase58(one) ?? []));
  const users = [use.signer(USER.address), use.payer(USER.address)];
  const system = use.readonly(SYSTEM_PROGRAM);
  send(chain, {
    ...{ payer: USER, signers: [] },
    instructions: [
      {
        program: TABLE_PROGRAM,
        accounts: [use.writable(table), ...users, system],
        data: Buffer.concat([Buffer.alloc(4), recent, Buffer.from([bump])]),
      },
      {
        program: TABLE_PROGRAM,
        accounts: [use.writable(table), ...users, system],
        data: Buffer.concat([Buffer.from([2, 0, 0, 0]), count, ...keys]),
      },
    ],
  });
  chain.seal({ seconds: SECONDS });
  // New entries work from the next slot on.
  chain.seal({ seconds: SECONDS });
  return table;
}
