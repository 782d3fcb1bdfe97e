import { generate } from './code-generation.ts';
import type { FieldDecoder, JsonObject, ReadFields } from './message-decoder.ts';
import { type ProtoReader, wire } from './reader.ts';

/** Reads a field in any form that it may have, given its tag; returns its bit. */
type ReadAnyField = (reader: ProtoReader, end: number, tag: number, target: JsonObject) => number;

/**
 * Generates what reads the fields of a message. It sets each field by a name that stands in the source, which engines
 * compile to a few instructions. For a message with a string, a number, a message and a repeated message:
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
 *       case 26: { const value = target["spec"] ?? {}; read3(reader, reader.lengthDelimited(end), value); target["spec"] = value; found |= 1; break; }
 *       case 34: { const value = read4(reader, reader.lengthDelimited(end)); (target["ports"] ??= []).push(value); break; }
 *       default: found |= readAny(reader, end, tag, target);
 *     }
 *   }
 *   return found;
 * }
 * ```
 *
 * It reads nothing but what is usual. Unknown fields, other wire types and whatever is to be refused are left to
 * `readAny`.
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
  const { bit } = field;
  const property = `target[${JSON.stringify(field.name)}]`;
  const pass = (name: string, value: unknown): string => {
    scope.set(`${name}${number}`, value);
    return `${name}${number}`;
  };
  const caseWith = (wireType: number, statements: string): string =>
    `case ${number * 8 + wireType}: { ${statements} ${bit === 0 ? '' : `found |= ${bit}; `}break; }`;
  switch (field.kind) {
    case 'string':
    case 'bool':
    case 'int32':
    case 'int64': {
      const set = `${property} = value;`;
      const condition = field.dropped === undefined ? '' : `if (value !== ${JSON.stringify(field.dropped)}) `;
      return caseWith(
        field.kind === 'string' ? wire.bytes : wire.varint,
        `const value = reader.${field.kind}(end); ${condition}${set}`,
      );
    }
    case 'value': {
      const { decoding, isDropped } = field;
      const end = decoding.wireType === wire.bytes ? 'reader.lengthDelimited(end)' : 'end';
      const condition = isDropped ? `if (!${pass('isDropped', isDropped)}(value)) ` : '';
      return caseWith(
        decoding.wireType,
        `const value = ${pass('read', decoding.read)}(reader, ${end}); ${condition}${property} = value;`,
      );
    }
    case 'message':
      return caseWith(
        wire.bytes,
        `const value = ${property} ?? {}; ${pass('read', field.read)}(reader, reader.lengthDelimited(end), value); ${property} = value;`,
      );
    case 'repeated': {
      const { wireType, read } = field.items;
      const end = wireType === wire.bytes ? 'reader.lengthDelimited(end)' : 'end';
      return caseWith(
        wireType,
        `const value = ${pass('read', read)}(reader, ${end}); (${property} ??= []).push(value);`,
      );
    }
    case 'custom':
      return caseWith(wire.bytes, `${pass('read', field.read)}(reader, reader.lengthDelimited(end), target);`);
  }
}
