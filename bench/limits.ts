// What limits each hot path now, in words: written by whoever last looked at its profile.

export const LIMITS: Readonly<Record<string, string>> = {};
