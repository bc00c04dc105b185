// Parses a query string strictly: bad encoding, repeated fields and too many fields are errors.

import { AppError, buildInvalidInputError } from '../errors/app-error.ts';
import { toShownText } from '../lib/shown-text.ts';

const FIELDS_MAX = 120;

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new AppError('MALFORMED_REQUEST', {
      reason: 'The query has percent-encoding that is not valid UTF-8.',
    });
  }
}

/** A value that is never rejected; what cannot be decoded is kept unchanged. */
function decodeAnyText(text: string, before: string | undefined): string {
  let value = text;
  try {
    value = decode(text);
  } catch {
    // Not valid text, so it stays as sent.
  }
  return before === undefined ? value : `${before},${value}`;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * `anyText` names the fields that accept any value, even repeated; `lists` those that may be
 * repeated, which is the same as one value with commas.
 */
export function parseQueryString(
  text: string,
  { anyText = NONE, lists = NONE } = {},
): Record<string, string> {
  const fields: Record<string, string> = Object.create(null);
  if (text === '') return fields;
  const pairs = text.split('&', FIELDS_MAX + 1);
  if (pairs.length > FIELDS_MAX) {
    throw buildInvalidInputError([
      { path: 'query', message: `must have at most ${FIELDS_MAX} fields` },
    ]);
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const raw = equals < 0 ? '' : pair.slice(equals + 1);
    if (anyText.has(name)) fields[name] = decodeAnyText(raw, fields[name]);
    else if (lists.has(name) && fields[name] !== undefined) {
      fields[name] = `${fields[name]},${decodeOnce(raw, name, {})}`;
    } else fields[name] = decodeOnce(raw, name, fields);
  }
  return fields;
}

function decodeOnce(text: string, name: string, fields: Readonly<Record<string, string>>): string {
  const value = decode(text);
  const path = toShownText(name);
  if (name in fields) throw buildInvalidInputError([{ path, message: 'must be given once' }]);
  if (!value.includes('\0')) return value;
  throw buildInvalidInputError([{ path, message: 'must not contain null characters' }]);
}
