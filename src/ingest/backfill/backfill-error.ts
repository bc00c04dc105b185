// Why a job ends without success.

/** A job cannot succeed; the reason is shown to operators. */
export class BackfillError extends Error {
  override readonly name = 'BackfillError';
}
