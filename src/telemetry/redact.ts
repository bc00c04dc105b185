// The last line of defence of the log: no line that holds a secret's shape is written as it is.
//
// Log lines are made of chosen fields only, so that secrets have no way in; this catches what an
// error's text might bring along.

const SECRET_SHAPES: readonly RegExp[] = [
  // Our own keys and session tokens.
  /mw_(?:live|sess)_[A-Za-z0-9]+/g,
  // 32 bytes in hex: a private key, though a hash looks the same.
  /\b(?:0x)?[0-9a-fA-F]{64}\b/g,
  // 64 bytes in base58: an exported Solana key.
  /\b[1-9A-HJ-NP-Za-km-z]{86,88}\b/g,
  // A byte array of 64 numbers, Solana's key file.
  /\[(?:\s*\d{1,3}\s*,){63}\s*\d{1,3}\s*\]/g,
  /\b[Bb]earer\s+[^\s"\\]+/g,
  // Anything in a URL beyond its host: user names, keys in paths, queries.
  /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s"'\\/@]*@)?([^\s"'\\/?#]+)[^\s"'\\]*/gi,
];

const REDACTED = '[redacted]';

export function redact(line: string): string {
  let result = line;
  for (const shape of SECRET_SHAPES) {
    result = result.replace(shape, (match, scheme?: unknown, host?: unknown) => {
      if (typeof scheme === 'string' && typeof host === 'string') {
        return `${scheme}${host}/${REDACTED}`;
      }
      // An array may stand in the line as one: what replaces it must be one too.
      return match.startsWith('[') ? '[]' : REDACTED;
    });
  }
  return result;
}
