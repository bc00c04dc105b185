// A stand-in for pump's bonding curves on the embedded chain: our own code in that program's wire
// format (address, instructions, account order, curve layout, events). It is not pump's program.
//
// Known: create_v2, buy, buy_exact_sol_in, sell, and a migrate of our own that hands a sold-out
// curve's funds to Global's withdraw authority, who opens a CPMM pool in the same transaction.
// Left out: volume rewards, cashback, mayhem coins, other quote tokens.

#include "self-events.h"

enum {
  // The venue's own codes.
  TOO_MUCH_SOL = 6002, TOO_LITTLE_SOL = 6003, CURVE_COMPLETE = 6005, CURVE_NOT_COMPLETE = 6006,
  ZERO_AMOUNT = 6020, TOO_FEW_TOKENS = 6042,
};

static const u8 CREATE[8] = {0xd6, 0x90, 0x4c, 0xec, 0x5f, 0x8b, 0x31, 0xb4};
static const u8 BUY[8] = {0x66, 0x06, 0x3d, 0x12, 0x01, 0xda, 0xeb, 0xea};
static const u8 BUY_EXACT[8] = {0x38, 0xfc, 0x74, 0x08, 0x9e, 0xdf, 0xcd, 0x5f};
static const u8 SELL[8] = {0x33, 0xe6, 0x85, 0xa4, 0x01, 0x7f, 0x83, 0xad};
static const u8 MIGRATE[8] = {0x9b, 0xea, 0xe7, 0x92, 0xec, 0x9e, 0xa2, 0x1e};

static const u8 CREATE_EVENT[8] = {0x1b, 0x72, 0xa9, 0x4d, 0xde, 0xeb, 0x63, 0x76};
static const u8 TRADE_EVENT[8] = {0xbd, 0xdb, 0x7f, 0xd3, 0x4e, 0xe6, 0x61, 0xee};
static const u8 COMPLETE_EVENT[8] = {0x5f, 0x72, 0x61, 0x9c, 0xd4, 0x2e, 0x98, 0x08};
static const u8 MIGRATION_EVENT[8] = {0xbd, 0xe9, 0x5d, 0xb9, 0x5c, 0x94, 0xea, 0x94};

static const u8 CURVE_STATE[8] = {0x17, 0xb7, 0xf8, 0x37, 0x60, 0xd8, 0xac, 0x60};
static const u8 FEE_CONFIG[8] = {0x8f, 0x34, 0x92, 0xbb, 0xdb, 0x7b, 0x4c, 0x9b};
// Initialize of the token-metadata interface.
static const u8 WRITE_METADATA[8] = {0xd2, 0xe1, 0x1e, 0xa2, 0x58, 0xb8, 0x4d, 0x8d};

static const u8 CURVE_SEED[] = "bonding-curve";
static const u8 MINT_SEED[] = "mint-authority";
static const u8 GLOBAL_SEED[] = "global";
static const u8 CREATOR_SEED[] = "creator-vault";

enum {
  CURVE_BYTES = 123, MINT_BYTES = 234, DECIMALS = 6, BPS = 10000, CLOCK_TIME = 4, TEXTS_MAX = 1000,
  // Fields of a curve.
  VIRTUAL_TOKEN = 8, VIRTUAL_QUOTE = 16, REAL_TOKEN = 24, REAL_QUOTE = 32, SUPPLY = 40,
  COMPLETE = 48, CREATOR = 49,
};

OUTLINE u64 check_global(const Account* global) {
  if (sign_as(GLOBAL_SEED, 6, 0) || !is_address(global)) return BAD_ADDRESS;
  return global->length < 162 ? BAD_ACCOUNT : 0;
}

// The three texts of a creation, each after its length; returns where they end, 0 if malformed.
OUTLINE u64 measure_texts(void) {
  Heap* h = HEAP;
  u64 at = 8;
  for (u64 text = 0; text < 3; text++) {
    if (at + 4 > h->length) return 0;
    u64 length = read_u32(h->data + at);
    if (length > TEXTS_MAX) return 0;
    at += 4 + length;
  }
  return at + 32 <= h->length && at <= TEXTS_MAX ? at : 0;
}

