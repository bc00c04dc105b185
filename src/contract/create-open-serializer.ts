// A serialiser for cached answers, whose last field is inserted when they are sent.

import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { createSerializer } from './create-serializer.ts';

declare const openBrand: unique symbol;

/** A JSON object without its closing brace. Only a serialiser of the contract creates one. */
export type OpenText = string & { readonly [openBrand]: true };

/**
 * Serialises an object without the field `late`. `lateSchema` is the schema that the inserted field
 * is written by: it must be the one that the object declares.
 */
export function createOpenSerializer<
  Fields extends TProperties,
  Late extends Extract<keyof Fields, string>,
>(
  schema: TObject<Fields>,
  late: Late,
  lateSchema: TSchema,
): (value: Omit<Static<TObject<Fields>>, Late>) => OpenText {
  const { [late]: declared, ...rest } = schema.properties;
  if (declared !== lateSchema) throw new Error(`${late} is declared by another schema`);
  if (Object.keys(rest).length === 0) throw new Error(`${late} is the only field`);
  const title = (schema as { readonly title?: string }).title ?? 'an object';
  const serialize = createSerializer(
    Type.Object(rest, { additionalProperties: false }),
    `${title} without ${late}`,
  );
  return (value) => serialize(value as never).slice(0, -1) as OpenText;
}
