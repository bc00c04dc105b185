// The log's last defence: text that looks like a secret is redacted.
//
// Log lines have chosen fields only, so secrets should not get in; this catches those in error
// texts.

const SECRET_SHAPES: readonly RegExp[] = [
  // Our own keys and session tokens.
  /mw_(?:live|sess)_[A-Za-z0-9]+/g,
  // 32 bytes in hex: a private key, although a hash looks the same.
  /\b(?:0x)?[0-9a-fA-F]{64}\b/g,
  // 64 bytes in base58: an exported Solana key.
  /\b[1-9A-HJ-NP-Za-km-z]{86,88}\b/g,
  // A byte array of 64 numbers, Solana's key file.
  /\[(?:\s*\d{1,3}\s*,){63}\s*\d{1,3}\s*\]/g,
  /\b[Bb]earer\s+[^\s"\\]+/g,
  // Everything in a URL except its host: user names, keys in paths, queries.
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
      // An array may be a JSON value in the line, so its replacement must be one too.
      return match.startsWith('[') ? '[]' : REDACTED;
    });
  }
  return result;
}
