// Makes text from strangers safe to print: it cannot move a terminal's cursor or forge a line.

/** All of Unicode's control, format, surrogate, private-use and unassigned characters. */
const UNPRINTABLE = /\p{C}/gu;

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** One line: also line breaks are escaped. */
export function toTerminalLine(text: string): string {
  return text.replace(UNPRINTABLE, escapeCharacter);
}

/** Several lines, such as a stack. */
export function toTerminalText(text: string): string {
  return text.split('\n').map(toTerminalLine).join('\n');
}
