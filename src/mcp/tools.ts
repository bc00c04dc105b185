// Tools, made from the operations that are offered to agents: their schemas, and how to call them.

import type { TObject, TSchema } from 'typebox';
import { createSerializer } from '../contract/create-serializer.ts';
import { isFramedAnswer } from '../contract/framed-answer.ts';
import type { AnyHandler, HandlerContext } from '../contract/handler.ts';
import { COSTS, type McpExposure, type Operation } from '../contract/operation.ts';
import { createInputParser } from '../contract/parse-input.ts';
import { isReadyAnswer } from '../contract/ready-answer.ts';

export interface Tool {
  readonly name: string;
  readonly cost: number;
  /** As `tools/list` tells of it. */
  readonly listed: Readonly<Record<string, unknown>>;
  /** The answer as JSON text, the very one that its HTTP twin gives. */
  call(input: Readonly<Record<string, unknown>>, context: HandlerContext): string | Promise<string>;
}

type Fields = Readonly<Record<string, TSchema & Readonly<Record<string, unknown>>>>;

/** Some clients take a choice only with its type beside it. */
function withType(schema: Fields[string]): Fields[string] {
  const values = schema['enum'];
  const isText = Array.isArray(values) && values.every((value) => typeof value === 'string');
  return isText ? { type: 'string', ...schema } : schema;
}

/** The operation's input with the defaults that its tool has. */
function toToolInput(operation: Operation, exposure: McpExposure): TObject {
  const fields = Object.entries(operation.input.properties as Fields).map(([name, schema]) => {
    const fallback = exposure.defaults?.[name];
    const typed = withType(schema);
    return [name, fallback === undefined ? typed : { ...typed, default: fallback }] as const;
  });
  const { required = [], ...rest } = operation.input as TObject & { required?: string[] };
  // What has a default need not be given, and a model should be told so.
  const needed = required.filter(
    (name) => fields.find(([field]) => field === name)?.[1]['default'] === undefined,
  );
  return {
    ...rest,
    properties: Object.fromEntries(fields),
    required: needed,
  } as unknown as TObject;
}

function toListed(operation: Operation, exposure: McpExposure) {
  const { tool, title, description } = exposure;
  return {
    name: tool,
    title,
    description,
    inputSchema: toToolInput(operation, exposure),
    outputSchema: operation.output,
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: operation.tag !== 'Account',
    },
  };
}

function createTool(operation: Operation, exposure: McpExposure, handler: AnyHandler): Tool {
  const parse = createInputParser(
    // The parser fills defaults in, so that what is listed as needed is only what it cannot.
    { ...operation.input, properties: toToolInput(operation, exposure).properties } as TObject,
    'json',
  );
  const serialize = createSerializer(operation);
  const toText = (answer: unknown): string => {
    if (isReadyAnswer(answer)) return answer.bytes.toString('utf8');
    return serialize(isFramedAnswer(answer) ? answer.body : answer);
  };
  return {
    name: exposure.tool,
    cost: COSTS[operation.cost],
    listed: toListed(operation, exposure),
    call: (input, context) => {
      const answer = handler(parse(input), context);
      return answer instanceof Promise ? answer.then(toText) : toText(answer);
    },
  };
}

/** In the order of the operations, so always the same. */
export function createTools(
  operations: readonly Operation[],
  handlers: Readonly<Record<string, AnyHandler>>,
): ReadonlyMap<string, Tool> {
  const tools = operations.flatMap((operation) => {
    if (operation.mcp === null) return [];
    const handler = handlers[operation.id];
    if (!handler) throw new Error(`tool ${operation.mcp.tool} has no handler`);
    return [createTool(operation, operation.mcp, handler)];
  });
  return new Map(tools.map((tool) => [tool.name, tool]));
}
