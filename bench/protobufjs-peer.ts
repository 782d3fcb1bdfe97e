import type { Schema, StructSchema } from '@coxswain/apimachinery';
import protobuf from 'protobufjs';

/**
 * A protobufjs type for one of our schemas, so that both read and write the same bytes: messages by their numbers, and
 * for the special scalars the messages that they are on the wire.
 */
export function protobufjsType(schema: StructSchema): protobuf.Type {
  const root = new protobuf.Root();
  const types = new Map<string, protobuf.Type>();
  const message = (name: string, fields: Record<string, [number, string]>): string => {
    if (!types.has(name)) {
      const type = new protobuf.Type(name);
      for (const [field, [number, fieldType]] of Object.entries(fields))
        type.add(new protobuf.Field(field, number, fieldType));
      types.set(name, type);
      root.add(type);
    }
    return name;
  };
  const special: Record<string, () => string> = {
    quantity: () => message('Quantity', { string: [1, 'string'] }),
    time: () => message('Time', { seconds: [1, 'int64'], nanos: [2, 'int32'] }),
    microTime: () => message('Time', { seconds: [1, 'int64'], nanos: [2, 'int32'] }),
    duration: () => message('Duration', { duration: [1, 'int64'] }),
    intOrString: () => message('IntOrString', { type: [1, 'int64'], intVal: [2, 'int32'], strVal: [3, 'string'] }),
    fieldsV1: () => message('FieldsV1', { Raw: [1, 'bytes'] }),
    rawObject: () => message('RawExtension', { raw: [1, 'bytes'] }),
    any: () => message('JSON', { raw: [1, 'bytes'] }),
  };
  const wireType = (of: Schema): string => {
    if (of.kind === 'struct') return struct(of);
    if (of.kind === 'list' || of.kind === 'map' || of.kind === 'schemaOr')
      throw new Error(`no wire type for ${of.kind}`);
    return special[of.kind]?.() ?? of.kind;
  };
  const struct = (of: StructSchema): string => {
    const name = of.fullName.replace(/\./g, '_');
    if (types.has(name)) return name;
    const type = new protobuf.Type(name);
    types.set(name, type);
    root.add(type);
    for (const field of of.declared) {
      if (field.number === 0) continue;
      const { schema: own } = field;
      if (own.kind === 'list')
        type.add(
          new protobuf.Field(field.name, field.number, wireType(own.items), 'repeated', undefined, { packed: false }),
        );
      else if (own.kind === 'map')
        type.add(new protobuf.MapField(field.name, field.number, 'string', wireType(own.values)));
      else type.add(new protobuf.Field(field.name, field.number, wireType(own)));
    }
    return name;
  };
  const name = struct(schema);
  root.resolveAll();
  return root.lookupType(name);
}
