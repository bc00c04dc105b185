// The MCP endpoint: messages in, answers out. It is stateless.

import type { AnyHandler, HandlerContext, RawHandler } from '../contract/handler.ts';
import { COSTS, type Operation } from '../contract/operation.ts';
import type { RawAnswer, RawMessage, RawRequest } from '../contract/raw-request.ts';
import { toAppError } from '../errors/to-app-error.ts';
import { isLoggedOutage } from '../errors/unavailable-error.ts';
import {
  createEncodeResult,
  type EncodedText,
  encodeError,
  encodeToolError,
  type ResultText,
} from './encode-answer.ts';
import { createMethods, type Method, type MethodOptions } from './methods.ts';
import { type McpInput, parseMessages } from './parse-messages.ts';
import { type McpMessage, McpRpcError, STATELESS_REVISION } from './protocol.ts';
import { createToolErrorBuilder } from './tool-error.ts';
import { createTools, type Tool } from './tools.ts';

export interface McpOptions
  extends Pick<MethodOptions, 'resources' | 'templates' | 'prompts' | 'listChains'> {
  readonly operations: readonly Operation[];
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly version: string;
  readonly logger: { error(fields: object, message: string): void };
}

/** One message of a request with everything needed to answer it. */
interface Work {
  readonly message: McpMessage;
  readonly input: McpInput;
  readonly bill: RawMessage;
  readonly context: HandlerContext;
}

interface Answered {
  readonly status: number;
  /** That of the same request over HTTP. */
  readonly httpStatus: number;
  /** Null if the message expects no answer. */
  readonly text: EncodedText | null;
  readonly retryAfterSeconds?: number | undefined;
}

const SERVER = {
  name: 'mintwire',
  title: 'Mintwire',
  description:
    'Token market data, quotes and trade status from the chains that this server follows.',
};

/** The answer to a message that expects none. */
const NOTED: Answered = { status: 202, httpStatus: 202, text: null };
/** Protocol errors are the client's. */
const RPC_ERROR_STATUS = 400;

const START = Buffer.from('[');
const COMMA = Buffer.from(',');
const END = Buffer.from(']');

/** A list of answers in pieces, so that cached bytes are sent without a copy. */
function joinAnswers(answers: readonly EncodedText[]): readonly Buffer[] {
  const pieces = answers.flatMap((answer, index) => [
    index === 0 ? START : COMMA,
    ...(typeof answer === 'string' ? [Buffer.from(answer)] : answer),
  ]);
  return [...pieces, END];
}

/** Answers each message of a request separately; a whole request fails only before it is parsed. */
class McpEndpoint {
  readonly #options: McpOptions;
  readonly #tools: ReturnType<typeof createTools>;
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #encode: ReturnType<typeof createEncodeResult>;
  readonly #buildToolError: ReturnType<typeof createToolErrorBuilder>;

  constructor(options: McpOptions) {
    const { operations, handlers, version } = options;
    this.#options = options;
    const server = { ...SERVER, version };
    this.#tools = createTools(operations, handlers);
    this.#methods = createMethods({ ...options, server, tools: this.#tools });
    this.#encode = createEncodeResult(server);
    this.#buildToolError = createToolErrorBuilder(operations);
  }

  async answer(request: RawRequest, context: HandlerContext): Promise<RawAnswer> {
    let input: McpInput;
    try {
      input = parseMessages(request.body, request.headers);
    } catch (error) {
      if (!(error instanceof McpRpcError)) throw error;
      return { status: 400, body: encodeError(error.id, error) };
    }
    const { messages } = input;
    if (input.isBatch) return this.#answerBatch(input, request, context);
    const [message] = messages;
    if (message === undefined) return { status: 202, body: null };
    const name = this.#findName(message);
    request.rename(name);
    const bill = request.begin(name);
    try {
      bill.charge(this.#findCost(message));
    } catch (error) {
      bill.end(toAppError(error).status);
      throw error;
    }
    const answered = await this.#answerOne(this.#openWork(message, input, { bill, context }));
    const { status, httpStatus, text, retryAfterSeconds } = answered;
    bill.end(httpStatus);
    return { status, body: text, retryAfterSeconds };
  }

  #openWork(
    message: McpMessage,
    input: McpInput,
    { bill, context }: Pick<Work, 'bill' | 'context'>,
  ): Work {
    return { message, input, bill, context: { ...context, ...bill.work } };
  }

