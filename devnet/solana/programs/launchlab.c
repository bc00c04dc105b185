// A stand-in for Raydium's LaunchLab on the embedded chain: our own code in that program's wire
// format (address, instructions, account order, layouts, events). It is not Raydium's program.
//
// Known: buy_exact_in, buy_exact_out, sell_exact_in, sell_exact_out on curves of constant product,
// and migrate_to_cpswap. Left out: creations, migrations to AMM v4, the lock of a new pool's shares,
// vesting, other curves, a trader's share of the fee.

#include "self-events.h"

enum {
  // Of our own.
  EXCEEDED_SLIPPAGE = 6000, NOT_OPEN = 6001, ZERO_AMOUNT = 6002, TOO_MUCH = 6003,
  NOT_SOLD = 6004,
};

static const u8 BUY_IN[8] = {0xfa, 0xea, 0x0d, 0x7b, 0xd5, 0x9c, 0x13, 0xec};
static const u8 BUY_OUT[8] = {0x18, 0xd3, 0x74, 0x28, 0x69, 0x03, 0x99, 0x38};
static const u8 SELL_IN[8] = {0x95, 0x27, 0xde, 0x9b, 0xd3, 0x7c, 0x98, 0x1a};
static const u8 SELL_OUT[8] = {0x5f, 0xc8, 0x47, 0x22, 0x08, 0x09, 0x0b, 0xa6};
static const u8 MIGRATE[8] = {0x88, 0x5c, 0xc8, 0x67, 0x1c, 0xda, 0x90, 0x8c};
// Of CPMM.
static const u8 INITIALIZE[8] = {0xaf, 0xaf, 0x6d, 0x1f, 0x0d, 0x98, 0x9b, 0xed};
static const u8 TRADE_EVENT[8] = {0xbd, 0xdb, 0x7f, 0xd3, 0x4e, 0xe6, 0x61, 0xee};
static const u8 POOL_STATE[8] = {0xf7, 0xed, 0xe3, 0xf5, 0xd7, 0xc3, 0xde, 0x46};
static const u8 AUTHORITY_SEED[] = "vault_auth_seed";

enum {
  PIPS = 1000000, POOL_BYTES = 429, CONFIG_BYTES = 371, PLATFORM_BYTES = 728,
  // Fields of a pool.
  STATUS = 17, TOTAL_SELL = 29, VIRTUAL_BASE = 37, VIRTUAL_QUOTE = 45, REAL_BASE = 53,
  REAL_QUOTE = 61, PROTOCOL_FEE = 77, MIGRATE_FEE = 93, CONFIG = 141, PLATFORM = 173, BASE_VAULT = 269,
  QUOTE_VAULT = 301, CREATOR = 333,
  // Of the configurations.
  FEE_OF_MIGRATION = 19, TRADE_RATE = 27, MIGRATOR = 211, PLATFORM_RATE = 104, CREATOR_RATE = 720,
  // Of a pool: all is sold, then moved.
  SOLD_OUT = 1, MOVED = 2,
  // Of what CPMM opens for a pool.
  CPMM_POOL_BYTES = 637, MINT_BYTES = 82, TOKEN_BYTES = 165,
};

typedef struct {
  u64 coins, quote, fee, platform_fee, creator_fee, protocol_fee, rate, base, other;
  u64 real_base, real_quote;
} Trade;

#define TRADE ((Trade*)(0x300000000ull + 16384))

OUTLINE u64 check_accounts(void) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  const u8* pool = a[4].data;
  if (h->count < 18 || h->length != 32) return BAD_DATA;
  if (!a[0].signer || !equal(a[4].owner, h->self, 32)) return BAD_ACCOUNT;
  if (a[4].length != POOL_BYTES || !equal(pool, POOL_STATE, 8)) return BAD_ACCOUNT;
  if (!equal(a[2].key, pool + CONFIG, 32) || a[2].length < CONFIG_BYTES) return BAD_ACCOUNT;
  if (!equal(a[3].key, pool + PLATFORM, 32) || a[3].length < PLATFORM_BYTES) return BAD_ACCOUNT;
  if (!equal(a[7].key, pool + BASE_VAULT, 32)) return BAD_ACCOUNT;
  if (!equal(a[8].key, pool + QUOTE_VAULT, 32)) return BAD_ACCOUNT;
  if (sign_as(a[3].key, 32, a[10].key) || !is_address(&a[16])) return BAD_ADDRESS;
  if (sign_as(pool + CREATOR, 32, a[10].key) || !is_address(&a[17])) return BAD_ADDRESS;
  if (sign_as(AUTHORITY_SEED, 15, 0) || !is_address(&a[1])) return BAD_ADDRESS;
  return pool[STATUS] ? NOT_OPEN : 0;
}

