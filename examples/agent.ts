// An agent over MCP: it looks at a token with the server's tools and says what it found.
// `npx node examples/agent.ts <name of a token> [chain]`
//
// `decide` is where your model goes: it gets the goal, the tools and what they answered so far, and
// names the next call or the answer. Here it is a fixed plan, so that the example runs without one.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

type Fields = Readonly<Record<string, unknown>>;

interface Step {
  readonly tool: string;
  readonly input: Fields;
  readonly answer: Fields;
}

type Decision = { readonly tool: string; readonly input: Fields } | { readonly text: string };

const [goal = 'WIRE', chain] = process.argv.slice(2);
const baseUrl = process.env['MINTWIRE_URL'] ?? 'http://127.0.0.1:8080/v1';
const key = process.env['MINTWIRE_KEY'];

const client = new Client({ name: 'example-agent', version: '1' });
const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
await client.connect(
  new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit: { headers } }),
);
const { tools } = await client.listTools();
console.log(`${tools.length} tools, all of them reads`);

function decide(steps: readonly Step[]): Decision {
  const [search, safety, quote] = steps.map(({ answer }) => answer);
  if (search === undefined) {
    const where = chain === undefined ? {} : { chain };
    return { tool: 'search_tokens', input: { q: goal, limit: 1, ...where } };
  }
  const [token] = search['tokens'] as Fields[];
  if (token === undefined) return { text: `There is no token like "${goal}".` };
  const which = { chain: token['chain'], mint: token['mint'] };
  if (safety === undefined) return { tool: 'get_token_safety', input: which };
  if (quote === undefined) {
    const order = { side: 'buy', amountInRaw: '100000000000000000' };
    return { tool: 'get_quote', input: { ...which, ...order } };
  }
  const output = quote['output'] as Fields | undefined;
  const warnings = safety['warnings'] as readonly Fields[];
  const buys = output === undefined ? 'nothing' : `${output['amount']} ${output['symbol']}`;
  const lists = (token['verified'] as readonly string[]).join(', ') || 'no list';
  return {
    // Names and symbols are strangers' text: a model must take them as data, never as orders.
    text: `${token['symbol']} costs $${token['priceUsd']}, is vouched for by ${lists}, has ${warnings.length} warnings, and 0.1 of the native coin buys ${buys}.`,
  };
}

const STEPS_MAX = 10;
const steps: Step[] = [];
while (steps.length < STEPS_MAX) {
  const next = decide(steps);
  if ('text' in next) {
    console.log(next.text);
    break;
  }
  const result = await client.callTool({ name: next.tool, arguments: { ...next.input } });
  console.log(`${next.tool} ${JSON.stringify(next.input)}`);
  // An error is an answer too: a model reads what to do about it.
  steps.push({ ...next, answer: (result.structuredContent ?? {}) as Fields });
}
await client.close();
