// A stand-in for Raydium's CPMM on the embedded chain: our own code in that program's wire format
// (address, instructions, account order, pool layout, event). It is not Raydium's program.
//
// Known: initialize, swap_base_input, swap_base_output. Left out: deposits, withdrawals, the
// creator's fee and the observation of prices. Formulas: docs/solana.md and src/amm.

#include "program.h"

enum {
  // The venue's own codes.
  EXCEEDED_SLIPPAGE = 6005, NOT_APPROVED = 6000, ZERO_AMOUNT = 2505,
};

static const u8 INITIALIZE[8] = {0xaf, 0xaf, 0x6d, 0x1f, 0x0d, 0x98, 0x9b, 0xed};
static const u8 SWAP_IN[8] = {0x8f, 0xbe, 0x5a, 0xda, 0xc4, 0x1e, 0x33, 0xde};
static const u8 SWAP_OUT[8] = {0x37, 0xd9, 0x62, 0x56, 0xa3, 0x4a, 0xb4, 0xad};
static const u8 POOL_STATE[8] = {0xf7, 0xed, 0xe3, 0xf5, 0xd7, 0xc3, 0xde, 0x46};
static const u8 SWAP_EVENT[8] = {0x40, 0xc6, 0xcd, 0xe8, 0x26, 0x08, 0x71, 0xe2};

static const u8 AUTHORITY_SEED[] = "vault_and_lp_mint_auth_seed";
static const u8 POOL_SEED[] = "pool";
static const u8 VAULT_SEED[] = "pool_vault";
static const u8 LP_SEED[] = "pool_lp_mint";

enum {
  POOL_BYTES = 637, PIPS = 1000000, BPS = 10000, LP_DECIMALS = 9, LP_LOCKED = 100,
  STATUS_NO_SWAP = 4, TRANSFER_FEE_CONFIG = 1, CLOCK_EPOCH = 2, CLOCK_TIME = 4,
};

// The mint's extension that takes a part of every transfer; null if it has none.
OUTLINE const u8* find_transfer_fee(const Account* mint) {
  if (mint->length <= 166) return 0;
  for (u64 at = 166; at + 4 <= mint->length;) {
    u64 type = mint->data[at] | ((u64)mint->data[at + 1] << 8);
    u64 length = mint->data[at + 2] | ((u64)mint->data[at + 3] << 8);
    if (type == TRANSFER_FEE_CONFIG) return mint->data + at + 4;
    if (type == 0) return 0;
    at += 4 + length;
  }
  return 0;
}

// The fee that holds in this epoch: {epoch, most, basis points}. The newer one begins at byte 90.
INLINE const u8* pick_fee(const u8* config) {
  return HEAP->clock[CLOCK_EPOCH] >= read_u64(config + 90) ? config + 90 : config + 72;
}

// What a transfer of `amount` loses.
OUTLINE u64 find_fee(const Account* mint, u64 amount) {
  const u8* config = find_transfer_fee(mint);
  if (!config) return 0;
  const u8* fee = pick_fee(config);
  u64 most = read_u64(fee + 8), bps = fee[16] | ((u64)fee[17] << 8);
  u64 cut = mul_div(amount, bps, BPS, 1);
  return cut < most ? cut : most;
}

// What must be added to `amount`, so that it arrives whole.
OUTLINE u64 find_inverse_fee(const Account* mint, u64 amount) {
  const u8* config = find_transfer_fee(mint);
  if (!config) return 0;
  const u8* fee = pick_fee(config);
  u64 most = read_u64(fee + 8), bps = fee[16] | ((u64)fee[17] << 8);
  if (bps == 0) return 0;
  if (bps >= BPS) return most;
  u64 whole = mul_div(amount, BPS, BPS - bps, 1);
  return whole - amount >= most ? most : find_fee(mint, whole);
}

// Floor of the square root of a·b.
OUTLINE u64 root_of_product(u64 a, u64 b) {
  Wide square = multiply(a, b);
  u64 root = 0;
  for (int bit = 63; bit >= 0; bit--) {
    u64 tried = root | (1ull << bit);
    Wide product = multiply(tried, tried);
    u64 fits = product.high < square.high ||
      (product.high == square.high && product.low <= square.low);
    if (fits) root = tried;
  }
  return root;
}

INLINE u64 sign_as_authority(void) {
  sign_as_nobody();
  add_seed(AUTHORITY_SEED, 27);
  return sign_as_seeds();
}

// A token account of the pool: the vault of one mint, owned by the authority.
OUTLINE u64 create_vault(const Account* vault, const Account* mint, const Account* program) {
  Heap* h = HEAP;
  sign_as_nobody();
  add_seed(VAULT_SEED, 10);
  add_seed(h->accounts[3].key, 32);
  add_seed(mint->key, 32);
  if (sign_as_seeds() || !is_address(vault)) return BAD_ADDRESS;
  u64 space = find_transfer_fee(mint) ? 178 : 165;
  const Account* ends[3] = {&h->accounts[18], &h->accounts[0], vault};
  u64 fault = create_account(ends, space, space, program->key);
  if (fault) return fault;
  begin_call(program);
  add_account(vault, 1, 0);
  add_account(mint, 0, 0);
  add_u8(18);
  add_bytes(h->accounts[2].key, 32);
  return send_call();
}

