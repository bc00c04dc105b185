// What a chain's source may do wrong, apart from not answering.

/** The source contradicts itself or the store for now; asking again may help. */
export class ChainInconsistentError extends Error {
  override readonly name = 'ChainInconsistentError';
}

/**
 * The source denies a block that was final. No rollback can be right: either the source is sick or
 * this store belongs to another chain.
 */
export class FinalityError extends Error {
  override readonly name = 'FinalityError';
}

/** Contracts could not be asked for supplies; blocks can be indexed all the same. */
export class SupplyReadError extends Error {
  override readonly name = 'SupplyReadError';
}
