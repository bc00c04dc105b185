// The write connection's thread: runs the transactions that its owner sends, one at a time.

import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '../../lib/lower-thread-priority.ts';
import { ADD_TRADES } from '../market/add-trades.ts';
import type { SqlProcedure, SqlSession } from '../sql.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import {
  type SessionCall,
  type SqliteWriterCommand,
  type SqliteWriterReply,
  toPlainError,
} from './writer-message.ts';

/** A function cannot be sent to another thread; its name can. */
const PROCEDURES: Readonly<Record<SqlProcedure['name'], SqlProcedure>> = { addTrades: ADD_TRADES };

lowerThreadPriority();
const { file } = workerData as { readonly file: string };
const writer = new SqliteWriter(file);

const waiting: SqliteWriterCommand[] = [];
let wake: () => void = () => undefined;

parentPort?.on('message', (command: SqliteWriterCommand) => {
  waiting.push(command);
  wake();
});

async function takeCommand(): Promise<SqliteWriterCommand> {
  for (;;) {
    const command = waiting.shift();
    if (command !== undefined) return command;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

function tell(reply: SqliteWriterReply): void {
  parentPort?.postMessage(reply);
}

function runCall(session: SqlSession, call: SessionCall): Promise<unknown> {
  switch (call.method) {
    case 'query':
    case 'execute':
      return session[call.method](call.on, call.values);
    case 'queryEach':
      return session.queryEach(call.on, call.values);
    case 'runProcedure':
      return session.runProcedure(PROCEDURES[call.on], call.values);
    default:
      return session[call.method](call.on, call.values);
  }
}

/** Thrown to make the writer roll back. */
class RolledBack extends Error {}

interface Run {
  /** The first failure of a call, which is the cause of those after it. */
  failure: unknown;
  hasFailed: boolean;
  hasEnded: boolean;
}

/** Runs calls until the transaction is to end. */
async function runCalls(session: SqlSession, run: Run): Promise<void> {
  for (;;) {
    const command = await takeCommand();
    if (command.kind === 'end') {
      run.hasEnded = true;
      if (!command.commits) throw new RolledBack();
      if (run.hasFailed) throw run.failure;
      return;
    }
    if (command.kind !== 'call') continue;
    const { id } = command;
    try {
      const result = await runCall(session, command.call);
      if (id !== null) tell({ kind: 'result', id, result });
    } catch (error) {
      if (!run.hasFailed) run.failure = error;
      run.hasFailed = true;
      tell({ kind: 'failed', id, error: toPlainError(run.failure) });
    }
  }
}

/** The transaction could not begin: its calls fail. */
async function refuseCalls(error: unknown): Promise<void> {
  for (;;) {
    const command = await takeCommand();
    if (command.kind === 'end') return;
    if (command.kind === 'call')
      tell({ kind: 'failed', id: command.id, error: toPlainError(error) });
  }
}

async function runTransaction(): Promise<void> {
  const run: Run = { failure: null, hasFailed: false, hasEnded: false };
  try {
    await writer.transaction((session) => runCalls(session, run));
    tell({ kind: 'ended', error: null });
  } catch (error) {
    if (!run.hasEnded) await refuseCalls(error);
    tell({ kind: 'ended', error: error instanceof RolledBack ? null : toPlainError(error) });
  }
}

for (;;) {
  const command = await takeCommand();
  if (command.kind === 'close') break;
  if (command.kind === 'begin') await runTransaction();
}
await writer.close();
parentPort?.close();
