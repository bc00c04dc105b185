// JSON formatted for people: values that fit on a line stay on one line.

const INDENT = '  ';

function toLine(value: unknown): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[${value.map(toLine).join(', ')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${toLine(one)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Puts members on one line while they fit. */
function fill(members: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const member of members) {
    const last = lines.at(-1);
    const isShort = !member.includes('\n');
    const fits = last !== undefined && last.length + member.length + 1 <= width;
    if (isShort && fits && !last.includes('\n')) lines[lines.length - 1] = `${last} ${member}`;
    else lines.push(member);
  }
  return lines;
}

/** Equivalent JSON with lines of about the given width. */
export function packJson(value: unknown, width = 120): string {
  const line = toLine(value);
  if (line.length <= width || typeof value !== 'object' || value === null) return line;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const entries = Object.entries(value);
  const members = entries.map(([key, one], index) => {
    const name = Array.isArray(value) ? '' : `${JSON.stringify(key)}: `;
    return `${name}${packJson(one, width - INDENT.length)}${index < entries.length - 1 ? ',' : ''}`;
  });
  const body = fill(members, width - INDENT.length)
    .join('\n')
    .replaceAll('\n', `\n${INDENT}`);
  return `${open}\n${INDENT}${body}\n${close}`;
}
