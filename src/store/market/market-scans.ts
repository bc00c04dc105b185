// Reads of a whole chain, one page at a time.

import type { AdoptionRecord } from '../../model/adoption.ts';
import type { BackfillRecord } from '../../model/backfill.ts';
import type { ChainSlug } from '../../model/chain.ts';
import type { DiscoveryRecord } from '../../model/discovery.ts';
import type {
  BalanceRecord,
  CandleRecord,
  TickRecord,
  TokenRecord,
  TradeRecord,
} from '../../model/market-record.ts';
import type { PoolRecord } from '../../model/pool.ts';
import type { PositionRecord } from '../../model/position.ts';
import type { ScopeEntry } from '../../model/scope.ts';
import type { MarketScanner } from '../store.ts';
import { ADOPTION_TABLE, toAdoptionRecord } from '../tables/adoption-table.ts';
import { BACKFILL_TABLE, toBackfillRecord } from '../tables/backfill-table.ts';
import { BALANCE_TABLE, toBalanceRecord } from '../tables/balance-table.ts';
import { CANDLE_TABLE, toCandleRecord } from '../tables/candle-table.ts';
import { toAmount } from '../tables/column-value.ts';
import { DISCOVERY_TABLE, toDiscoveryRecord } from '../tables/discovery-table.ts';
import { POOL_TABLE, toPoolRecord } from '../tables/pool-table.ts';
import { POSITION_TABLE, toPositionRecord } from '../tables/position-table.ts';
import { SCOPE_ENTRY_TABLE, toScopeEntry } from '../tables/scope-entry-table.ts';
import { TICK_TABLE, toTickRecord } from '../tables/tick-table.ts';
import { TOKEN_TABLE, toTokenRecord } from '../tables/token-table.ts';
import { TRADE_TABLE, toTradeRecord } from '../tables/trade-table.ts';
import { scanTable } from './scan-table.ts';
import { StreamPages } from './stream-pages.ts';

export class MarketScans extends StreamPages implements MarketScanner {
  scanTokens(chain: ChainSlug): AsyncIterable<readonly TokenRecord[]> {
    return scanTable(this.session, chain, {
      table: TOKEN_TABLE,
      orderBy: ['token'],
      toRecord: toTokenRecord,
    });
  }

  scanUnsuppliedTokens(chain: ChainSlug): AsyncIterable<readonly TokenRecord[]> {
    return scanTable(this.session, chain, {
      table: TOKEN_TABLE,
      orderBy: ['token'],
      toRecord: toTokenRecord,
      chosen: {
        sql: `supply_block IS NULL OR supply_balance_sum_raw IS NULL
          OR supply_balance_sum_raw <> balance_sum_raw`,
        ...{ takes: [], values: [] },
      },
    });
  }

  scanUnnamedTokens(chain: ChainSlug): AsyncIterable<readonly TokenRecord[]> {
    return scanTable(this.session, chain, {
      table: TOKEN_TABLE,
      orderBy: ['token'],
      toRecord: toTokenRecord,
      chosen: {
        sql: 'trade_count > 0 AND (symbol IS NULL OR name IS NULL OR decimals IS NULL)',
        ...{ takes: [], values: [] },
      },
    });
  }

  scanPools(chain: ChainSlug): AsyncIterable<readonly PoolRecord[]> {
    return scanTable(this.session, chain, {
      table: POOL_TABLE,
      orderBy: ['pool'],
      toRecord: toPoolRecord,
    });
  }

  scanDeepPools(chain: ChainSlug, minUsdE18: bigint): AsyncIterable<readonly PoolRecord[]> {
    return scanTable(this.session, chain, {
      table: POOL_TABLE,
      orderBy: ['pool'],
      toRecord: toPoolRecord,
      chosen: {
        ...{ sql: 'liquidity_usd_e18 >= $2', takes: ['text'] },
        values: [toAmount(minUsdE18)],
      },
    });
  }

  scanIncompletePools(chain: ChainSlug): AsyncIterable<readonly PoolRecord[]> {
    return scanTable(this.session, chain, {
      table: POOL_TABLE,
      orderBy: ['pool'],
      toRecord: toPoolRecord,
      chosen: { sql: 'complete = 0', takes: [], values: [] },
    });
  }

  scanTicks(chain: ChainSlug): AsyncIterable<readonly TickRecord[]> {
    return scanTable(this.session, chain, {
      table: TICK_TABLE,
      orderBy: ['pool', 'tick'],
      toRecord: toTickRecord,
    });
  }

  scanAdoptions(chain: ChainSlug): AsyncIterable<readonly AdoptionRecord[]> {
    return scanTable(this.session, chain, {
      table: ADOPTION_TABLE,
      orderBy: ['version', 'pool'],
      toRecord: toAdoptionRecord,
    });
  }

  scanDiscoveries(chain: ChainSlug): AsyncIterable<readonly DiscoveryRecord[]> {
    return scanTable(this.session, chain, {
      table: DISCOVERY_TABLE,
      orderBy: ['version', 'token'],
      toRecord: toDiscoveryRecord,
    });
  }

  scanScopeEntries(chain: ChainSlug): AsyncIterable<readonly ScopeEntry[]> {
    return scanTable(this.session, chain, {
      table: SCOPE_ENTRY_TABLE,
      orderBy: ['token', 'from_block'],
      toRecord: toScopeEntry,
    });
  }

  scanBalances(chain: ChainSlug): AsyncIterable<readonly BalanceRecord[]> {
    return scanTable(this.session, chain, {
      table: BALANCE_TABLE,
      orderBy: ['owner', 'token'],
      toRecord: toBalanceRecord,
    });
  }

  scanPositions(chain: ChainSlug): AsyncIterable<readonly PositionRecord[]> {
    return scanTable(this.session, chain, {
      table: POSITION_TABLE,
      orderBy: ['wallet', 'token'],
      toRecord: toPositionRecord,
    });
  }

  scanBackfills(chain: ChainSlug): AsyncIterable<readonly BackfillRecord[]> {
    return scanTable(this.session, chain, {
      table: BACKFILL_TABLE,
      orderBy: ['token', 'kind'],
      toRecord: toBackfillRecord,
    });
  }

  scanCandles(chain: ChainSlug): AsyncIterable<readonly CandleRecord[]> {
    return scanTable(this.session, chain, {
      table: CANDLE_TABLE,
      orderBy: ['token', 'pool', 'interval', 'open_time_ms'],
      toRecord: toCandleRecord,
    });
  }

  scanTrades(chain: ChainSlug): AsyncIterable<readonly TradeRecord[]> {
    return scanTable(this.session, chain, {
      table: TRADE_TABLE,
      orderBy: ['block', 'log_index', 'token'],
      toRecord: toTradeRecord,
    });
  }

  scanNewestTrades(chain: ChainSlug): AsyncIterable<readonly TradeRecord[]> {
    return scanTable(this.session, chain, {
      table: TRADE_TABLE,
      orderBy: ['block', 'log_index', 'token'],
      toRecord: toTradeRecord,
      isDescending: true,
    });
  }
}