// The reserves that price the trade, and the fee of all who share it.
OUTLINE void read_terms(void) {
  Account* a = HEAP->accounts;
  Trade* t = TRADE;
  const u8* pool = a[4].data;
  t->real_base = read_u64(pool + REAL_BASE);
  t->real_quote = read_u64(pool + REAL_QUOTE);
  t->base = read_u64(pool + VIRTUAL_BASE) - t->real_base;
  t->other = read_u64(pool + VIRTUAL_QUOTE) + t->real_quote;
  t->rate = read_u64(a[2].data + TRADE_RATE) + read_u64(a[3].data + PLATFORM_RATE) +
    read_u64(a[3].data + CREATOR_RATE);
}

OUTLINE void split_fee(void) {
  Account* a = HEAP->accounts;
  Trade* t = TRADE;
  u64 of_platform = read_u64(a[3].data + PLATFORM_RATE);
  u64 of_creator = read_u64(a[3].data + CREATOR_RATE);
  t->platform_fee = t->rate ? mul_div(t->fee, of_platform, t->rate, 0) : 0;
  t->creator_fee = t->rate ? mul_div(t->fee, of_creator, t->rate, 0) : 0;
  t->protocol_fee = t->fee - t->platform_fee - t->creator_fee;
}

// quote: what the wallet pays or gets.
OUTLINE u64 send_trade_event(u64 is_buy, u64 is_in) {
  Heap* h = HEAP;
  Trade* t = TRADE;
  const u8* pool = h->accounts[4].data;
  begin_event(TRADE_EVENT);
  event_bytes(h->accounts[4].key, 32);
  event_u64(read_u64(pool + TOTAL_SELL));
  event_u64(read_u64(pool + VIRTUAL_BASE));
  event_u64(read_u64(pool + VIRTUAL_QUOTE));
  event_u64(t->real_base);
  event_u64(t->real_quote);
  event_u64(read_u64(pool + REAL_BASE));
  event_u64(read_u64(pool + REAL_QUOTE));
  event_u64(is_buy ? t->quote : t->coins);
  event_u64(is_buy ? t->coins : t->quote);
  event_u64(t->protocol_fee);
  event_u64(t->platform_fee);
  event_u64(t->creator_fee);
  event_u64(0);
  event_u8((u8)!is_buy);
  event_u8(pool[STATUS]);
  event_u8((u8)is_in);
  // The venue tells it twice: in the log, and as a call to itself.
  h->field.bytes = h->event;
  h->field.length = h->event_length;
  sol_log_data(&h->field, 1);
  return send_event(&h->accounts[13], &h->accounts[14]);
}

OUTLINE u64 pay_fees(void) {
  Account* a = HEAP->accounts;
  Trade* t = TRADE;
  if (sign_as(AUTHORITY_SEED, 15, 0)) return BAD_ADDRESS;
  const Account* to_platform[5] = {&a[12], &a[8], &a[10], &a[16], &a[1]};
  u64 fault = t->platform_fee ? transfer_tokens(to_platform, t->platform_fee) : 0;
  if (fault) return fault;
  const Account* to_creator[5] = {&a[12], &a[8], &a[10], &a[17], &a[1]};
  return t->creator_fee ? transfer_tokens(to_creator, t->creator_fee) : 0;
}

