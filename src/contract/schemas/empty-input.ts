// The schema of an empty input: any field is rejected by name.

import Type from 'typebox';

export const emptyInput = Type.Object({}, { additionalProperties: false });