// A Token-2022 mint that names itself.
OUTLINE u64 create_mint(u64 texts_end) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  sign_as_nobody();
  const Account* ends[3] = {&a[6], &a[5], &a[0]};
  // The metadata: its header, two keys, the texts, an empty list.
  u64 paid = MINT_BYTES + 4 + 64 + (texts_end - 8) + 4;
  u64 fault = create_account(ends, MINT_BYTES, paid, a[7].key);
  if (fault) return fault;
  begin_call(&a[7]);
  add_account(&a[0], 1, 0);
  // InitializeMetadataPointer: the mint itself holds the metadata.
  add_u8(39);
  add_u8(0);
  add_bytes(a[1].key, 32);
  add_bytes(a[0].key, 32);
  if ((fault = send_call())) return fault;
  begin_call(&a[7]);
  add_account(&a[0], 1, 0);
  add_u8(20);
  add_u8(DECIMALS);
  add_bytes(a[1].key, 32);
  add_u8(0);
  if ((fault = send_call())) return fault;
  if (sign_as(MINT_SEED, 14, 0) || !is_address(&a[1])) return BAD_ADDRESS;
  begin_call(&a[7]);
  add_account(&a[0], 1, 0);
  add_account(&a[1], 0, 0);
  add_account(&a[0], 0, 0);
  add_account(&a[1], 0, 1);
  add_bytes(WRITE_METADATA, 8);
  add_bytes(h->data + 8, texts_end - 8);
  return send_call();
}

OUTLINE u64 create_curve(u64 texts_end) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  const u8* global = a[4].data;
  if (sign_as(CURVE_SEED, 13, a[0].key) || !is_address(&a[2])) return BAD_ADDRESS;
  const Account* ends[3] = {&a[6], &a[5], &a[2]};
  u64 fault = create_account(ends, CURVE_BYTES, CURVE_BYTES, h->self);
  if (fault) return fault;
  sign_as_nobody();
  const Account* holder[7] = {&a[8], &a[5], &a[3], &a[2], &a[0], &a[6], &a[7]};
  if ((fault = create_associated(holder))) return fault;
  if (sign_as(MINT_SEED, 14, 0)) return BAD_ADDRESS;
  const Account* minted[4] = {&a[7], &a[0], &a[3], &a[1]};
  if ((fault = mint_tokens(minted, read_u64(global + 97)))) return fault;
  // SetAuthority: nobody mints any more.
  begin_call(&a[7]);
  add_account(&a[0], 1, 0);
  add_account(&a[1], 0, 1);
  add_u8(6);
  add_u8(0);
  add_u8(0);
  if ((fault = send_call())) return fault;
  u8* curve = a[2].data;
  copy(curve, CURVE_STATE, 8);
  write_u64(curve + VIRTUAL_TOKEN, read_u64(global + 73));
  write_u64(curve + VIRTUAL_QUOTE, read_u64(global + 81));
  write_u64(curve + REAL_TOKEN, read_u64(global + 89));
  write_u64(curve + SUPPLY, read_u64(global + 97));
  copy(curve + CREATOR, h->data + texts_end, 32);
  return 0;
}

// Accounts: mint, mint authority, curve, its token account, global, user, system program, token
// program, associated token program, five of the mayhem program (unused), event authority, self.
OUTLINE u64 create(void) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  u64 texts_end = measure_texts();
  if (!texts_end) return BAD_DATA;
  if (h->count < 16 || !a[0].signer || !a[5].signer) return BAD_ACCOUNT;
  u64 fault = check_global(&a[4]);
  if (!fault) fault = create_mint(texts_end);
  if (!fault) fault = create_curve(texts_end);
  if (fault) return fault;
  const u8* curve = a[2].data;
  begin_event(CREATE_EVENT);
  event_bytes(h->data + 8, texts_end - 8);
  event_bytes(a[0].key, 32);
  event_bytes(a[2].key, 32);
  event_bytes(a[5].key, 32);
  event_bytes(curve + CREATOR, 32);
  event_u64(h->clock[CLOCK_TIME]);
  event_u64(read_u64(curve + VIRTUAL_TOKEN));
  event_u64(read_u64(curve + VIRTUAL_QUOTE));
  event_u64(read_u64(curve + REAL_TOKEN));
  event_u64(read_u64(curve + SUPPLY));
  event_bytes(a[7].key, 32);
  event_u8(0);
  return send_event(&a[14], &a[15]);
}

