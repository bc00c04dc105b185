// The few header fields that every request is looked at for, read without making a list of all:
// most requests have none of them but the host.

import type { IncomingMessage } from 'node:http';

export interface RequestFields {
  readonly host: string | undefined;
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly origin: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

function isNamed(name: string, wanted: string): boolean {
  return name === wanted || name.toLowerCase() === wanted;
}

/** Node's own reading, with its rules for fields that came more than once. */
function readAll({ headers }: IncomingMessage): RequestFields {
  const { host, authorization, cookie, origin } = headers;
  return { host, authorization, cookie, origin, ifNoneMatch: headers['if-none-match'] };
}

export function readFields(request: IncomingMessage): RequestFields {
  const { rawHeaders } = request;
  let host: string | undefined;
  let authorization: string | undefined;
  let cookie: string | undefined;
  let origin: string | undefined;
  let ifNoneMatch: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const { length } = name;
    // Lengths tell nearly all names apart.
    if (length === 4 && isNamed(name, 'host')) {
      if (host !== undefined) return readAll(request);
      host = rawHeaders[index + 1];
    } else if (length === 13 && isNamed(name, 'authorization')) {
      if (authorization !== undefined) return readAll(request);
      authorization = rawHeaders[index + 1];
    } else if (length === 13 && isNamed(name, 'if-none-match')) {
      if (ifNoneMatch !== undefined) return readAll(request);
      ifNoneMatch = rawHeaders[index + 1];
    } else if (length === 6 && isNamed(name, 'cookie')) {
      if (cookie !== undefined) return readAll(request);
      cookie = rawHeaders[index + 1];
    } else if (length === 6 && isNamed(name, 'origin')) {
      if (origin !== undefined) return readAll(request);
      origin = rawHeaders[index + 1];
    }
  }
  return { host, authorization, cookie, origin, ifNoneMatch };
}
