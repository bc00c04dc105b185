// A caller's own text inside an answer: short, and without characters that disturb a reader.

const SHOWN_LENGTH_MAX = 64;

export function toShownText(text: string): string {
  const clean = text.replace(/\p{C}/gu, '�');
  return clean.length > SHOWN_LENGTH_MAX ? `${clean.slice(0, SHOWN_LENGTH_MAX)}…` : clean;
}