// A trade's parts. The two orders of accounts differ after the system program.
typedef struct {
  Account *recipient, *mint, *curve, *holder, *user_holder, *user, *system, *token, *creator_vault;
  Account *event_authority, *self, *fees;
  u64 tokens, quote, protocol_bps, creator_bps, protocol_fee, creator_fee;
} Trade;

#define TRADE ((Trade*)(0x300000000ull + 16384))

// The rates of the tier that the market value is in; the first also holds below its threshold.
OUTLINE u64 find_rates(void) {
  Trade* t = TRADE;
  const u8* fees = t->fees->data;
  const u8* curve = t->curve->data;
  if (t->fees->length < 69 || !equal(fees, FEE_CONFIG, 8)) return BAD_ACCOUNT;
  u64 tokens = read_u64(curve + VIRTUAL_TOKEN);
  u64 value = mul_div(read_u64(curve + VIRTUAL_QUOTE), read_u64(curve + SUPPLY), tokens, 0);
  u64 count = read_u32(fees + 65);
  if (69 + 40 * count > t->fees->length) return BAD_ACCOUNT;
  const u8* rates = count ? fees + 69 + 16 : fees + 41;
  for (u64 tier = 1; tier < count; tier++) {
    const u8* at = fees + 69 + 40 * tier;
    if (read_u64(at + 8) == 0 && read_u64(at) <= value) rates = at + 16;
  }
  u64 has_creator = 0;
  for (u64 i = 0; i < 32; i++) has_creator |= curve[CREATOR + i];
  t->protocol_bps = read_u64(rates + 8);
  t->creator_bps = has_creator ? read_u64(rates + 16) : 0;
  return 0;
}

INLINE void find_fees(void) {
  Trade* t = TRADE;
  t->protocol_fee = mul_div(t->quote, t->protocol_bps, BPS, 1);
  t->creator_fee = mul_div(t->quote, t->creator_bps, BPS, 1);
}

OUTLINE u64 read_trade(u64 is_buy) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  Trade* t = TRADE;
  if (h->length < 24) return BAD_DATA;
  if (h->count < (is_buy ? 16u : 14u)) return BAD_ACCOUNT;
  t->recipient = &a[1];
  t->mint = &a[2];
  t->curve = &a[3];
  t->holder = &a[4];
  t->user_holder = &a[5];
  t->user = &a[6];
  t->system = &a[7];
  t->token = is_buy ? &a[8] : &a[9];
  t->creator_vault = is_buy ? &a[9] : &a[8];
  t->event_authority = &a[10];
  t->self = &a[11];
  t->fees = is_buy ? &a[14] : &a[12];
  const u8* curve = t->curve->data;
  if (!t->user->signer || !equal(t->curve->owner, h->self, 32)) return BAD_ACCOUNT;
  if (t->curve->length < CURVE_BYTES || !equal(curve, CURVE_STATE, 8)) return BAD_ACCOUNT;
  u64 fault = check_global(&a[0]);
  if (fault) return fault;
  if (!equal(t->recipient->key, a[0].data + 41, 32)) return BAD_ACCOUNT;
  if (sign_as(CREATOR_SEED, 13, curve + CREATOR)) return BAD_ADDRESS;
  if (!is_address(t->creator_vault)) return BAD_ADDRESS;
  if (curve[COMPLETE]) return CURVE_COMPLETE;
  return find_rates();
}

OUTLINE u64 pay(const Account* to, u64 lamports) {
  Trade* t = TRADE;
  if (!lamports) return 0;
  sign_as_nobody();
  begin_call(t->system);
  add_account(t->user, 1, 1);
  add_account(to, 1, 0);
  add_u8(2);
  for (int i = 0; i < 3; i++) add_u8(0);
  add_u64(lamports);
  return send_call();
}

