// The environment of a command that must find no setting of this run: what was compiled is shared,
// because the start of a command costs mostly that.

export const BARE_ENV: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};
