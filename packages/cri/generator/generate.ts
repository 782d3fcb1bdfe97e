/**
 * `npx tsx packages/cri/generator/generate.ts <api.proto>` generates `src/generated` from the protocol's definition, which is
 * `pkg/apis/runtime/v1/api.proto` of the Go module k8s.io/cri-api. A second run changes nothing.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';

const out = join(import.meta.dirname, '..', 'src', 'generated');
const banner =
  '// Generated from the definition of CRI v1 in k8s.io/cri-api v0.36.4 (generator/generate.ts). Do not edit.\n';

/** Times in nanoseconds are bigints, because a number cannot represent them exactly. */
const nanoseconds = new Set(['created_at', 'started_at', 'finished_at', 'timestamp']);

const camel = (name: string): string => {
  const [first = '', ...rest] = name.split('_');
  const head = first === first.toUpperCase() ? first.toLowerCase() : first[0]!.toLowerCase() + first.slice(1);
  return [head, ...rest.map((word) => word[0]!.toUpperCase() + word.slice(1))].join('');
};

interface Shape {
  readonly type: string;
  readonly table: string;
  readonly optional?: boolean;
}

function scalar({ name, type, id }: protobuf.Field): Shape | undefined {
  switch (type) {
    case 'string':
      return { type: 'string', table: `text(${id})` };
    case 'bytes':
      return { type: 'Uint8Array', table: `bytes(${id})` };
    case 'bool':
      return { type: 'boolean', table: `bool(${id})` };
    case 'double':
      return { type: 'number', table: `double(${id})` };
    case 'int32':
    case 'int64':
      return nanoseconds.has(name)
        ? { type: 'bigint', table: `id(${id})` }
        : { type: 'number', table: `signed(${id})` };
    case 'uint32':
    case 'uint64':
      return { type: 'number', table: `unsigned(${id})` };
    default:
      return undefined;
  }
}

function shapeOf(field: protobuf.Field): Shape {
  const { id, repeated, resolvedType, type, parent } = field;
  const where = `${parent?.name}.${field.name}`;
  if (field.map) {
    if (!(field instanceof protobuf.MapField) || field.keyType !== 'string' || type !== 'string')
      throw new Error(`${where}: unsupported map of ${type}`);
    return { type: 'Readonly<Record<string, string>>', table: `textMap(${id})` };
  }
  if (resolvedType instanceof protobuf.Enum) {
    if (repeated) throw new Error(`${where}: unsupported repeated enumeration`);
    return { type: resolvedType.name, table: `name(${id}, ${enumTable(resolvedType)})` };
  }
  if (resolvedType instanceof protobuf.Type) {
    const message = resolvedType.name;
    return repeated
      ? { type: `${message}[]`, table: `many(${id}, ${message})` }
      : { type: message, table: `one(${id}, ${message})`, optional: true };
  }
  const one = scalar(field);
  if (!one) throw new Error(`${where}: unsupported type ${type}`);
  if (!repeated) return one;
  if (type === 'string') return { type: 'string[]', table: `texts(${id})` };
  if (type === 'int64' || type === 'int32') return { type: 'number[]', table: `signeds(${id})` };
  throw new Error(`${where}: unsupported repeated ${type}`);
}

const enumTable = ({ name }: protobuf.Enum): string => `${name[0]!.toLowerCase()}${name.slice(1)}Numbers`;

function emitEnum(each: protobuf.Enum): string {
  const lines = Object.entries(each.values).map(([name, number]) => `  ${name}: ${number},`);
  return `const ${enumTable(each)} = {\n${lines.join('\n')}\n} as const;\nexport type ${each.name} = keyof typeof ${enumTable(each)};\n`;
}

function emitMessage(message: protobuf.Type): string {
  const fields = message.fieldsArray.map((field) => ({ name: camel(field.name), ...shapeOf(field) }));
  const types = fields.map(
    ({ name, type, optional }) => `  readonly ${name}${optional ? '?' : ''}: ${readonlyType(type)};`,
  );
  const table = fields.map(({ name, table }) => `  ${name}: ${table},`);
  const body = types.length > 0 ? `{\n${types.join('\n')}\n}` : '{}';
  const made = table.length > 0 ? `({\n${table.join('\n')}\n})` : '({})';
  return `export interface ${message.name} ${body}\nexport const ${message.name} = struct<${message.name}>(() => ${made});\n`;
}

const readonlyType = (type: string): string => (type.endsWith('[]') ? `readonly ${type}` : type);

function emitService(service: protobuf.Service): string {
  const variable = service.name[0]!.toLowerCase() + service.name.slice(1);
  const lines = service.methodsArray.map(
    ({ name, requestType, responseType, responseStream }) =>
      `    ${camel(name)}: ${responseStream ? 'stream' : 'unary'}('${name}', ${requestType}, ${responseType}),`,
  );
  return `export const ${variable} = {\n  name: 'runtime.v1.${service.name}',\n  methods: {\n${lines.join('\n')}\n  },\n};\n`;
}

/** Yields all types, including nested ones. */
function* typesIn(namespace: protobuf.NamespaceBase): Generator<protobuf.ReflectionObject> {
  for (const each of namespace.nestedArray) {
    yield each;
    if (each instanceof protobuf.Namespace) yield* typesIn(each);
  }
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('usage: generate.ts <api.proto>');
const { root } = protobuf.parse(readFileSync(path, 'utf8'), { keepCase: true });
root.resolveAll();
const all = [...typesIn(root)];
const messages = all.filter((each) => each instanceof protobuf.Type);
const enums = all.filter((each) => each instanceof protobuf.Enum);
const services = all.filter((each) => each instanceof protobuf.Service);

const used = (text: string, names: readonly string[]) =>
  names.filter((name) => new RegExp(`\\b${name}[<(]`).test(text)).toSorted();
const body = [...enums.map(emitEnum), ...messages.map(emitMessage)].join('\n');
const fields = used(body, [
  'bool',
  'bytes',
  'double',
  'id',
  'many',
  'name',
  'one',
  'signed',
  'signeds',
  'struct',
  'text',
  'textMap',
  'texts',
  'unsigned',
]);
const imports = fields.join(', ');
mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'messages.ts'), `${banner}import { ${imports} } from '@coxswain/grpc/protobuf';\n\n${body}`);
const calls = services.map(emitService).join('\n');
const named = messages.map(({ name }) => name).filter((name) => new RegExp(`\\b${name}\\b`).test(calls));
writeFileSync(
  join(out, 'services.ts'),
  `${banner}import { stream, unary } from '@coxswain/grpc';\nimport { ${named.join(', ')} } from './messages.ts';\n\n${calls}`,
);
