// Makes a caller's own text safe to repeat in an error: short, without control characters.

const SHOWN_LENGTH_MAX = 64;

export function toShownText(text: string): string {
  const clean = text.replace(/\p{C}/gu, '�');
  return clean.length > SHOWN_LENGTH_MAX ? `${clean.slice(0, SHOWN_LENGTH_MAX)}…` : clean;
}
