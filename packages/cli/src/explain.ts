import type { Descriptions, Kind } from '@coxswain/api';
import type { Field, Schema, StructSchema } from '@coxswain/apimachinery';

const width = 80;

/**
 * Returns the output of `kubectl explain` for a kind, or for the field at `path`. Throws when there is no such field.
 */
export function explain(kind: Kind, path: readonly string[], descriptions: Descriptions): string {
  const { group, version } = kind.gvk;
  const lines = [
    ...(group ? [`GROUP:      ${group}`] : []),
    `KIND:       ${kind.gvk.kind}`,
    `VERSION:    ${version}`,
    '',
  ];
  let struct: StructSchema | undefined = kind.schema;
  let text = describe(descriptions, kind.schema.fullName);
  if (path.length > 0) {
    const { owner, field } = find(kind.schema, path);
    struct = structOf(field.schema);
    lines.push(`FIELD: ${field.name} <${typeName(field.schema)}>${field.required ? ' -required-' : ''}`);
    const values = enumOf(field.schema);
    lines.push(...(values ? ['ENUM:', ...values.map((value) => `    ${value}`)] : ['']), '');
    text = [
      describe(descriptions, owner.fullName, field.name),
      ...(struct ? [describe(descriptions, struct.fullName)] : []),
    ]
      .filter(Boolean)
      .join('\n');
  }
  lines.push('DESCRIPTION:', ...wrap(text || '<empty>', 4), '    ');
  if (struct) lines.push('FIELDS:', ...fieldsOf(struct, descriptions));
  return `${lines.join('\n')}\n`;
}

function fieldsOf(struct: StructSchema, descriptions: Descriptions): string[] {
  return [...struct.fields.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((field) => {
      const values = enumOf(field.schema);
      return [
        `  ${field.name}\t<${typeName(field.schema)}>${field.required ? ' -required-' : ''}`,
        ...(values ? [`  enum: ${values.slice(0, 4).join(', ')}${values.length > 4 ? ', ....' : ''}`] : []),
        ...wrap(describe(descriptions, struct.fullName, field.name) || '<no description>', 4),
        '',
      ];
    });
}

function find(root: StructSchema, path: readonly string[]): { owner: StructSchema; field: Field } {
  let owner: StructSchema | undefined = root;
  for (const [position, name] of path.entries()) {
    const field: Field | undefined = owner?.fields.get(name);
    if (!owner || !field) throw new Error(`field "${name}" does not exist`);
    if (position === path.length - 1) return { owner, field };
    owner = structOf(field.schema);
  }
  throw new Error('no field given');
}

function describe(descriptions: Descriptions, type: string, field = ''): string {
  return descriptions[type]?.[field] ?? '';
}

function structOf(schema: Schema): StructSchema | undefined {
  if (schema.kind === 'list') return structOf(schema.items);
  if (schema.kind === 'map') return structOf(schema.values);
  if (schema.kind === 'schemaOr') return schema.schema;
  return schema.kind === 'struct' ? schema : undefined;
}

function enumOf(schema: Schema): readonly string[] | undefined {
  return 'enum' in schema ? schema.enum : undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  bool: 'boolean',
  int32: 'integer',
  int64: 'integer',
  double: 'number',
  bytes: 'string',
  quantity: 'Quantity',
  intOrString: 'IntOrString',
  time: 'string',
  microTime: 'string',
  duration: 'string',
  fieldsV1: 'FieldsV1',
  rawObject: 'Object',
  unknownObject: 'Object',
  any: 'JSON',
};

function typeName(schema: Schema): string {
  switch (schema.kind) {
    case 'list':
      return `[]${typeName(schema.items)}`;
    case 'map':
      return `map[string]${typeName(schema.values)}`;
    case 'struct':
      return schema.name;
    case 'schemaOr':
      return 'JSONSchemaProps';
    default:
      return typeNames[schema.kind] ?? schema.kind;
  }
}

/**
 * Wraps text to indented lines of at most eighty columns. A longer word gets its own line. Line breaks in the text are
 * kept.
 */
function wrap(text: string, indent: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && line.length + 1 + word.length > width - indent) {
        lines.push(line);
        line = word;
      } else {
        line = line === '' ? word : `${line} ${word}`;
      }
    }
    lines.push(line);
  }
  return lines.map((line) => ' '.repeat(indent) + line);
}
