// What pool kinds share whose events set whole fields of the state: storing, applying, assembling.

import type { PoolKindName, StateOf, TermsOf } from '../model/pool.ts';
import type { PoolKind } from './pool-kind.ts';
import { decodeFields, encodeFields } from './state-text.ts';

/** How a field is read from text. Text must not contain a comma. */
type FieldKind = 'bigint' | 'number' | 'boolean' | 'text';

type FieldKinds<Row> = { readonly [Key in keyof Row]-?: FieldKind };

type NamedKinds = Readonly<Record<string, FieldKind>>;

type FieldValue = bigint | number | boolean | string | null;

function encodeRow(row: object, kinds: NamedKinds): string {
  const values = row as Readonly<Record<string, FieldValue>>;
  return encodeFields(
    Object.keys(kinds).map((name) => {
      const value = values[name] ?? null;
      return typeof value === 'boolean' ? Number(value) : value;
    }),
  );
}

function decodeField(text: string | null, kind: FieldKind): FieldValue {
  if (kind === 'text') return text ?? '';
  if (text === null) return null;
  if (kind === 'bigint') return BigInt(text);
  return kind === 'number' ? Number(text) : text === '1';
}

/** `countMin`: how many fields rows of the first version have; those added later are unknown. */
function decodeRow(text: string, kinds: NamedKinds, countMin?: number): object {
  const entries = Object.entries(kinds);
  const { length } = entries;
  const counts = Array.from({ length: length - (countMin ?? length) + 1 }, (_, i) => length - i);
  const fields = decodeFields(text, ...counts);
  return Object.fromEntries(
    entries.map(([name, kind], index) => [name, decodeField(fields[index] ?? null, kind)]),
  );
}

/** The content of an event: fields of the state as they are afterwards. */
export interface FieldChange<State> {
  readonly set: Readonly<Partial<State>>;
  /** What amounts change by, where the event does not have them as they are afterwards. */
  readonly add?: Readonly<Partial<Record<keyof State, bigint>>>;
}

/** An amount that is unknown stays unknown. */
function addAmounts(state: object, add: Readonly<Record<string, bigint>>): object {
  const values = state as Readonly<Record<string, FieldValue>>;
  const sums = Object.entries(add).map(([name, amount]) => {
    const known = values[name] ?? null;
    return [name, known === null ? null : (known as bigint) + amount];
  });
  return { ...state, ...Object.fromEntries(sums) };
}

type RecordParts<K extends PoolKindName> = Pick<
  PoolKind<K>,
  | 'stateAtStart'
  | 'needsTicks'
  | 'apply'
  | 'assembleState'
  | 'encodeTerms'
  | 'decodeTerms'
  | 'encodeState'
  | 'decodeState'
>;

/**
 * For kinds whose terms and state are flat records and whose change is a `FieldChange`. A field of
 * the state that is null is unknown; text is never null.
 */
export function createRecordParts<K extends PoolKindName>(parts: {
  readonly terms: FieldKinds<TermsOf<K>>;
  readonly state: FieldKinds<StateOf<K>>;
  /** How many fields of the state rows of the first version have, if some were added. */
  readonly stateCountMin?: number;
}): RecordParts<K> {
  const termKinds = parts.terms as unknown as NamedKinds;
  const stateKinds = parts.state as unknown as NamedKinds;
  const names = Object.keys(stateKinds);
  const stateAtStart = Object.fromEntries(
    Object.entries(stateKinds).map(([name, kind]) => [name, kind === 'text' ? '' : null]),
  );
  function isWhole(state: object): state is StateOf<K> {
    const values = state as Readonly<Record<string, FieldValue>>;
    return names.every((name) => values[name] != null);
  }
  return {
    stateAtStart: stateAtStart as StateOf<K>,
    needsTicks: () => false,
    apply(draft, change) {
      const { set, add = {} } = change as unknown as FieldChange<StateOf<K>>;
      const added = addAmounts(draft.state as object, add as Readonly<Record<string, bigint>>);
      draft.state = { ...added, ...set } as StateOf<K>;
      // The fields are the whole state, also of a pool older than the index.
      draft.complete = isWhole(draft.state);
    },
    assembleState(fields) {
      const state = { ...stateAtStart, ...fields };
      return isWhole(state) ? state : null;
    },
    encodeTerms: (terms) => encodeRow(terms as object, termKinds),
    decodeTerms: (text) => decodeRow(text, termKinds) as TermsOf<K>,
    encodeState: (state) => encodeRow(state as object, stateKinds),
    decodeState: (text) => decodeRow(text, stateKinds, parts.stateCountMin) as StateOf<K>,
  };
}
