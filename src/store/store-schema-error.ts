// Thrown at start if this version cannot work with the store's schema.

export class StoreSchemaError extends Error {
  override readonly name = 'StoreSchemaError';
}