OUTLINE u64 create_lp_mint(void) {
  Heap* h = HEAP;
  Account* lp = &h->accounts[6];
  sign_as_nobody();
  add_seed(LP_SEED, 12);
  add_seed(h->accounts[3].key, 32);
  if (sign_as_seeds() || !is_address(lp)) return BAD_ADDRESS;
  const Account* ends[3] = {&h->accounts[18], &h->accounts[0], lp};
  u64 fault = create_account(ends, 82, 82, h->accounts[14].key);
  if (fault) return fault;
  begin_call(&h->accounts[14]);
  add_account(lp, 1, 0);
  add_u8(20);
  add_u8(LP_DECIMALS);
  add_bytes(h->accounts[2].key, 32);
  add_u8(0);
  return send_call();
}

// The creator pays in both tokens and gets the pool's shares, but for a few that stay locked.
OUTLINE u64 fund_pool(void) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  sign_as_nobody();
  for (u64 side = 0; side < 2; side++) {
    const Account* ends[5] = {&a[15 + side], &a[7 + side], &a[4 + side], &a[10 + side], &a[0]};
    u64 fault = transfer_tokens(ends, read_u64(h->data + 8 + 8 * side));
    if (fault) return fault;
  }
  u64 shares = root_of_product(read_u64(a[10].data + 64), read_u64(a[11].data + 64));
  if (shares <= LP_LOCKED) return ZERO_AMOUNT;
  const Account* account[7] = {&a[17], &a[0], &a[9], &a[0], &a[6], &a[18], &a[14]};
  u64 fault = create_associated(account);
  if (fault) return fault;
  if (sign_as_authority()) return BAD_ADDRESS;
  const Account* ends[4] = {&a[14], &a[6], &a[9], &a[2]};
  h->result[0] = shares - LP_LOCKED;
  return mint_tokens(ends, h->result[0]);
}

OUTLINE void write_pool(void) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  u8* pool = a[3].data;
  copy(pool, POOL_STATE, 8);
  // Config, creator, vaults, shares, mints, their programs, observation.
  static const u8 KEYS[10] = {1, 0, 10, 11, 6, 4, 5, 15, 16, 13};
  for (u64 i = 0; i < 10; i++) copy(pool + 8 + 32 * i, a[KEYS[i]].key, 32);
  pool[328] = h->bump;
  pool[330] = LP_DECIMALS;
  pool[331] = a[4].data[44];
  pool[332] = a[5].data[44];
  write_u64(pool + 333, h->result[0]);
  write_u64(pool + 373, read_u64(h->data + 24));
  write_u64(pool + 381, h->clock[CLOCK_EPOCH]);
}

// Accounts: creator, config, authority, pool, mints, share mint, the creator's accounts, vaults,
// who gets the fee of a creation (not taken), observation, token programs, associated, system.
OUTLINE u64 initialize(void) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  if (h->count < 19 || h->length != 32) return BAD_DATA;
  if (!a[0].signer || !equal(a[1].owner, h->self, 32) || a[1].length < 124) return BAD_ACCOUNT;
  // The venue orders a pool's mints by their bytes.
  for (u64 i = 0; i < 32; i++) {
    if (a[4].key[i] < a[5].key[i]) break;
    if (a[4].key[i] > a[5].key[i] || i == 31) return BAD_ACCOUNT;
  }
  if (sign_as_authority() || !is_address(&a[2])) return BAD_ADDRESS;
  sign_as_nobody();
  add_seed(POOL_SEED, 4);
  add_seed(a[1].key, 32);
  add_seed(a[4].key, 32);
  add_seed(a[5].key, 32);
  if (sign_as_seeds() || !is_address(&a[3])) return BAD_ADDRESS;
  const Account* ends[3] = {&a[18], &a[0], &a[3]};
  u64 fault = create_account(ends, POOL_BYTES, POOL_BYTES, h->self);
  if (!fault) fault = create_vault(&a[10], &a[4], &a[15]);
  if (!fault) fault = create_vault(&a[11], &a[5], &a[16]);
  if (!fault) fault = create_lp_mint();
  if (!fault) fault = fund_pool();
  if (fault) return fault;
  write_pool();
  return 0;
}

