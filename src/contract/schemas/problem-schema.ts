// Schemas of errors: RFC 9457 problem details, and the same for MCP tools.

import Type from 'typebox';
import { ERROR_CODES } from '../../errors/catalogue.ts';

const fieldErrors = Type.Array(
  Type.Object({ path: Type.String(), message: Type.String() }, { additionalProperties: false }),
  { description: 'The invalid fields of the input.' },
);

export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'Link to the description of the error.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What happened, for people.' }),
    code: Type.Enum([...ERROR_CODES], { description: 'What happened, for programs.' }),
    requestId: Type.String({ description: 'Finds the request in the server log.' }),
    errors: Type.Optional(fieldErrors),
  },
  { title: 'Problem', additionalProperties: false },
);

/** An error as the result of an MCP tool. */
export const toolErrorSchema = Type.Object(
  {
    code: Type.Enum([...ERROR_CODES]),
    message: Type.String(),
    whatToDo: Type.String(),
    errors: Type.Optional(fieldErrors),
    retryAfterSeconds: Type.Optional(Type.Number({ minimum: 0 })),
    requestId: Type.String(),
  },
  { title: 'ToolError', additionalProperties: false },
);