  /**
   * All messages are charged before any is processed; one that exceeds the budget gets its own
   * error.
   */
  async #answerBatch(
    input: McpInput,
    request: RawRequest,
    context: HandlerContext,
  ): Promise<RawAnswer> {
    const works = input.messages.map((message) => {
      const bill = request.begin(this.#findName(message));
      const work = this.#openWork(message, input, { bill, context });
      try {
        bill.charge(this.#findCost(message));
        return { bill, answer: () => this.#answerOne(work) };
      } catch (error) {
        return { bill, answer: () => this.#refuse(work, error) };
      }
    });
    const answers = await Promise.all(
      works.map(async ({ bill, answer }) => {
        const answered = await answer();
        bill.end(answered.httpStatus);
        return answered;
      }),
    );
    const texts = answers.flatMap(({ text }) => (text === null ? [] : [text]));
    if (texts.length === 0) return { status: 202, body: null };
    // The longest wait allows a retry of all of them.
    const waits = answers.flatMap(({ retryAfterSeconds: seconds }) => seconds ?? []);
    const retryAfterSeconds = waits.length === 0 ? undefined : Math.max(...waits);
    return { status: 200, body: joinAnswers(texts), retryAfterSeconds };
  }

  /** The tool that a message calls; an invalid name is reported when the message is answered. */
  #findTool({ method, params }: McpMessage): Tool | undefined {
    const { name } = params;
    return method === 'tools/call' && typeof name === 'string' ? this.#tools.get(name) : undefined;
  }

  /** The cost of the most expensive message; the minimum if the body cannot be parsed. */
  findCost(request: Parameters<RawHandler['findCost']>[0]): number {
    if (request === null)
      return Math.max(COSTS.read, ...[...this.#tools.values()].map(({ cost }) => cost));
    try {
      const { messages } = parseMessages(request.body, request.headers);
      return Math.max(COSTS.read, ...messages.map((message) => this.#findCost(message)));
    } catch (error) {
      if (!(error instanceof McpRpcError)) throw error;
      return COSTS.read;
    }
  }

  #findCost(message: McpMessage): number {
    return this.#findTool(message)?.cost ?? COSTS.read;
  }

  #findName(message: McpMessage): string {
    const { method } = message;
    if (method !== 'tools/call') return this.#methods.has(method) ? `mcp ${method}` : 'callMcp';
    const tool = this.#findTool(message);
    return tool === undefined ? 'callMcp' : `mcp ${tool.name}`;
  }

  async #answerOne(work: Work): Promise<Answered> {
    const { message, input, context } = work;
    if (message.id === null) return NOTED;
    try {
      const method = this.#methods.get(message.method);
      const isStateless = input.revision === STATELESS_REVISION;
      if (method === undefined || !method.isIn(isStateless)) {
        const status = isStateless ? 404 : 200;
        throw new McpRpcError('methodNotFound', 'Method not found', { status });
      }
      const result = method.answer(message.params, context);
      return this.#finish(work, result instanceof Promise ? await result : result);
    } catch (error) {
      return this.#fail(work, error);
    }
  }

  #finish({ message, input }: Work, result: ResultText): Answered {
    return { status: 200, httpStatus: 200, text: this.#encode(message, input.revision, result) };
  }

  /** A message without budget; one that expects no answer is refused without a word. */
  #refuse(work: Work, error: unknown): Answered {
    const { status: httpStatus } = toAppError(error);
    return { ...this.#fail(work, error), httpStatus };
  }

  /** The one place where errors become answers. */
  #fail(work: Work, error: unknown): Answered {
    const { message, context } = work;
    if (message.id === null) return NOTED;
    if (error instanceof McpRpcError) {
      const text = encodeError(message.id, error);
      return { status: error.status, httpStatus: RPC_ERROR_STATUS, text };
    }
    const appError = toAppError(error);
    const { status: httpStatus, cause } = appError;
    if (httpStatus >= 500 && cause !== undefined && !isLoggedOutage(cause)) {
      const { requestId } = context;
      this.#options.logger.error({ err: cause, requestId }, 'a message failed');
    }
    const toolError = this.#buildToolError(appError, context.requestId);
    const { retryAfterSeconds } = appError;
    if (message.method === 'tools/call') {
      return { ...this.#finish(work, encodeToolError(toolError)), httpStatus, retryAfterSeconds };
    }
    const kind = appError.code === 'RATE_LIMITED' ? 'rateLimited' : 'internalError';
    const { message: text, ...data } = toolError;
    const encoded = encodeError(message.id, new McpRpcError(kind, text, { data }));
    return { status: 200, httpStatus, text: encoded, retryAfterSeconds };
  }
}

export function createMcp(options: McpOptions): RawHandler {
  const endpoint = new McpEndpoint(options);
  const answer = (request: RawRequest, context: HandlerContext) =>
    endpoint.answer(request, context);
  return Object.assign(answer, {
    findCost: (request: Parameters<RawHandler['findCost']>[0]) => endpoint.findCost(request),
  });
}
