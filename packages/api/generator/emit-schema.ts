import type { FieldModel, TypeExpression, TypeModel } from './model.ts';

/**
 * Returns the table of one package: a line per type, then a line per field. The comment of `src/catalogue/hydrate.ts`,
 * which reads it, explains the notation.
 */
export function emitSchemaTable(types: readonly TypeModel[]): string {
  return types
    .map((type) =>
      [`${type.name}${type.atomic ? ' atomic' : ''}`, ...type.fields.map((field) => emitField(field, type.pkg))].join(
        '\n',
      ),
    )
    .join('\n');
}

function emitField(field: FieldModel, pkg: string): string {
  const flags =
    [field.omitEmpty && '?', field.omitZero && '0', field.required && '!', field.inline && '^']
      .filter(Boolean)
      .join('') || '-';
  const name = field.goName ? `${field.name}/${field.goName}` : field.name;
  const parts = [name, field.number, flags, `${field.pointer ? '*' : ''}${emitType(field.type, pkg)}`];
  if (field.patchStrategy || field.mergeKey)
    parts.push(`+${field.patchStrategy ?? ''}${field.mergeKey ? `@${field.mergeKey}` : ''}`);
  if (field.enum) parts.push(`(${field.enum.join('|')})`);
  if (field.default !== undefined) parts.push(`=${JSON.stringify(field.default)}`);
  return ` ${parts.join(' ')}`;
}

const overrides = { none: '', atomic: '!', granular: '%' } as const;

function emitType(type: TypeExpression, pkg: string): string {
  switch (type.form) {
    case 'scalar':
      return type.goName ? `${type.scalar}:${localName(type.goName, pkg)}` : type.scalar;
    case 'struct':
      return (
        overrides[type.override ?? 'none'] + (type.key.startsWith(`${pkg}.`) ? type.key.slice(pkg.length) : type.key)
      );
    case 'list':
      return `${type.wrappedAs ? `~${type.wrappedAs}` : ''}[${type.set ? '=' : type.keys.join(',')}]${emitType(type.items, pkg)}`;
    case 'map':
      return `{${type.atomic ? '!' : ''}${type.goName ?? ''}}${emitType(type.values, pkg)}`;
  }
}

/** Shortens `v1.Protocol` to `Protocol` in a package of version v1; the reader of the table adds the prefix again. */
const localName = (goName: string, pkg: string): string =>
  goName.startsWith(`${pkg.slice(pkg.lastIndexOf('.') + 1)}.`) ? goName.slice(goName.indexOf('.') + 1) : goName;