// Arguments: what to spend and the least to get, or what to get and the most to spend.
OUTLINE u64 buy(u64 is_in) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  Trade* t = TRADE;
  u64 first = read_u64(h->data + 8), second = read_u64(h->data + 16);
  u64 left = read_u64(a[4].data + TOTAL_SELL) - t->real_base;
  u64 net = 0;
  t->coins = first;
  if (is_in) {
    t->quote = first;
    t->fee = mul_div(first, t->rate, PIPS, 1);
    net = first - t->fee;
    t->coins = mul_div(net, t->base, t->other + net, 0);
  }
  if (!is_in || t->coins > left) {
    if (t->coins > left) t->coins = left;
    net = mul_div(t->other, t->coins, t->base - t->coins, 1);
    t->quote = mul_div(net, PIPS, PIPS - t->rate, 1);
    t->fee = t->quote - net;
  }
  if (!t->coins) return ZERO_AMOUNT;
  if (is_in ? t->coins < second : t->quote > second) return EXCEEDED_SLIPPAGE;
  split_fee();
  sign_as_nobody();
  const Account* take[5] = {&a[12], &a[6], &a[10], &a[8], &a[0]};
  u64 fault = transfer_tokens(take, t->quote);
  if (!fault) fault = pay_fees();
  if (fault) return fault;
  const Account* give[5] = {&a[11], &a[7], &a[9], &a[5], &a[1]};
  if ((fault = transfer_tokens(give, t->coins))) return fault;
  add_to(a[4].data + REAL_BASE, t->coins);
  add_to(a[4].data + REAL_QUOTE, net);
  if (t->coins == left) a[4].data[STATUS] = SOLD_OUT;
  return 0;
}

OUTLINE u64 sell(u64 is_in) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  Trade* t = TRADE;
  u64 first = read_u64(h->data + 8), second = read_u64(h->data + 16);
  u64 gross;
  if (is_in) {
    t->coins = first;
    gross = mul_div(first, t->other, t->base + first, 0);
    t->fee = mul_div(gross, t->rate, PIPS, 1);
    t->quote = gross - t->fee;
  } else {
    t->quote = first;
    gross = mul_div(first, PIPS, PIPS - t->rate, 1);
    if (gross >= t->other) return TOO_MUCH;
    t->coins = mul_div(t->base, gross, t->other - gross, 1);
    t->fee = gross - first;
  }
  if (gross > t->real_quote || t->coins > t->real_base) return TOO_MUCH;
  if (!t->coins || !t->quote) return ZERO_AMOUNT;
  if (is_in ? t->quote < second : t->coins > second) return EXCEEDED_SLIPPAGE;
  split_fee();
  sign_as_nobody();
  const Account* take[5] = {&a[11], &a[5], &a[9], &a[7], &a[0]};
  u64 fault = transfer_tokens(take, t->coins);
  if (fault) return fault;
  if (sign_as(AUTHORITY_SEED, 15, 0)) return BAD_ADDRESS;
  const Account* give[5] = {&a[12], &a[8], &a[10], &a[6], &a[1]};
  fault = transfer_tokens(give, t->quote);
  if (!fault) fault = pay_fees();
  if (fault) return fault;
  take_from(a[4].data + REAL_BASE, t->coins);
  take_from(a[4].data + REAL_QUOTE, gross);
  return 0;
}

OUTLINE u64 trade(u64 is_buy, u64 is_in) {
  u64 fault = check_accounts();
  if (fault) return fault;
  read_terms();
  fault = is_buy ? buy(is_in) : sell(is_in);
  if (fault) return fault;
  add_to(HEAP->accounts[4].data + PROTOCOL_FEE, TRADE->protocol_fee);
  return send_trade_event(is_buy, is_in);
}

OUTLINE u64 check_migration(void) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  const u8* pool = a[17].data;
  if (h->count < 28 || h->length != 8) return BAD_DATA;
  if (!equal(a[17].owner, h->self, 32) || a[17].length != POOL_BYTES) return BAD_ACCOUNT;
  if (!equal(pool, POOL_STATE, 8)) return BAD_ACCOUNT;
  if (!equal(a[18].key, pool + CONFIG, 32) || a[18].length < CONFIG_BYTES) return BAD_ACCOUNT;
  if (!a[0].signer || !equal(a[0].key, a[18].data + MIGRATOR, 32)) return BAD_ACCOUNT;
  if (!equal(a[19].key, pool + BASE_VAULT, 32)) return BAD_ACCOUNT;
  if (!equal(a[20].key, pool + QUOTE_VAULT, 32)) return BAD_ACCOUNT;
  return pool[STATUS] == SOLD_OUT ? 0 : NOT_SOLD;
}

