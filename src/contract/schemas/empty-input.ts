// The input of operations that take none: anything sent is refused by name.

import Type from 'typebox';

export const emptyInput = Type.Object({}, { additionalProperties: false });
