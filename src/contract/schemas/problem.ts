// RFC 9457 problem details, the body of every error.

import Type from 'typebox';
import { ERROR_CODES } from '../../errors/catalogue.ts';

export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'Where the error is described.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What happened, for a person.' }),
    code: Type.Enum([...ERROR_CODES], { description: 'What happened, for a program.' }),
    requestId: Type.String({ description: 'Finds the request in the server log.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          { path: Type.String(), message: Type.String() },
          { additionalProperties: false },
        ),
        { description: 'Each bad field of the input.' },
      ),
    ),
  },
  { title: 'Problem', additionalProperties: false },
);
