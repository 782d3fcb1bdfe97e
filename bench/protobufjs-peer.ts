import type { Schema, StructSchema } from '@coxswain/apimachinery';
import protobuf from 'protobufjs';

/** The messages of the special scalars on the wire. */
const specialMessages: Readonly<Record<string, string>> = {
  quantity: 'optional string string = 1;',
  time: 'optional int64 seconds = 1; optional int32 nanos = 2;',
  microTime: 'optional int64 seconds = 1; optional int32 nanos = 2;',
  duration: 'optional int64 duration = 1;',
  intOrString: 'optional int64 type = 1; optional int32 intVal = 2; optional string strVal = 3;',
  fieldsV1: 'optional bytes Raw = 1;',
  rawObject: 'optional bytes raw = 1;',
  any: 'optional bytes raw = 1;',
};

/**
 * Returns a protobufjs type for one of our schemas, so that both read and write the same bytes. It is proto2, like
 * upstream's messages: an empty string that was read is written again.
 */
export function protobufjsType(schema: StructSchema): protobuf.Type {
  const messages = new Map<string, string>();
  const nameOf = (of: Schema): string => {
    if (of.kind === 'struct') return struct(of);
    if (of.kind === 'list' || of.kind === 'map' || of.kind === 'schemaOr')
      throw new Error(`no wire type for ${of.kind}`);
    const special = specialMessages[of.kind];
    if (special) messages.set(`Special_${of.kind}`, special);
    return special ? `Special_${of.kind}` : of.kind;
  };
  const struct = (of: StructSchema): string => {
    const name = of.fullName.replace(/\./g, '_');
    if (messages.has(name)) return name;
    messages.set(name, '');
    const fields = of.declared
      .filter(({ number }) => number > 0)
      .map(({ name: field, number, schema: own }) => {
        if (own.kind === 'list') return `repeated ${nameOf(own.items)} ${field} = ${number};`;
        if (own.kind === 'map') return `map<string, ${nameOf(own.values)}> ${field} = ${number};`;
        return `optional ${nameOf(own)} ${field} = ${number};`;
      });
    messages.set(name, fields.join(' '));
    return name;
  };
  const name = struct(schema);
  const definitions = [...messages].map(([message, fields]) => `message ${message} { ${fields} }`);
  const { root } = protobuf.parse(`syntax = "proto2";\n${definitions.join('\n')}`, { keepCase: true });
  root.resolveAll();
  return root.lookupType(name);
}