OUTLINE u64 send_trade_event(u64 is_buy) {
  Heap* h = HEAP;
  Trade* t = TRADE;
  const u8* curve = t->curve->data;
  begin_event(TRADE_EVENT);
  event_bytes(t->mint->key, 32);
  event_u64(t->quote);
  event_u64(t->tokens);
  event_u8((u8)is_buy);
  event_bytes(t->user->key, 32);
  event_u64(h->clock[CLOCK_TIME]);
  event_u64(read_u64(curve + VIRTUAL_QUOTE));
  event_u64(read_u64(curve + VIRTUAL_TOKEN));
  event_u64(read_u64(curve + REAL_QUOTE));
  event_u64(read_u64(curve + REAL_TOKEN));
  event_bytes(t->recipient->key, 32);
  event_u64(t->protocol_bps);
  event_u64(t->protocol_fee);
  event_bytes(curve + CREATOR, 32);
  event_u64(t->creator_bps);
  event_u64(t->creator_fee);
  return send_event(t->event_authority, t->self);
}

// Pays, hands the coins over, and ends the curve with its last coin.
OUTLINE u64 finish_buy(void) {
  Heap* h = HEAP;
  Trade* t = TRADE;
  u8* curve = t->curve->data;
  u64 fault = pay(t->curve, t->quote);
  if (!fault) fault = pay(t->recipient, t->protocol_fee);
  if (!fault) fault = pay(t->creator_vault, t->creator_fee);
  if (fault) return fault;
  if (sign_as(CURVE_SEED, 13, t->mint->key) || !is_address(t->curve)) return BAD_ADDRESS;
  const Account* ends[5] = {t->token, t->holder, t->mint, t->user_holder, t->curve};
  if ((fault = transfer_tokens(ends, t->tokens))) return fault;
  take_from(curve + VIRTUAL_TOKEN, t->tokens);
  take_from(curve + REAL_TOKEN, t->tokens);
  add_to(curve + VIRTUAL_QUOTE, t->quote);
  add_to(curve + REAL_QUOTE, t->quote);
  if ((fault = send_trade_event(1)) || read_u64(curve + REAL_TOKEN)) return fault;
  curve[COMPLETE] = 1;
  begin_event(COMPLETE_EVENT);
  event_bytes(t->user->key, 32);
  event_bytes(t->mint->key, 32);
  event_bytes(t->curve->key, 32);
  event_u64(h->clock[CLOCK_TIME]);
  return send_event(t->event_authority, t->self);
}

// Arguments: coins wanted (all that are left, if they are fewer), the most to pay for them.
OUTLINE u64 buy(void) {
  Heap* h = HEAP;
  Trade* t = TRADE;
  u64 fault = read_trade(1);
  if (fault) return fault;
  const u8* curve = t->curve->data;
  u64 left = read_u64(curve + REAL_TOKEN);
  t->tokens = read_u64(h->data + 8);
  if (t->tokens > left) t->tokens = left;
  if (!t->tokens) return ZERO_AMOUNT;
  u64 tokens = read_u64(curve + VIRTUAL_TOKEN), quote = read_u64(curve + VIRTUAL_QUOTE);
  t->quote = mul_div(t->tokens, quote, tokens - t->tokens, 0) + 1;
  find_fees();
  u64 most = read_u64(h->data + 16);
  if (t->quote + t->protocol_fee + t->creator_fee > most) return TOO_MUCH_SOL;
  return finish_buy();
}

// Arguments: lamports to spend, fees included; the fewest coins to accept.
OUTLINE u64 buy_exact(void) {
  Heap* h = HEAP;
  Trade* t = TRADE;
  u64 fault = read_trade(1);
  if (fault) return fault;
  const u8* curve = t->curve->data;
  u64 spent = read_u64(h->data + 8);
  u64 rates = BPS + t->protocol_bps + t->creator_bps;
  t->quote = mul_div(spent, BPS, rates, 0);
  find_fees();
  u64 sum = t->quote + t->protocol_fee + t->creator_fee;
  if (sum > spent) t->quote -= sum - spent;
  if (t->quote < 2) return ZERO_AMOUNT;
  u64 tokens = read_u64(curve + VIRTUAL_TOKEN), quote = read_u64(curve + VIRTUAL_QUOTE);
  t->tokens = mul_div(t->quote - 1, tokens, quote + t->quote - 1, 0);
  u64 left = read_u64(curve + REAL_TOKEN);
  if (t->tokens > left) {
    t->tokens = left;
    t->quote = mul_div(left, quote, tokens - left, 0) + 1;
  }
  find_fees();
  if (!t->tokens) return ZERO_AMOUNT;
  if (t->tokens < read_u64(h->data + 16)) return TOO_FEW_TOKENS;
  return finish_buy();
}

