// What the stand-in programs share: the loader's input, 128-bit products, calls to other programs.
//
// Rules of this target: one object file, everything static, no writable globals, at most five
// arguments, 512 bytes of stack per function, no signed division. Structures live on the heap.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define INLINE static inline __attribute__((always_inline))
#define OUTLINE static __attribute__((noinline, unused))

// The layouts of these are fixed by the syscalls.
typedef struct { const u8* key; u8 writable, signer; u8 pad[6]; } Meta;
typedef struct { const u8* program; Meta* accounts; u64 count; const u8* data; u64 length; } Call;
typedef struct {
  const u8* key; u64* lamports; u64 length; u8* data; const u8* owner; u64 rent_epoch;
  u8 signer, writable, executable; u8 pad[5];
} Account;
typedef struct { const u8* bytes; u64 length; } Seed;
typedef struct { const Seed* seeds; u64 count; } Signer;

extern u64 sol_log_data(const Seed*, u64);
extern u64 sol_invoke_signed_c(const Call*, const Account*, u64, const Signer*, u64);
extern u64 sol_get_clock_sysvar(u64*);
extern u64 sol_get_rent_sysvar(u64*);
extern u64 sol_try_find_program_address(const Seed*, u64, const u8*, u8*, u8*);

#define ACCOUNTS_MAX 28
#define METAS_MAX 20
#define SEEDS_MAX 6

typedef struct {
  Account accounts[ACCOUNTS_MAX]; u64 count;
  const u8* data; u64 length; const u8* self;
  // The call that is being written.
  Call call; Meta metas[METAS_MAX]; u64 meta_count; u8 bytes[1536]; u64 byte_count;
  // The address that signs it; count 0 for none.
  Seed seeds[SEEDS_MAX]; u64 seed_count; Signer signer; u64 signer_count; u8 address[32]; u8 bump;
  u8 event[1536]; u64 event_length; Seed field;
  u64 clock[5]; u64 rent[3];
  // Results of a program's own functions, which have few arguments.
  u64 result[8];
} Heap;

#define HEAP ((Heap*)0x300000000ull)

// Codes of our own for malformed calls; the venues' codes are named where they are used.
enum { BAD_INPUT = 1, BAD_ACCOUNT = 2, BAD_DATA = 3, UNKNOWN_CALL = 4, BAD_ADDRESS = 5 };

INLINE u64 read_u64(const u8* at) {
  u64 value = 0;
  for (int i = 7; i >= 0; i--) value = (value << 8) | at[i];
  return value;
}
INLINE void write_u64(u8* at, u64 value) {
  for (int i = 0; i < 8; i++) { at[i] = (u8)value; value >>= 8; }
}
INLINE u64 read_u32(const u8* at) {
  return (u64)at[0] | ((u64)at[1] << 8) | ((u64)at[2] << 16) | ((u64)at[3] << 24);
}
INLINE void copy(u8* to, const u8* from, u64 length) {
  for (u64 i = 0; i < length; i++) to[i] = from[i];
}
OUTLINE u64 equal(const u8* a, const u8* b, u64 length) {
  for (u64 i = 0; i < length; i++) if (a[i] != b[i]) return 0;
  return 1;
}

typedef struct { u64 high, low; } Wide;

INLINE Wide multiply(u64 a, u64 b) {
  u64 al = a & 0xffffffffull, ah = a >> 32, bl = b & 0xffffffffull, bh = b >> 32;
  u64 ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
  u64 middle = (ll >> 32) + (lh & 0xffffffffull) + (hl & 0xffffffffull);
  Wide product;
  product.low = (middle << 32) | (ll & 0xffffffffull);
  product.high = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);
  return product;
}

// a·b/divisor, rounded up or down; the result must fit 64 bits.
OUTLINE u64 mul_div(u64 a, u64 b, u64 divisor, u64 up) {
  Wide n = multiply(a, b);
  u64 rest = 0, quotient = 0;
  if (n.high == 0) {
    quotient = n.low / divisor;
    rest = n.low - quotient * divisor;
  } else {
    rest = n.high;
    for (int i = 0; i < 64; i++) {
      u64 carry = rest >> 63;
      rest = (rest << 1) | (n.low >> 63);
      n.low <<= 1;
      quotient <<= 1;
      if (carry || rest >= divisor) { rest -= divisor; quotient |= 1; }
    }
  }
  return up && rest ? quotient + 1 : quotient;
}

// Fills the heap from the loader's input.
OUTLINE u64 read_input(const u8* input) {
  Heap* h = HEAP;
  u64 count = *(const u64*)input;
  const u8* at = input + 8;
  if (count > ACCOUNTS_MAX) return BAD_INPUT;
  for (u64 i = 0; i < count; i++) {
    if (*at != 0xff) {
      if (*at >= i) return BAD_INPUT;
      h->accounts[i] = h->accounts[*at];
      at += 8;
      continue;
    }
    Account* one = &h->accounts[i];
    one->signer = at[1];
    one->writable = at[2];
    one->executable = at[3];
    one->key = at + 8;
    one->owner = at + 40;
    one->lamports = (u64*)(at + 72);
    one->length = *(const u64*)(at + 80);
    one->data = (u8*)(at + 88);
    at += 88 + ((one->length + 7) & ~7ull) + 10240;
    one->rent_epoch = *(const u64*)at;
    at += 8;
  }
  h->count = count;
  h->length = *(const u64*)at;
  h->data = at + 8;
  h->self = h->data + h->length;
  return 0;
}

