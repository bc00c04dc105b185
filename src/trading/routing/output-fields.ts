// The pools over which a router can pay a given output, and by which of its calls.

import type { OutputCall } from '../../chains/trade-router.ts';
import { type FieldPlan, isOpen, ONE_FOR_ZERO } from './route-field.ts';
import type { TaxPlan } from './trade-plan.ts';

interface OutputField {
  readonly field: FieldPlan;
  readonly call: OutputCall;
}

/** Without pools that may pay something else because of their hooks. */
function dropHooked(field: FieldPlan): FieldPlan {
  return { ...field, pools: field.pools.filter(({ pool }) => pool.inexact !== 'hook') };
}

/** The pools that can be told what to pay. */
function pickOutputPools(field: FieldPlan): FieldPlan {
  const pools = field.pools.flatMap((one) => {
    const { fixesOutput } = one.pool.bytes;
    if (fixesOutput === true) return [one];
    const isOneWay = fixesOutput === 'oneForZero' && isOpen(one.ways, false);
    return isOneWay ? [{ ...one, ways: ONE_FOR_ZERO }] : [];
  });
  return { ...field, pools };
}

/**
 * A router whose call takes pools of one kind has a field for each kind. A path through several
 * kinds is executed by its calls for a given input.
 */
export function listOutputFields(plan: Pick<TaxPlan, 'field' | 'router'>): OutputField[] {
  const call = plan.router?.outputCall ?? 'commands';
  const whole = dropHooked(plan.field);
  const able = pickOutputPools(whole);
  if (call === 'commands') return [{ field: able, call }];
  const byInput: OutputField = { field: whole, call: 'input' };
  if (call === 'input') return [byInput];
  const kinds = Map.groupBy(able.pools, ({ pool }) => pool.bytes.command).values();
  const fields = Array.from(kinds, (pools): OutputField => ({ field: { ...able, pools }, call }));
  const isWhole = fields[0]?.field.pools.length === whole.pools.length;
  return isWhole ? fields : [...fields, byInput];
}
