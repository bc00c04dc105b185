// Query text → fields, strictly: bad encoding, repeats and excess are errors, not guesses.

import { AppError, toInvalidInput } from '../errors/app-error.ts';
import { toShownText } from '../lib/shown-text.ts';

const FIELDS_MAX = 100;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new AppError('MALFORMED_REQUEST', {
      reason: 'The query has percent-encoding that is not valid UTF-8.',
    });
  }
}

export function parseQueryString(text: string): Record<string, string> {
  const fields: Record<string, string> = Object.create(null);
  if (text === '') return fields;
  const pairs = text.split('&', FIELDS_MAX + 1);
  if (pairs.length > FIELDS_MAX) {
    throw toInvalidInput([{ path: 'query', message: `must have at most ${FIELDS_MAX} fields` }]);
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1));
    const path = toShownText(name);
    if (name in fields) throw toInvalidInput([{ path, message: 'must be given once' }]);
    if (value.includes('\0')) {
      throw toInvalidInput([{ path, message: 'must not contain null characters' }]);
    }
    fields[name] = value;
  }
  return fields;
}
