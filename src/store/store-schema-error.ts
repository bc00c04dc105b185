// Thrown at start when the store's schema is not one that this version can work with.

export class StoreSchemaError extends Error {
  override readonly name = 'StoreSchemaError';
}
