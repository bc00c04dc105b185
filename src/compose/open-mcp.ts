// Opens the MCP endpoint with the operations and their reference.

import type { Guide } from '../contract/guide.ts';
import type { AnyHandler, RawHandler } from '../contract/handler.ts';
import { operations } from '../contract/operations.ts';
import { createMcp } from '../mcp/create-mcp.ts';
import { PROMPTS } from '../mcp/prompts.ts';
import { createResources, ERROR_TEMPLATE } from '../mcp/resources.ts';
import type { Logger } from '../telemetry/logger.ts';

interface OpenMcpOptions {
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  readonly version: string;
  readonly guides: readonly Guide[];
  readonly listChains: () => readonly string[];
  readonly logger: Pick<Logger, 'error'>;
}

export function openMcp(options: OpenMcpOptions): RawHandler {
  return createMcp({
    ...options,
    operations,
    resources: createResources(operations, options),
    templates: [ERROR_TEMPLATE],
    prompts: PROMPTS,
  });
}
