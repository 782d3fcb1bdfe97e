import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../schema/schema.ts';
import { requireKeyUnchanged, requireMetadataKeyUnchanged } from './preconditions.ts';

/** The expected result or error of a call. */
export interface Outcome {
  result?: unknown;
  error?: string;
}

/** The cases of `testdata/<name>.json` with their names, or their numbers if it is a list. */
export function loadCases<T>(name: string): [name: string, of: T][] {
  const cases: Record<string, T> = JSON.parse(
    readFileSync(new URL(`./testdata/${name}.json`, import.meta.url), 'utf8'),
  );
  return Object.entries(cases);
}

/** Checks the outcome of a call, and that its inputs are unchanged. */
export function expectOutcome(inputs: readonly unknown[], call: () => unknown, { result, error }: Outcome): void {
  const before = JSON.stringify(inputs);
  if (error === undefined) expect(call()).toEqual(result);
  else expect(call).toThrow(expect.objectContaining({ message: error }));
  expect(JSON.stringify(inputs)).toBe(before);
}

/** The fields that kubectl apply does not let a patch change. */
export const kubectlPreconditions = [
  requireKeyUnchanged('apiVersion'),
  requireKeyUnchanged('kind'),
  requireMetadataKeyUnchanged('name'),
];

type Shape = Record<string, Schema | Partial<Field>>;

/** Returns a struct with these fields. Each is a schema, or a schema with options. */
function struct(name: string, shape: Shape | ((self: StructSchema) => Shape)): StructSchema {
  const declared: Field[] = [];
  const fields = new Map<string, Field>();
  const schema: StructSchema = { kind: 'struct', name, fullName: name, declared, fields, atomic: false };
  for (const [fieldName, about] of Object.entries(typeof shape === 'function' ? shape(schema) : shape)) {
    const more: Partial<Field> = 'kind' in about ? { schema: about } : about;
    const blank = { number: 0, pointer: false, omitEmpty: true, omitZero: false, inline: false, required: false };
    const field: Field = { ...blank, patchStrategy: [], schema: string, ...more, name: fieldName };
    declared.push(field);
    fields.set(fieldName, field);
  }
  return schema;
}

const string: ScalarSchema = { kind: 'string' };
const bool: ScalarSchema = { kind: 'bool' };
const int32: ScalarSchema = { kind: 'int32' };
const intOrString: ScalarSchema = { kind: 'intOrString' };
const list = (items: Schema): ListSchema => ({ kind: 'list', items, listType: 'atomic', mapKeys: [] });
const map = (values: Schema): MapSchema => ({ kind: 'map', values, atomic: false });
const pointer = (schema: Schema): Partial<Field> => ({ schema, pointer: true });
const merged = (items: Schema, mergeKey?: string, ...more: string[]): Partial<Field> => ({
  schema: list(items),
  patchStrategy: ['merge', ...more],
  mergeKey,
});

const objectMeta = struct('ObjectMeta', {
  name: string,
  labels: map(string),
  annotations: map(string),
  ownerReferences: merged(struct('OwnerReference', { name: string, uid: string, controller: pointer(bool) }), 'uid'),
  finalizers: merged(string),
});

const kind = (name: string, shape: Shape): StructSchema =>
  struct(name, { kind: string, apiVersion: string, metadata: objectMeta, ...shape });

const container = struct('Container', {
  name: string,
  image: string,
  args: list(string),
  ports: merged(struct('ContainerPort', { name: string, containerPort: int32, protocol: string }), 'containerPort'),
  env: merged(struct('EnvVar', { name: string, value: string }), 'name'),
  resources: struct('ResourceRequirements', { limits: map({ kind: 'quantity' }) }),
  volumeMounts: merged(struct('VolumeMount', { name: string, readOnly: bool, mountPath: string }), 'mountPath'),
});

const podSpec = struct('PodSpec', {
  volumes: merged(
    struct('Volume', {
      name: string,
      emptyDir: pointer(struct('EmptyDirVolumeSource', { medium: string })),
      configMap: pointer(struct('ConfigMapVolumeSource', { name: string, optional: pointer(bool) })),
    }),
    'name',
    'retainKeys',
  ),
  containers: merged(container, 'name'),
  nodeSelector: map(string),
  tolerations: list(struct('Toleration', { key: string, effect: string })),
  securityContext: pointer(
    struct('PodSecurityContext', { runAsNonRoot: pointer(bool), supplementalGroups: list({ kind: 'int64' }) }),
  ),
});

const labelSelector = struct('LabelSelector', { matchLabels: map(string) });

const jsonSchemaProps = struct('JSONSchemaProps', (self) => ({
  description: string,
  default: pointer({ kind: 'any' }),
  enum: list({ kind: 'any' }),
  'x-kubernetes-validations': merged(struct('ValidationRule', { rule: string, message: string }), 'rule'),
  externalDocs: pointer(struct('ExternalDocumentation', { url: string })),
  properties: map(self),
  not: pointer(self),
  allOf: list(self),
  items: pointer({ kind: 'schemaOr', alternative: 'array', schema: self }),
  additionalProperties: pointer({ kind: 'schemaOr', alternative: 'bool', schema: self }),
}));

/** Parts of built-in types, by the names in the recorded cases. */
const schemas: Record<string, StructSchema> = {
  'v1/Pod': kind('Pod', { spec: podSpec }),
  'apps/v1/Deployment': kind('Deployment', {
    spec: struct('DeploymentSpec', {
      replicas: pointer(int32),
      selector: pointer(labelSelector),
      template: struct('PodTemplateSpec', { metadata: objectMeta, spec: podSpec }),
      strategy: {
        schema: struct('DeploymentStrategy', {
          type: string,
          rollingUpdate: pointer(
            struct('RollingUpdateDeployment', { maxUnavailable: pointer(intOrString), maxSurge: pointer(intOrString) }),
          ),
        }),
        patchStrategy: ['retainKeys'],
      },
    }),
  }),
  'v1/Service': kind('Service', {
    spec: struct('ServiceSpec', {
      ports: merged(struct('ServicePort', { name: string, protocol: string, port: int32 }), 'port'),
      selector: map(string),
      clusterIPs: list(string),
    }),
  }),
  'certificates.k8s.io/v1/CertificateSigningRequest': kind('CertificateSigningRequest', {
    spec: struct('CertificateSigningRequestSpec', {
      request: { kind: 'bytes' },
      usages: list(string),
      extra: map(list(string)),
    }),
  }),
  'policy/v1/PodDisruptionBudget': kind('PodDisruptionBudget', {
    spec: struct('PodDisruptionBudgetSpec', {
      minAvailable: pointer(intOrString),
      selector: { ...pointer(labelSelector), patchStrategy: ['replace'] },
    }),
  }),
  'apps/v1/ControllerRevision': kind('ControllerRevision', {
    data: { kind: 'rawObject' },
    revision: { kind: 'int64' },
  }),
  JSONSchemaProps: jsonSchemaProps,
};

export function schemaOf(type: string): StructSchema {
  const schema = schemas[type];
  if (!schema) throw new Error(`no schema for ${type}`);
  return schema;
}