// The parts of a swap; results: input as it arrives, its transfer fee, output as it leaves, its
// transfer fee, the pool's fee.
OUTLINE u64 price_swap(u64 is_in, u64 rate, u64 reserve_in, u64 reserve_out) {
  Heap* h = HEAP;
  const Account *mint_in = &h->accounts[10], *mint_out = &h->accounts[11];
  u64 first = read_u64(h->data + 8), second = read_u64(h->data + 16);
  u64 in, out, fee, fee_in, fee_out;
  if (is_in) {
    fee_in = find_fee(mint_in, first);
    in = first - fee_in;
    if (!in) return ZERO_AMOUNT;
    fee = mul_div(in, rate, PIPS, 1);
    u64 net = in - fee;
    out = mul_div(net, reserve_out, reserve_in + net, 0);
    fee_out = find_fee(mint_out, out);
    if (out - fee_out < second) return EXCEEDED_SLIPPAGE;
  } else {
    fee_out = find_inverse_fee(mint_out, second);
    out = second + fee_out;
    if (out >= reserve_out) return BAD_DATA;
    u64 net = mul_div(reserve_in, out, reserve_out - out, 1);
    in = mul_div(net, PIPS, PIPS - rate, 1);
    fee = mul_div(in, rate, PIPS, 1);
    fee_in = find_inverse_fee(mint_in, in);
    if (in + fee_in > first) return EXCEEDED_SLIPPAGE;
  }
  if (!in || !out) return ZERO_AMOUNT;
  h->result[0] = in;
  h->result[1] = fee_in;
  h->result[2] = out;
  h->result[3] = fee_out;
  h->result[4] = fee;
  return 0;
}

OUTLINE void log_swap(u64 is_in, u64 reserve_in, u64 reserve_out) {
  Heap* h = HEAP;
  const Account* a = h->accounts;
  h->event_length = 0;
  event_bytes(SWAP_EVENT, 8);
  event_bytes(a[3].key, 32);
  event_u64(reserve_in);
  event_u64(reserve_out);
  event_u64(h->result[0]);
  event_u64(h->result[2]);
  event_u64(h->result[1]);
  event_u64(h->result[3]);
  event_u8((u8)is_in);
  event_bytes(a[10].key, 32);
  event_bytes(a[11].key, 32);
  event_u64(h->result[4]);
  event_u64(0);
  event_u8(1);
  h->field.bytes = h->event;
  h->field.length = h->event_length;
  sol_log_data(&h->field, 1);
}

// Accounts: payer, authority, config, pool, the user's accounts, vaults, token programs, mints (each
// pair in, out), observation.
OUTLINE u64 swap(u64 is_in) {
  Heap* h = HEAP;
  Account* a = h->accounts;
  if (h->count < 13 || h->length != 24) return BAD_DATA;
  u8* pool = a[3].data;
  if (!a[0].signer || a[2].length < 124 || a[3].length != POOL_BYTES) return BAD_ACCOUNT;
  if (!equal(a[3].owner, h->self, 32) || !equal(a[2].key, pool + 8, 32)) return BAD_ACCOUNT;
  u64 is_zero_in = equal(a[6].key, pool + 72, 32) && equal(a[7].key, pool + 104, 32);
  u64 is_one_in = equal(a[6].key, pool + 104, 32) && equal(a[7].key, pool + 72, 32);
  if (!is_zero_in && !is_one_in) return BAD_ACCOUNT;
  u64 is_open = read_u64(pool + 373) <= h->clock[CLOCK_TIME];
  if ((pool[329] & STATUS_NO_SWAP) || !is_open) return NOT_APPROVED;
  const u8* config = a[2].data;
  u64 fees0 = read_u64(pool + 341) + read_u64(pool + 357) + read_u64(pool + 397);
  u64 fees1 = read_u64(pool + 349) + read_u64(pool + 365) + read_u64(pool + 405);
  u64 reserve_in = read_u64(a[6].data + 64) - (is_zero_in ? fees0 : fees1);
  u64 reserve_out = read_u64(a[7].data + 64) - (is_zero_in ? fees1 : fees0);
  u64 fault = price_swap(is_in, read_u64(config + 12), reserve_in, reserve_out);
  if (fault) return fault;
  u8* owed = pool + 341 + (is_zero_in ? 0 : 8);
  u64 fee = h->result[4];
  write_u64(owed, read_u64(owed) + mul_div(fee, read_u64(config + 20), PIPS, 0));
  write_u64(owed + 16, read_u64(owed + 16) + mul_div(fee, read_u64(config + 28), PIPS, 0));
  log_swap(is_in, reserve_in, reserve_out);
  sign_as_nobody();
  add_seed(AUTHORITY_SEED, 27);
  add_seed(pool + 328, 1);
  h->signer.seeds = h->seeds;
  h->signer.count = 2;
  h->signer_count = 1;
  const Account* take[5] = {&a[8], &a[4], &a[10], &a[6], &a[0]};
  fault = transfer_tokens(take, h->result[0] + h->result[1]);
  if (fault) return fault;
  const Account* give[5] = {&a[9], &a[7], &a[11], &a[5], &a[1]};
  return transfer_tokens(give, h->result[2]);
}

u64 entrypoint(const u8* input) {
  Heap* h = HEAP;
  u64 fault = read_input(input);
  if (fault) return fault;
  if (h->length < 8) return BAD_DATA;
  sol_get_clock_sysvar(h->clock);
  if (equal(h->data, SWAP_IN, 8)) return swap(1);
  if (equal(h->data, SWAP_OUT, 8)) return swap(0);
  if (equal(h->data, INITIALIZE, 8)) return initialize();
  return UNKNOWN_CALL;
}
