import type { Dice } from './dice.ts';
import { mutated, oddTexts, oddValue } from './hostile-values.ts';

export interface HostileBody {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const json = 'application/json';
const yaml = 'application/yaml';
const protobuf = 'application/vnd.kubernetes.protobuf';
export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};
const text = (contentType: string, body: string): HostileBody => ({ contentType, bytes: Buffer.from(body) });
const depths = [50, 1_000, 20_000, 400_000];

type Maker = (dice: Dice, object: object) => HostileBody;

/** Bodies of objects: valid ones, nearly valid ones, and bombs. */
const objectBodies: readonly Maker[] = [
  (_, object) => text(json, JSON.stringify(object)),
  (dice, object) => text(json, JSON.stringify(mutated(object, dice))),
  (dice, object) => text(json, JSON.stringify(mutated(object, dice))),
  (dice, object) => text(json, JSON.stringify(mutated(object, dice))),
  (dice, object) => {
    const whole = JSON.stringify(object);
    return text(json, whole.slice(0, dice.below(whole.length)));
  },
  (dice, object) => {
    const bytes = Buffer.from(JSON.stringify(object));
    for (let left = 1 + dice.below(4); left > 0; left--) bytes[dice.below(bytes.length)] = dice.below(256);
    return { contentType: dice.pick([json, yaml]), bytes };
  },
  (dice) => ({ contentType: dice.pick([json, yaml, protobuf, 'text/plain']), bytes: dice.bytes(dice.below(300)) }),
  (dice) => {
    const depth = dice.pick(depths);
    const [open, close] = dice.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['{"metadata":', '}'],
    ]);
    return text(json, `${open.repeat(depth)}1${dice.chance(0.7) ? close.repeat(depth) : ''}`);
  },
  (dice, object) => {
    const whole = JSON.stringify(object);
    const deep = `${'{"x":'.repeat(dice.pick(depths))}`;
    return text(json, `${whole.slice(0, -1)},"spec":${deep}`);
  },
  (dice, object) => {
    // A duplicate key.
    const again = Array.from({ length: dice.pick([2, 1_000]) }, (_, i) => `"metadata":{"name":"x${i}"}`);
    return text(json, `${JSON.stringify(object).slice(0, -1)},${again.join(',')}}`);
  },
  (dice, object) => text(json, JSON.stringify(object).replace(/\d+/, `1${'0'.repeat(dice.pick([20, 400, 100_000]))}`)),
  (_, object) =>
    text(json, JSON.stringify(object).replace('{', '{"__proto__":{"polluted":true},"constructor":{"a":1},')),
  (dice, object) => text(yaml, `${toYaml(object)}${dice.pick(['', '---\n', '...\n', '%YAML 9\n', '\t'])}`),
  (dice) => {
    // A YAML bomb: each anchor has ten aliases of the previous one.
    const lines = ['a0: &a0 ["x","x","x","x","x","x","x","x","x","x"]'];
    for (let i = 1; i < dice.pick([3, 9, 30]); i++)
      lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(',')}]`);
    return text(yaml, lines.join('\n'));
  },
  (dice) =>
    text(yaml, dice.pick(['a: &a [*a]', 'a: &a\n  b: *a\n', '&x {<<: *x}', '<<: [*y]', '? [a]\n: b\n', '!!binary x'])),
  (dice) =>
    text(yaml, dice.pick(['- ', 'a:\n ', '? ', '[', '{a: ', '&a ', '!!', '"', '|\n', '#']).repeat(dice.pick(depths))),
  (dice) => ({
    contentType: protobuf,
    bytes: Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), dice.bytes(dice.below(200))]),
  }),
  (dice) => {
    // Nested messages with wrong lengths.
    const nested = Buffer.alloc(dice.pick(depths), dice.pick([0x0a, 0x12, 0x0b, 0xff]));
    return { contentType: protobuf, bytes: Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0]), nested]) };
  },
  (dice) => text(json, JSON.stringify(oddValue(dice, 4))),
  () => text(json, ''),
  (dice) => text(json, ' '.repeat(dice.pick([1, 100_000]))),
  (dice) => text(json, `"${'\\u0000'.repeat(dice.pick([10, 50_000]))}"`),
  (dice) => text(json, `{${Array.from({ length: dice.pick([10, 50_000]) }, (_, i) => `"k${i}":${i}`).join(',')}}`),
];

const oddPointer = (dice: Dice): string =>
  dice.pick([
    '',
    '/',
    '/metadata',
    '/metadata/name',
    '/metadata/labels/a',
    '/metadata/managedFields',
    '/metadata/managedFields/0',
    '/spec',
    '/data/a',
    '/-',
    '/spec/ports/-',
    '/spec/ports/99999999999',
    '/spec/ports/-1',
    '/spec/ports/01',
    '/__proto__/x',
    '/constructor/prototype/x',
    '/metadata/~2',
    '/metadata/~',
    'x',
    `/${'a/'.repeat(10_000)}`,
    ...oddTexts.map((part) => `/${part}`),
  ]);

const operation = (dice: Dice): unknown =>
  dice.chance(0.1)
    ? oddValue(dice)
    : {
        op: dice.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'nothing', '__proto__']),
        path: oddPointer(dice),
        from: oddPointer(dice),
        value: oddValue(dice),
      };

const directives = ['$patch', '$setElementOrder/containers', '$retainKeys', '$deleteFromPrimitiveList/finalizers'];

/** Patches of all four types. */
const patchBodies: readonly Maker[] = [
  (dice) => text(patchTypes.json, JSON.stringify(Array.from({ length: dice.below(5) }, () => operation(dice)))),
  (dice) => {
    // Each copy doubles the document.
    const double = Array.from({ length: dice.pick([5, 25, 2_000]) }, (_, i) => ({
      op: 'copy',
      from: '/metadata',
      path: `/metadata/${i}`,
    }));
    return text(patchTypes.json, JSON.stringify(double));
  },
  (dice) => {
    const many = Array.from({ length: dice.pick([100, 9_999, 20_000]) }, () => ({ op: 'test', path: '', value: {} }));
    return text(patchTypes.json, JSON.stringify(many));
  },
  (dice, object) => text(patchTypes.merge, JSON.stringify(mutated(object, dice))),
  (dice) => text(patchTypes.merge, JSON.stringify(oddValue(dice))),
  (dice, object) => text(patchTypes.strategic, JSON.stringify(mutated(object, dice))),
  (dice, object) => {
    const spec = {
      [dice.pick(directives)]: oddValue(dice),
      containers: [{ $patch: dice.pick(['delete', 'x', 'merge']) }],
    };
    return text(patchTypes.strategic, JSON.stringify({ ...object, spec, [dice.pick(directives)]: oddValue(dice) }));
  },
  (dice) => {
    const depth = dice.pick(depths);
    return text(dice.pick(Object.values(patchTypes)), `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
  },
  (dice, object) => {
    const patch = mutated(object, dice) as { metadata?: object };
    const entry = {
      manager: dice.pick(oddTexts),
      operation: dice.pick(['Apply', 'Update', 'x']),
      apiVersion: dice.pick(['v1', 'apps/v1', '', 'x']),
      time: dice.pick(['2020-01-01T00:00:00Z', 'x']),
      fieldsType: dice.pick(['FieldsV1', 'x']),
      fieldsV1: dice.pick<unknown>([
        { 'f:metadata': { 'f:labels': {} } },
        { 'k:{': {} },
        { 'v:1': 1 },
        'x',
        oddValue(dice),
      ]),
    };
    const metadata = { ...Object(patch?.metadata), managedFields: dice.chance(0.5) ? [entry] : oddValue(dice) };
    const contentType = dice.pick([patchTypes.apply, patchTypes.merge, patchTypes.strategic]);
    return text(contentType, JSON.stringify({ ...Object(patch), metadata }));
  },
  (dice, object) => text(patchTypes.apply, dice.chance(0.5) ? toYaml(object) : JSON.stringify(mutated(object, dice))),
  (dice, object) => ({
    contentType: dice.pick(Object.values(patchTypes)),
    bytes: dice.pick(objectBodies)(dice, object).bytes,
  }),
  (dice) => ({ contentType: dice.pick(Object.values(patchTypes)), bytes: dice.bytes(dice.below(100)) }),
];

/** Encodes an object partly in YAML's block style. The rest is JSON, which is valid YAML. */
const toYaml = (object: object): string =>
  Object.entries(object)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');

export const hostileObject = (dice: Dice, object: object): HostileBody => dice.pick(objectBodies)(dice, object);
export const hostilePatch = (dice: Dice, object: object): HostileBody => dice.pick(patchBodies)(dice, object);
