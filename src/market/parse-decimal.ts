// Untrusted decimal numbers → text in our own form.

import { buildInvalidInputError } from '../errors/app-error.ts';
import { decimalToText, textToDecimal } from '../lib/decimal.ts';

const DECIMAL = /^\d{1,20}(\.\d{1,18})?$/;

export function parseDecimal(text: string, path: string): string {
  if (DECIMAL.test(text)) return decimalToText(textToDecimal(text));
  throw buildInvalidInputError([{ path, message: 'must be a decimal number such as 0.5' }]);
}