// The next call is signed by nobody but the transaction's signers.
INLINE void sign_as_nobody(void) { HEAP->signer_count = 0; HEAP->seed_count = 0; }

INLINE void add_seed(const u8* bytes, u64 length) {
  Heap* h = HEAP;
  h->seeds[h->seed_count].bytes = bytes;
  h->seeds[h->seed_count].length = length;
  h->seed_count++;
}

// Finds the address of the seeds; later calls are signed by it.
OUTLINE u64 sign_as_seeds(void) {
  Heap* h = HEAP;
  u64 fault = sol_try_find_program_address(h->seeds, h->seed_count, h->self, h->address, &h->bump);
  if (fault) return BAD_ADDRESS;
  add_seed(&h->bump, 1);
  h->signer.seeds = h->seeds;
  h->signer.count = h->seed_count;
  h->signer_count = 1;
  return 0;
}

INLINE u64 is_address(const Account* account) { return equal(account->key, HEAP->address, 32); }

INLINE void begin_call(const Account* program) {
  Heap* h = HEAP;
  h->call.program = program->key;
  h->meta_count = 0;
  h->byte_count = 0;
}
INLINE void add_account(const Account* account, u8 writable, u8 signer) {
  Heap* h = HEAP;
  Meta* meta = &h->metas[h->meta_count];
  meta->key = account->key;
  meta->writable = writable;
  meta->signer = signer;
  h->meta_count++;
}
INLINE void add_u8(u8 value) { Heap* h = HEAP; h->bytes[h->byte_count++] = value; }
INLINE void add_u64(u64 value) {
  Heap* h = HEAP;
  write_u64(h->bytes + h->byte_count, value);
  h->byte_count += 8;
}
OUTLINE void add_bytes(const u8* bytes, u64 length) {
  Heap* h = HEAP;
  copy(h->bytes + h->byte_count, bytes, length);
  h->byte_count += length;
}
OUTLINE u64 send_call(void) {
  Heap* h = HEAP;
  h->call.accounts = h->metas;
  h->call.count = h->meta_count;
  h->call.data = h->bytes;
  h->call.length = h->byte_count;
  return sol_invoke_signed_c(&h->call, h->accounts, h->count, &h->signer, h->signer_count);
}

// The least that an account of so many bytes must hold.
OUTLINE u64 find_rent(u64 space) {
  Heap* h = HEAP;
  sol_get_rent_sysvar(h->rent);
  // Either per byte and year with a threshold of 2.0 years, or per byte with 1.0.
  u64 years = h->rent[1] == 0x4000000000000000ull ? 2 : 1;
  return (128 + space) * h->rent[0] * years;
}

// An account of `owner`, which may ask for more lamports than its present size needs.
OUTLINE u64 create_account(const Account* const* ends, u64 space, u64 paid_space, const u8* owner) {
  // ends: the system program, who pays, the new account.
  begin_call(ends[0]);
  add_account(ends[1], 1, 1);
  add_account(ends[2], 1, 1);
  for (int i = 0; i < 4; i++) add_u8(0);
  add_u64(find_rent(paid_space));
  add_u64(space);
  add_bytes(owner, 32);
  return send_call();
}

// TransferChecked: program, from, mint, to, authority.
OUTLINE u64 transfer_tokens(const Account* const* ends, u64 amount) {
  begin_call(ends[0]);
  add_account(ends[1], 1, 0);
  add_account(ends[2], 0, 0);
  add_account(ends[3], 1, 0);
  add_account(ends[4], 0, 1);
  add_u8(12);
  add_u64(amount);
  add_u8(ends[2]->data[44]);
  return send_call();
}

// MintTo: program, mint, to, authority.
OUTLINE u64 mint_tokens(const Account* const* ends, u64 amount) {
  begin_call(ends[0]);
  add_account(ends[1], 1, 0);
  add_account(ends[2], 1, 0);
  add_account(ends[3], 0, 1);
  add_u8(7);
  add_u64(amount);
  return send_call();
}

// An associated token account: program, payer, account, owner, mint, system program, token program.
OUTLINE u64 create_associated(const Account* const* ends) {
  begin_call(ends[0]);
  add_account(ends[1], 1, 1);
  add_account(ends[2], 1, 0);
  add_account(ends[3], 0, 0);
  add_account(ends[4], 0, 0);
  add_account(ends[5], 0, 0);
  add_account(ends[6], 0, 0);
  add_u8(0);
  return send_call();
}

INLINE void event_bytes(const u8* bytes, u64 length) {
  Heap* h = HEAP;
  copy(h->event + h->event_length, bytes, length);
  h->event_length += length;
}
INLINE void event_u64(u64 value) {
  Heap* h = HEAP;
  write_u64(h->event + h->event_length, value);
  h->event_length += 8;
}
INLINE void event_u8(u8 value) { Heap* h = HEAP; h->event[h->event_length++] = value; }
