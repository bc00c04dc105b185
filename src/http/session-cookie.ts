// The session cookie.

/** The `__Host-` prefix makes browsers reject the cookie from any other host or over plain http. */
const SECURE_NAME = '__Host-mw_session';
const PLAIN_NAME = 'mw_session';

export interface SessionCookie {
  /** The value in a request's `Cookie` header; undefined if there is none. */
  read(header: string | undefined): string | undefined;
  /** `Set-Cookie` for a session with this lifetime. */
  buildKept(token: string, maxAgeSeconds: number): string;
  /** `Set-Cookie` that deletes the cookie. */
  buildDropped(): string;
}

/** Secure cookies need https; a server without https, on this machine only, uses the plain name. */
export function createSessionCookie(isSecure: boolean): SessionCookie {
  const name = isSecure ? SECURE_NAME : PLAIN_NAME;
  const start = `${name}=`;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: (header) => {
      if (header === undefined || !header.includes(start)) return undefined;
      for (const part of header.split(';')) {
        const pair = part.trim();
        if (pair.startsWith(start)) return pair.slice(start.length);
      }
      return undefined;
    },
    buildKept: (token, maxAgeSeconds) =>
      `${start}${token}; Max-Age=${maxAgeSeconds}; ${attributes}`,
    buildDropped: () => `${start}; Max-Age=0; ${attributes}`,
  };
}
