// Tools, generated from the operations that agents may use: their schemas, and how to call them.

import { LRUCache } from 'lru-cache';
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { createAnswerSerializer } from '../contract/create-serializer.ts';
import type { AnyHandler, HandlerContext } from '../contract/handler.ts';
import {
  isFramedAnswer,
  isLazyAnswer,
  isReadyAnswer,
  type ReadyAnswer,
} from '../contract/handler.ts';
import { COSTS, type McpExposure, type Operation } from '../contract/operation.ts';
import { createInputParser } from '../contract/parse-input.ts';
import type { mcpResultSchemas } from '../contract/schemas/mcp-result-schemas.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import { compactInput, compactOutput } from './compact-schema.ts';
import { encodeToolMembers, type ResultText } from './encode-answer.ts';
import { TOKEN_VIEW_META } from './token-view.ts';

export interface Tool {
  readonly name: string;
  readonly cost: number;
  /** Of the caller's wallet: listed and open to keys with its scope alone. */
  readonly isOwned: boolean;
  /** The form in `tools/list`. */
  readonly listed: Static<typeof mcpResultSchemas.tools>['tools'][number];
  /** The answer of the HTTP operation, as a tool result. */
  call(input: Arguments, context: HandlerContext): ResultText | Promise<ResultText>;
  /** The same as JSON text only. */
  read(input: Arguments, context: HandlerContext): string | Promise<string>;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Calls repeat, so the last parsed inputs are cached. */
const INPUTS_KEPT = 500;
const INPUT_LENGTH_MAX = 512;
const RESULT_BYTES_MAX = 32 * 1024 * 1024;

/** Ready answers are the same object as long as they hold, and so are their results. */
type KeptResults = LRUCache<ReadyAnswer, ResultText>;

type SchemaFields = Readonly<Record<string, TSchema & Readonly<Record<string, unknown>>>>;

/** Some clients accept an enum only with its type. */
function withType(schema: SchemaFields[string]): SchemaFields[string] {
  const values = schema['enum'];
  const isText = Array.isArray(values) && values.every((value) => typeof value === 'string');
  return isText ? { type: 'string', ...schema } : schema;
}

/** The operation's input with the tool's defaults. */
function buildToolInput(operation: Operation, exposure: McpExposure): TObject {
  const fields = Object.entries(operation.input.properties as SchemaFields).map(
    ([name, schema]) => {
      const fallback = exposure.defaults?.[name];
      const typed = withType(schema);
      return [name, fallback === undefined ? typed : { ...typed, default: fallback }] as const;
    },
  );
  const { required = [], ...rest } = operation.input as TObject & { required?: string[] };
  // Fields with a default are optional, and the schema should say so for models.
  const needed = required.filter(
    (name) => fields.find(([field]) => field === name)?.[1]['default'] === undefined,
  );
  return {
    ...rest,
    properties: Object.fromEntries(fields),
    required: needed,
  } as unknown as TObject;
}

/** Of tools whose rows are brief unless a model asks for all fields. */
const FORMS = ['brief', 'all'] as const;
type Form = (typeof FORMS)[number];

/** Models name one chain as a text and several as a list, whatever the tool. */
function listChain(schema: SchemaFields[string]): SchemaFields[string] {
  return schema['type'] === 'array' ? { ...schema, type: ['string', 'array'] } : schema;
}

function buildListed(operation: Operation, exposure: McpExposure) {
  const { tool, title, description, unlisted = [] } = exposure;
  const { properties, required } = buildToolInput(operation, exposure);
  const shown = Object.entries(properties as SchemaFields).filter(
    ([name]) => !unlisted.includes(name),
  );
  const fields = shown.map(([name, schema]) => [
    name,
    compactInput(name, name === 'chain' ? listChain(schema) : schema),
  ]);
  if (exposure.brief) fields.push(['fields', { enum: FORMS, default: 'brief' }]);
  return {
    name: tool,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(fields),
      ...(required !== undefined && required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    outputSchema: compactOutput(operation.output),
    // The other hints say nothing of a tool that only reads.
    annotations: {
      readOnlyHint: operation.access !== 'owner' || operation.method === 'GET',
      openWorldHint: operation.tag !== 'Account',
    },
    ...(exposure.hasTokenView === true && { _meta: TOKEN_VIEW_META }),
  };
}

/** Whether no value is nested: deeply nested input from strangers must not be serialised. */
function isFlat(input: Arguments): boolean {
  return Object.values(input).every((value) =>
    Array.isArray(value)
      ? value.every((one) => typeof one !== 'object')
      : typeof value !== 'object' || value === null,
  );
}

/** What a tool is called with: the operation's input, and how much of its answer is wanted. */
interface ToolInput {
  readonly parsed: Readonly<Record<string, unknown>>;
  readonly form: Form;
}

/** `chain` as the operation takes it: a list of one is one chain, and the other way round. */
function withChainForm(input: Arguments, properties: SchemaFields): Arguments {
  const { chain } = input;
  const takesList = properties['chain']?.['type'] === 'array';
  if (typeof chain === 'string' && takesList) return { ...input, chain: [chain] };
  return Array.isArray(chain) && chain.length === 1 && !takesList
    ? { ...input, chain: chain[0] }
    : input;
}

const fieldsSchema = Type.Enum([...FORMS], { default: 'brief' });

/** The same arguments give the same object, so that handlers can cache by identity. */
function createArgumentReader(operation: Operation, exposure: McpExposure) {
  const properties = buildToolInput(operation, exposure).properties as SchemaFields;
  const own = exposure.brief ? { ...properties, fields: fieldsSchema } : properties;
  // The parser fills in defaults, so its requirements are those of the operation.
  const parse = createInputParser({ ...operation.input, properties: own } as TObject, 'json');
  const read = (input: Arguments): ToolInput => {
    const { fields, ...parsed } = parse(withChainForm(input, properties)) as Arguments;
    const form = exposure.brief && fields !== 'all' ? 'brief' : 'all';
    return { parsed: Object.freeze(parsed), form };
  };
  const kept = new BoundedMap<string, ToolInput>(INPUTS_KEPT);
  return (input: Arguments): ToolInput => {
    if (!isFlat(input)) return read(input);
    const text = JSON.stringify(input);
    const known = kept.get(text);
    if (known !== undefined) return known;
    const made = read(input);
    if (text.length <= INPUT_LENGTH_MAX) kept.set(text, made);
    return made;
  };
}

type Row = Readonly<Record<string, unknown>>;

function toBriefRow(row: Row, fields: readonly string[], window: unknown): Row {
  const shown = fields.filter((name) => name in row).map((name) => [name, row[name]] as const);
  const brief = Object.fromEntries(shown);
  if (typeof window !== 'string' || !('windows' in brief)) return brief;
  return { ...brief, windows: { [window]: (brief['windows'] as Row)[window] } };
}

/** An answer as JSON, with the fields that were asked for. */
function toForm(json: string, { brief }: McpExposure, { parsed, form }: ToolInput): string {
  if (form === 'all' || brief === undefined) return json;
  const { rows: name, fields } = brief;
  const answer = JSON.parse(json) as Row;
  const rows = answer[name] as readonly Row[];
  const shown = rows.map((row) => toBriefRow(row, fields, parsed['window']));
  return JSON.stringify({ ...answer, [name]: shown });
}

type MakeResult = (answer: unknown, input: ToolInput) => ResultText;

/** Keeps the results of one form, the usual one of the tool. */
function createResultMaker(
  toJson: (answer: unknown, input: ToolInput) => string,
  { kept, usual }: { readonly kept: KeptResults; readonly usual: Form },
): MakeResult {
  return (answer, input) => {
    const isKept = isReadyAnswer(answer) && input.form === usual;
    const known = isKept ? kept.get(answer) : undefined;
    if (known !== undefined) return known;
    const members = encodeToolMembers(toJson(answer, input));
    if (!isKept) return { members };
    const result: ResultText = { members: Buffer.from(members) };
    kept.set(answer, result);
    return result;
  };
}

interface ToolParts {
  readonly exposure: McpExposure;
  readonly handler: AnyHandler;
  readonly kept: KeptResults;
}

function createTool(operation: Operation, { exposure, handler, kept }: ToolParts): Tool {
  const read = createArgumentReader(operation, exposure);
  const serialize = createAnswerSerializer(operation);
  const serializeAnswer = (answer: unknown): string => {
    if (isReadyAnswer(answer)) return answer.bytes.toString('utf8');
    if (isLazyAnswer(answer)) return serialize(answer.take());
    return serialize(isFramedAnswer(answer) ? answer.body : answer);
  };
  const makeResult = createResultMaker(
    (answer, input) => toForm(serializeAnswer(answer), exposure, input),
    { kept, usual: exposure.brief ? 'brief' : 'all' },
  );
  return {
    name: exposure.tool,
    cost: COSTS[operation.cost],
    isOwned: operation.access === 'owner',
    listed: buildListed(operation, exposure),
    call: (typed, context) => {
      const input = read(typed);
      const answer = handler(input.parsed, context);
      return answer instanceof Promise
        ? answer.then((one) => makeResult(one, input))
        : makeResult(answer, input);
    },
    read: (typed, context) => {
      const answer = handler(read(typed).parsed, context);
      return answer instanceof Promise ? answer.then(serializeAnswer) : serializeAnswer(answer);
    },
  };
}

/** In the order of the operations, so always the same. */
export function createTools(
  operations: readonly Operation[],
  handlers: Readonly<Record<string, AnyHandler>>,
): ReadonlyMap<string, Tool> {
  const kept: KeptResults = new LRUCache({
    maxSize: RESULT_BYTES_MAX,
    maxEntrySize: RESULT_BYTES_MAX / 8,
    // The answer is held as long as its result, so it counts, too.
    sizeCalculation: ({ members }, { bytes }) => bytes.length + members.length,
  });
  const tools = operations.flatMap((operation) => {
    if (operation.mcp === null) return [];
    const handler = handlers[operation.id];
    if (!handler) throw new Error(`tool ${operation.mcp.tool} has no handler`);
    // There are no sessions here, and what needs none only reads, or is the owner's of a key.
    if (operation.access === 'session') throw new Error(`${operation.id} cannot be a tool`);
    return [createTool(operation, { exposure: operation.mcp, handler, kept })];
  });
  return new Map(tools.map((tool) => [tool.name, tool]));
}
