// What keys and sessions were used for, in SQL.

import type { AccessStore, OperationUse } from '../access-store.ts';
import type { SqlEngine, SqlSession } from '../sql.ts';
import type { SqlStatement } from '../table.ts';
import { numberAt, textAt } from '../tables/column-value.ts';

type OperationUsageQueries = Pick<AccessStore, 'addOperationUsage' | 'readOperationUsage'>;

const TABLE = 'access_operation_usage';

const ADD: SqlStatement = {
  sql: `INSERT INTO ${TABLE}
      (wallet_id, hour, source, operation, requests, cost_milli, limited, errors)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (wallet_id, hour, source, operation) DO UPDATE SET
      requests = ${TABLE}.requests + excluded.requests,
      cost_milli = ${TABLE}.cost_milli + excluded.cost_milli,
      limited = ${TABLE}.limited + excluded.limited,
      errors = ${TABLE}.errors + excluded.errors`,
  takes: ['text', 'integer', 'text', 'text', 'integer', 'integer', 'integer', 'integer'],
  gives: [],
};

/** PostgreSQL sums integers into decimals, which the driver returns as text. */
function buildRead(hours: number): SqlStatement {
  const sum = (column: string) => `CAST(SUM(${column}) AS BIGINT)`;
  return {
    sql: `SELECT (hour / ${hours}) * ${hours} AS start, source, operation,
        ${['requests', 'cost_milli', 'limited', 'errors'].map(sum).join(', ')}
      FROM ${TABLE}
      WHERE wallet_id = $1 AND hour >= $2 AND hour < $3 AND ($4 = '' OR source = $5)
      GROUP BY 1, source, operation ORDER BY 1, source, operation LIMIT $6`,
    takes: ['text', 'integer', 'integer', 'text', 'text', 'integer'],
    gives: ['integer', 'text', 'text', 'integer', 'integer', 'integer', 'integer'],
  };
}

const READS = { 1: buildRead(1), 24: buildRead(24) } as const;

async function add(session: SqlSession, uses: readonly OperationUse[]): Promise<void> {
  const toName = (use: OperationUse) =>
    [use.walletId, use.hour, use.source, use.operation].join(' ');
  // One order for all nodes: they never wait for each other's rows in a circle.
  const sorted = uses.toSorted((a, b) => (toName(a) < toName(b) ? -1 : 1));
  for (const use of sorted) {
    const { walletId, hour, source, operation, requests, costMilli, limited, errors } = use;
    const counts = [requests, costMilli, limited, errors];
    await session.execute(ADD, [walletId, hour, source, operation, ...counts]);
  }
}

export function createOperationUsageQueries(engine: SqlEngine): OperationUsageQueries {
  return {
    addOperationUsage: (uses) => engine.transaction((session) => add(session, uses)),
    readOperationUsage: async (walletId, { fromHour, toHour, source, hoursEach, limit }) => {
      const only = source ?? '';
      const values = [walletId, fromHour, toHour, only, only, limit];
      const rows = await engine.session.query(READS[hoursEach], values);
      return rows.map((row) => ({
        walletId,
        hour: numberAt(row, 0),
        source: textAt(row, 1),
        operation: textAt(row, 2),
        requests: numberAt(row, 3),
        costMilli: numberAt(row, 4),
        limited: numberAt(row, 5),
        errors: numberAt(row, 6),
      }));
    },
  };
}