// Arguments: coins sold, the least to get for them.
OUTLINE u64 sell(void) {
  Heap* h = HEAP;
  Trade* t = TRADE;
  u64 fault = read_trade(0);
  if (fault) return fault;
  u8* curve = t->curve->data;
  t->tokens = read_u64(h->data + 8);
  if (!t->tokens) return ZERO_AMOUNT;
  u64 tokens = read_u64(curve + VIRTUAL_TOKEN), quote = read_u64(curve + VIRTUAL_QUOTE);
  t->quote = mul_div(t->tokens, quote, tokens + t->tokens, 0);
  find_fees();
  u64 fees = t->protocol_fee + t->creator_fee;
  if (t->quote > read_u64(curve + REAL_QUOTE)) return BAD_DATA;
  if (t->quote < fees || t->quote - fees < read_u64(h->data + 16)) return TOO_LITTLE_SOL;
  sign_as_nobody();
  const Account* ends[5] = {t->token, t->user_holder, t->mint, t->holder, t->user};
  if ((fault = transfer_tokens(ends, t->tokens))) return fault;
  add_to(curve + VIRTUAL_TOKEN, t->tokens);
  add_to(curve + REAL_TOKEN, t->tokens);
  take_from(curve + VIRTUAL_QUOTE, t->quote);
  take_from(curve + REAL_QUOTE, t->quote);
  if ((fault = send_trade_event(0))) return fault;
  // The curve is ours: its lamports move without a call.
  *t->curve->lamports -= t->quote;
  *t->user->lamports += t->quote - fees;
  *t->recipient->lamports += t->protocol_fee;
  *t->creator_vault->lamports += t->creator_fee;
  return 0;
}

// Accounts: global, withdraw authority, mint, curve, its token account, the authority's token
// account, token program, the pool that is opened next, event authority, self.
OUTLINE u64 migrate(void) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  if (h->count < 10) return BAD_ACCOUNT;
  u64 fault = check_global(&a[0]);
  if (fault) return fault;
  u8* curve = a[3].data;
  if (!a[1].signer || !equal(a[1].key, a[0].data + 113, 32)) return BAD_ACCOUNT;
  if (!equal(a[3].owner, h->self, 32) || !equal(curve, CURVE_STATE, 8)) return BAD_ACCOUNT;
  u64 quote = read_u64(curve + REAL_QUOTE), tokens = read_u64(a[4].data + 64);
  if (!curve[COMPLETE] || !quote) return CURVE_NOT_COMPLETE;
  if (sign_as(CURVE_SEED, 13, a[2].key) || !is_address(&a[3])) return BAD_ADDRESS;
  const Account* ends[5] = {&a[6], &a[4], &a[2], &a[5], &a[3]};
  if ((fault = transfer_tokens(ends, tokens))) return fault;
  for (u64 at = VIRTUAL_TOKEN; at < SUPPLY; at += 8) write_u64(curve + at, 0);
  begin_event(MIGRATION_EVENT);
  event_bytes(a[1].key, 32);
  event_bytes(a[2].key, 32);
  event_u64(tokens);
  event_u64(quote);
  event_u64(0);
  event_bytes(a[3].key, 32);
  event_u64(h->clock[CLOCK_TIME]);
  event_bytes(a[7].key, 32);
  if ((fault = send_event(&a[8], &a[9]))) return fault;
  *a[3].lamports -= quote;
  *a[1].lamports += quote;
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
  if (equal(h->data, BUY, 8)) return buy();
  if (equal(h->data, SELL, 8)) return sell();
  if (equal(h->data, BUY_EXACT, 8)) return buy_exact();
  if (equal(h->data, CREATE, 8)) return create();
  if (equal(h->data, MIGRATE, 8)) return migrate();
  return UNKNOWN_CALL;
}
