import { isJsonObject } from '../json/index.ts';
import type { StructSchema } from '../schema/schema.ts';
import { atomicList, listByKeys, mapOf, set, struct } from './schema-builder.test-data.ts';

const objectMeta = struct({
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  selfLink: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'int64',
  creationTimestamp: { of: 'time', pointer: false, omitZero: true },
  deletionTimestamp: 'time',
  deletionGracePeriodSeconds: 'int64',
  labels: mapOf('string'),
  annotations: mapOf('string'),
  ownerReferences: listByKeys(
    ['uid'],
    struct(
      {
        apiVersion: 'string',
        kind: 'string',
        name: 'string',
        uid: { of: 'string', default: '' },
        controller: 'bool',
        blockOwnerDeletion: 'bool',
      },
      { atomic: true },
    ),
  ),
  finalizers: set('string'),
  managedFields: atomicList('any'),
});

const typeMeta = { apiVersion: 'string', kind: 'string', metadata: { of: objectMeta, pointer: false } } as const;

const rows = listByKeys(
  ['id', 'zone'],
  struct({
    id: 'int64',
    zone: { of: 'string', default: 'z' },
    v: 'string',
    sub: listByKeys(['name'], struct({ name: 'string', w: 'bool' })),
  }),
);

const nestedStruct = struct({ p: 'string', q: struct({ r: 'string', s: 'int64' }) });

/** A custom resource with one field of each kind that apply treats differently. */
export const widgetV1: StructSchema = struct({
  ...typeMeta,
  spec: struct({
    size: 'int64',
    tags: set('string'),
    numbers: set('double'),
    rows,
    opt: listByKeys(['a', 'b'], struct({ a: 'string', b: 'string', c: 'int64' })),
    atomicList: atomicList('string'),
    atomicMap: mapOf('string', true),
    map: mapOf('string'),
    nested: mapOf(struct({ x: 'string', y: mapOf('int64') })),
    any: 'any',
    open: struct({ known: struct({ k: 'string' }) }, { preserveUnknownFields: true }),
    atomicStruct: struct({ p: 'string', q: 'string' }, { atomic: true }),
    struct: nestedStruct,
  }),
  status: struct({ phase: 'string', conditions: listByKeys(['type'], struct({ type: 'string', status: 'string' })) }),
});

/** Version 2 of Widget: `size` and `tags` have moved, `map` is atomic. */
export const widgetV2: StructSchema = struct({
  ...typeMeta,
  spec: struct({
    dimensions: struct({ size: 'int64' }),
    labels: set('string'),
    rows,
    map: mapOf('string', true),
    struct: nestedStruct,
  }),
});

const container = struct({
  name: { of: 'string', default: '', pointer: false, omitEmpty: false },
  image: 'string',
  env: listByKeys(['name'], struct({ name: { of: 'string', default: '' }, value: 'string' })),
  ports: listByKeys(
    ['containerPort', 'protocol'],
    struct({
      name: 'string',
      containerPort: { of: 'int32', default: 0 },
      protocol: { of: 'string', default: 'TCP' },
    }),
  ),
  resources: { of: struct({ limits: mapOf('quantity'), requests: mapOf('quantity') }), pointer: false },
  terminationMessagePath: 'string',
  terminationMessagePolicy: 'string',
  imagePullPolicy: 'string',
});

const podSpec = struct({
  volumes: listByKeys(
    ['name'],
    struct({ name: { of: 'string', default: '' }, emptyDir: struct({ medium: 'string' }) }),
  ),
  containers: { of: listByKeys(['name'], container), omitEmpty: false, pointer: false },
  restartPolicy: 'string',
  terminationGracePeriodSeconds: 'int64',
  dnsPolicy: 'string',
  nodeName: 'string',
  securityContext: struct({ runAsUser: 'int64' }),
  schedulerName: 'string',
});

/** The part of a Deployment that the tests use. */
export const deployment: StructSchema = struct({
  ...typeMeta,
  spec: {
    of: struct({
      replicas: 'int32',
      selector: {
        of: struct({ matchLabels: mapOf('string') }, { atomic: true }),
        omitEmpty: false,
      },
      template: {
        of: struct({ metadata: { of: objectMeta, pointer: false }, spec: { of: podSpec, pointer: false } }),
        pointer: false,
        omitEmpty: false,
      },
      strategy: {
        of: struct({
          type: 'string',
          rollingUpdate: struct({ maxUnavailable: 'intOrString', maxSurge: 'intOrString' }),
        }),
        pointer: false,
      },
      minReadySeconds: 'int32',
      revisionHistoryLimit: 'int32',
      paused: 'bool',
      progressDeadlineSeconds: 'int32',
    }),
    pointer: false,
  },
  status: {
    of: struct({
      observedGeneration: 'int64',
      replicas: 'int32',
      readyReplicas: 'int32',
      conditions: listByKeys(
        ['type'],
        struct({
          type: { of: 'string', default: '' },
          status: 'string',
          reason: 'string',
          lastUpdateTime: 'time',
          lastTransitionTime: 'time',
        }),
      ),
    }),
    pointer: false,
  },
});

/** The scale subresource's kind. */
export const scale: StructSchema = struct({
  ...typeMeta,
  spec: { of: struct({ replicas: 'int32' }), pointer: false },
  status: { of: struct({ replicas: { of: 'int32', omitEmpty: false, pointer: false } }), pointer: false },
});

const moved = (from: Record<string, unknown>, ...names: readonly (readonly [from: string, to: string])[]) =>
  Object.fromEntries(names.filter(([name]) => Object.hasOwn(from, name)).map(([name, to]) => [to, from[name]]));

/** Converts between the two versions of Widget. Fields that only v1 has are lost. */
export function convertWidget(object: unknown, apiVersion: string): unknown {
  if (!isJsonObject(object) || object.apiVersion === apiVersion) return object;
  const { spec } = object;
  if (!isJsonObject(spec)) return { ...object, apiVersion };
  const shared = moved(spec, ['rows', 'rows'], ['map', 'map'], ['struct', 'struct']);
  const own = apiVersion.endsWith('v2')
    ? { ...('size' in spec ? { dimensions: { size: spec.size } } : {}), ...moved(spec, ['tags', 'labels']) }
    : {
        ...(isJsonObject(spec.dimensions) ? moved(spec.dimensions, ['size', 'size']) : {}),
        ...moved(spec, ['labels', 'tags']),
      };
  return { ...object, apiVersion, spec: { ...shared, ...own } };
}

/** Freezes the value deeply, so that modifying it throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const child of Object.values(value)) frozen(child);
  }
  return value;
}
