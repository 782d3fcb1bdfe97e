import { generate } from './code-generation.ts';
import type { Decoding, FieldDecoder, JsonObject, ReadFields } from './message-decoder.ts';
import { type ProtoReader, wire } from './reader.ts';

/** Reads a field of any wire type, given its tag. Returns its bit. */
type ReadAnyField = (reader: ProtoReader, end: number, tag: number, target: JsonObject) => number;

/**
 * Generates a function that decodes the fields of a message. The names of the properties it sets are literals in the source, which engines
 * compile to a few instructions; setting properties by names from a table costs several times as much. For a message with a
 * string, a number, a message and a repeated message, of which the third is required:
 *
 * ```js
 * (reader, end, target) => {
 *   const { bytes } = reader;
 *   let found = 0;
 *   while (reader.at < end) {
 *     let tag = bytes[reader.at++];
 *     if (tag >= 0x80) tag = reader.restOfTag(tag, end);
 *     switch (tag) {
 *       case 10: { const value = reader.string(end); if (value !== "") target["name"] = value; break; }
 *       case 16: { const value = reader.int32(end); target["replicas"] = value; break; }
 *       case 26: { const value = target["spec"] ?? {}; read3(reader, reader.lengthDelimited(end), value);
 *                  target["spec"] = value; found |= 1; break; }
 *       case 34: { const value = read4(reader, reader.lengthDelimited(end));
 *                  (target["ports"] ??= []).push(value); break; }
 *       default: found |= readAny(reader, end, tag, target);
 *     }
 *   }
 *   return found;
 * }
 * ```
 *
 * It handles only the usual cases. Unknown fields, other wire types and invalid input are left to `readAny`. Encoders
 * gain nothing from generated code: objects have so many shapes that reading every field of the type by name is slower
 * than looking up the names that an object has.
 */
export function generateDecoder(fields: readonly (FieldDecoder | undefined)[], readAny: ReadAnyField): ReadFields {
  const scope = new Map<string, unknown>([['readAny', readAny]]);
  const cases = fields.flatMap((field, number) => (field ? [caseOf(field, number, scope)] : []));
  const read = generate(
    scope,
    `(reader, end, target) => {
      const { bytes } = reader;
      let found = 0;
      while (reader.at < end) {
        let tag = bytes[reader.at++];
        if (tag >= 0x80) tag = reader.restOfTag(tag, end);
        switch (tag) {
          ${cases.join('\n')}
          default: found |= readAny(reader, end, tag, target);
        }
      }
      return found;
    }`,
  );
  return read as ReadFields;
}

function caseOf(field: FieldDecoder, number: number, scope: Map<string, unknown>): string {
  const property = `target[${JSON.stringify(field.name)}]`;
  const found = field.bit === 0 ? '' : `found |= ${field.bit};`;
  const caseWith = (wireType: number, statements: string): string =>
    `case ${number * 8 + wireType}: { ${statements} ${found} break; }`;
  /** Adds a value to the scope. Returns its name in the generated code. */
  const named = (name: string, value: unknown): string => {
    scope.set(`${name}${number}`, value);
    return `${name}${number}`;
  };
  const constantOf = ({ wireType, read }: Decoding): string =>
    `const value = ${named('read', read)}(reader, ${wireType === wire.bytes ? 'reader.lengthDelimited(end)' : 'end'});`;
  switch (field.kind) {
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64': {
      const condition = field.dropped === undefined ? '' : `if (value !== ${JSON.stringify(field.dropped)})`;
      const wireType = field.kind === 'string' ? wire.bytes : wire.varint;
      return caseWith(wireType, `const value = reader.${field.kind}(end); ${condition} ${property} = value;`);
    }
    case 'value': {
      const condition = field.isDropped ? `if (!${named('isDropped', field.isDropped)}(value))` : '';
      return caseWith(field.decoding.wireType, `${constantOf(field.decoding)} ${condition} ${property} = value;`);
    }
    case 'message': {
      const read = `${named('read', field.read)}(reader, reader.lengthDelimited(end), value);`;
      return caseWith(wire.bytes, `const value = ${property} ?? {}; ${read} ${property} = value;`);
    }
    case 'repeated':
      return caseWith(field.items.wireType, `${constantOf(field.items)} (${property} ??= []).push(value);`);
    case 'custom':
      return caseWith(wire.bytes, `${named('read', field.read)}(reader, reader.lengthDelimited(end), target);`);
  }
}
