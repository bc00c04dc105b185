// The signed permit of a build: its terms are sealed in the quote id of the build that asked for
// it, so that the request brings only the signature.

import { OutdatedPermitError, type SignedPermit } from '../../chains/chain-transactions.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { buildTrade } from '../../contract/operations/build-trade.ts';
import { type AppError, buildInvalidInputError } from '../../errors/app-error.ts';
import type { QuoteTerms } from '../quote/quote-seal.ts';

type PermitInput = Pick<InputOf<typeof buildTrade>, 'approval' | 'permitSignature'>;

const HEX_BYTES = /^0x(?:[0-9a-f]{2})+$/i;

function refuse(path: string, message: string): AppError {
  return buildInvalidInputError([{ path, message }]);
}

/** Null if there is no signature. Throws if it cannot be that of a valid permit. */
export function parsePermit(
  { approval, permitSignature: signature }: PermitInput,
  terms: Pick<QuoteTerms, 'permit'> | null,
  nowMs: number,
): SignedPermit | null {
  if (signature === undefined) return null;
  if (approval !== 'permit') throw refuse('approval', 'must be permit with a permitSignature');
  if (!HEX_BYTES.test(signature)) {
    throw refuse('permitSignature', 'must be 0x and an even number of hex digits');
  }
  const permit = terms?.permit ?? null;
  if (permit === null) {
    throw refuse('quoteId', 'must be that of the build whose permit was signed');
  }
  if (nowMs >= permit.deadlineSeconds * 1000) throw new OutdatedPermitError('has expired');
  return { ...permit, signature };
}
