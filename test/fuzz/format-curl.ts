// A request as a shell command.

import type { FuzzRequest } from './send-request.ts';

const SHOWN_MAX = 80_000;

/** A long run of one character is written once. */
const RUN = /(.)\1{99,}/s;

function quote(text: string): string {
  const run = RUN.exec(text);
  if (run === null) return quotePlain(text);
  const [all, char = ''] = run;
  const [before, after] = [text.slice(0, run.index), text.slice(run.index + all.length)];
  const repeated = `"$(printf ${quotePlain(`${char === '%' ? '%%' : char}%.0s`)} {1..${all.length}})"`;
  return `${before === '' ? '' : quotePlain(before)}${repeated}${after === '' ? '' : quote(after)}`;
}

/** Plain quotes if possible; otherwise the form in which a shell reads escapes. */
function quotePlain(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes("'")) return `'${text}'`;
  const escaped = [...Buffer.from(text.toWellFormed(), 'utf8')].map((byte) => {
    const char = String.fromCharCode(byte);
    if (char === "'" || char === '\\') return `\\${char}`;
    return byte >= 0x20 && byte < 0x7f ? char : `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  return `$'${escaped.join('')}'`;
}

/** An argument cannot contain a null byte, so such a body goes through a pipe. */
function encodeBody(body: Buffer): { readonly before: string; readonly argument: string } {
  if (body.length > SHOWN_MAX) {
    const start = body.subarray(0, 200).toString('utf8');
    const note = `# a body of ${body.length} bytes that begins with ${quote(start)}`;
    return { before: '', argument: ` --data-binary @body ${note}` };
  }
  const text = body.toString('utf8');
  if (!body.includes(0) && Buffer.from(text, 'utf8').equals(body)) {
    return { before: '', argument: ` --data-binary ${quote(text)}` };
  }
  const octal = [...body].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  return { before: `printf '${octal}' | `, argument: ' --data-binary @-' };
}

export function formatCurl(origin: string, request: FuzzRequest): string {
  const { method, target } = request;
  const { before, argument } =
    request.body === null ? { before: '', argument: '' } : encodeBody(request.body);
  const headers = request.headers.map(([name, value]) => ` -H ${quote(`${name}: ${value}`)}`);
  const way = method === 'HEAD' ? '-I' : `-i -X ${method}`;
  const isWhole = target.startsWith('/');
  const url = isWhole ? `${origin}${target}` : `${origin} --request-target ${quote(target)}`;
  const shown = isWhole ? quote(url) : url;
  return `${before}curl ${way} --path-as-is ${shown}${headers.join('')}${argument}`;
}
