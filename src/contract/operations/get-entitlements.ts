// GET /entitlements

import { defineOperation } from '../operation.ts';
import { entitlementsSchema } from '../schemas/access-schemas.ts';
import { emptyInput } from '../schemas/empty-input.ts';

export const getEntitlements = defineOperation({
  id: 'getEntitlements',
  method: 'GET',
  path: '/entitlements',
  tag: 'Account',
  summary: 'Get the limits of the caller',
  description:
    'The tier that the credentials of this request give, its budget, what each kind of request costs, the maximum rows of its reads, and the chains it can read.',
  cost: 'read',
  cacheControl: 'private, no-store',
  input: emptyInput,
  output: entitlementsSchema,
  mcp: {
    tool: 'get_entitlements',
    title: 'Limits of this connection',
    description:
      'Gets the limits of this connection: tier, requests per minute and burst, what each kind of request costs, rows of each list. Use it before many calls, or after RATE_LIMITED. Example: {}.',
  },
});
