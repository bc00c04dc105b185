// Errors of a chain's source other than being unreachable.

/** The source contradicts itself or the store for now; a retry may help. */
export class ChainInconsistentError extends Error {
  override readonly name = 'ChainInconsistentError';
}

/**
 * The source does not have a block that was final. A rollback would be wrong: either the source is
 * faulty or this store belongs to another chain.
 */
export class FinalityError extends Error {
  override readonly name = 'FinalityError';
}

/** Supplies could not be read from contracts; blocks can still be indexed. */
export class SupplyReadError extends Error {
  override readonly name = 'SupplyReadError';
}
