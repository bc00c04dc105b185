// Parses a connection's bytes into responses, in order, by their lengths.

export interface WireAnswer {
  readonly status: number;
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

export function parseRawAnswers(bytes: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = bytes;
  while (rest !== '') {
    const [head = '', after] = splitOnce(rest, '\r\n\r\n');
    const [start = '', ...lines] = head.split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`no answer begins so: ${rest.slice(0, 80)}`);
    const fields = new Map(
      lines.map((line) => {
        const [name, value] = splitOnce(line, ':');
        return [name.toLowerCase(), value.trim()];
      }),
    );
    const length = Number(fields.get('content-length') ?? 0);
    answers.push({ status, fields, body: after.slice(0, length) });
    rest = after.slice(length);
  }
  return answers;
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)];
}