// The authority is the creator of the new pool, and pays for its accounts.
OUTLINE u64 pay_rent(void) {
  Account* a = HEAP->accounts;
  u64 rent = find_rent(CPMM_POOL_BYTES) + find_rent(MINT_BYTES) + 3 * find_rent(TOKEN_BYTES);
  sign_as_nobody();
  begin_call(&a[25]);
  add_account(&a[0], 1, 1);
  add_account(&a[16], 1, 0);
  add_u8(2);
  for (int i = 0; i < 3; i++) add_u8(0);
  add_u64(rent);
  return send_call();
}

// CPMM orders a pool's mints by their bytes.
OUTLINE u64 is_base_first(void) {
  Account* a = HEAP->accounts;
  for (u64 i = 0; i < 32; i++) {
    if (a[1].key[i] != a[2].key[i]) return a[1].key[i] < a[2].key[i];
  }
  return 0;
}

OUTLINE u64 open_pool(u64 coins, u64 quote) {
  Account* a = HEAP->accounts;
  u64 first = is_base_first() ? 0 : 1, second = 1 - first;
  if (sign_as(AUTHORITY_SEED, 15, 0) || !is_address(&a[16])) return BAD_ADDRESS;
  begin_call(&a[4]);
  add_account(&a[16], 1, 1);
  add_account(&a[10], 0, 0);
  add_account(&a[6], 0, 0);
  add_account(&a[5], 1, 0);
  add_account(&a[1 + first], 0, 0);
  add_account(&a[1 + second], 0, 0);
  add_account(&a[7], 1, 0);
  add_account(&a[19 + first], 1, 0);
  add_account(&a[19 + second], 1, 0);
  add_account(&a[21], 1, 0);
  add_account(&a[8 + first], 1, 0);
  add_account(&a[8 + second], 1, 0);
  add_account(&a[11], 1, 0);
  add_account(&a[12], 1, 0);
  // The new pool's shares are of the classic token program, as SOL is.
  add_account(&a[23], 0, 0);
  add_account(&a[22 + first], 0, 0);
  add_account(&a[22 + second], 0, 0);
  add_account(&a[24], 0, 0);
  add_account(&a[25], 0, 0);
  add_account(&a[26], 0, 0);
  add_bytes(INITIALIZE, 8);
  add_u64(first ? quote : coins);
  add_u64(first ? coins : quote);
  add_u64(0);
  return send_call();
}

// All coins that are left and what was paid, but for the fee, go to a pool of CPMM. Accounts: payer,
// base mint, quote mint, platform; CPMM's program, pool, authority, share mint, base vault, quote
// vault, config, fee of the creation, observation; three of the lock (not used); authority, pool,
// config, base vault, quote vault, shares; both token programs, associated, system, rent, metadata.
OUTLINE u64 migrate(void) {
  Account* a = HEAP->accounts;
  u64 fault = check_migration();
  if (fault) return fault;
  u8* pool = a[17].data;
  u64 fee = read_u64(a[18].data + FEE_OF_MIGRATION);
  u64 quote = read_u64(pool + REAL_QUOTE), coins = read_u64(a[19].data + 64);
  if (quote <= fee) return ZERO_AMOUNT;
  fault = pay_rent();
  if (!fault) fault = open_pool(coins, quote - fee);
  if (fault) return fault;
  write_u64(pool + MIGRATE_FEE, fee);
  pool[STATUS] = MOVED;
  return 0;
}

u64 entrypoint(const u8* input) {
  Heap* h = HEAP;
  u64 fault = read_input(input);
  if (fault) return fault;
  if (h->length < 8) return BAD_DATA;
  // Our own events come back as calls.
  if (equal(h->data, SELF_EVENT, 8)) return h->count == 1 && h->accounts[0].signer ? 0 : BAD_ACCOUNT;
  sol_get_clock_sysvar(h->clock);
  if (equal(h->data, BUY_IN, 8)) return trade(1, 1);
  if (equal(h->data, BUY_OUT, 8)) return trade(1, 0);
  if (equal(h->data, SELL_IN, 8)) return trade(0, 1);
  if (equal(h->data, SELL_OUT, 8)) return trade(0, 0);
  if (equal(h->data, MIGRATE, 8)) return migrate();
  return UNKNOWN_CALL;
}
