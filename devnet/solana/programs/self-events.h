// Anchor's events as calls of a program to itself, signed by its event authority.

#include "program.h"

static const u8 SELF_EVENT[8] = {0xe4, 0x45, 0xa5, 0x2e, 0x51, 0xcb, 0x9a, 0x1d};
static const u8 EVENT_SEED[] = "__event_authority";

INLINE u64 sign_as(const u8* seed, u64 length, const u8* key) {
  sign_as_nobody();
  add_seed(seed, length);
  if (key) add_seed(key, 32);
  return sign_as_seeds();
}

OUTLINE u64 send_event(const Account* authority, const Account* program) {
  Heap* h = HEAP;
  if (sign_as(EVENT_SEED, 17, 0) || !is_address(authority)) return BAD_ADDRESS;
  begin_call(program);
  add_account(authority, 0, 1);
  add_bytes(SELF_EVENT, 8);
  add_bytes(h->event, h->event_length);
  return send_call();
}

INLINE void begin_event(const u8* discriminator) {
  HEAP->event_length = 0;
  event_bytes(discriminator, 8);
}

INLINE void add_to(u8* field, u64 amount) { write_u64(field, read_u64(field) + amount); }
INLINE void take_from(u8* field, u64 amount) { write_u64(field, read_u64(field) - amount); }
