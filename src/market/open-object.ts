// A JSON object that is not closed yet: `asOf` follows when it is sent.

export function toOpenObject(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}
