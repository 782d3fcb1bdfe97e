import type { CustomResourceDefinition, JSONSchemaProps } from '@coxswain/api/apiextensions/v1';

export interface LargeSchemaOptions {
  /** Approximate number of fields, in groups of twenty. */
  readonly fields?: number;
  /** Number of rules (`x-kubernetes-validations`), distributed over the groups. */
  readonly rules?: number;
}

/** One group: scalars of all types, nested lists, a map, and a field with a default. */
function group(rules: readonly string[]): JSONSchemaProps {
  const name: JSONSchemaProps = { type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' };
  return {
    type: 'object',
    required: ['name', 'replicas'],
    properties: {
      name,
      replicas: { type: 'integer', format: 'int32', minimum: 0, maximum: 1000 },
      paused: { type: 'boolean', default: false },
      ratio: { type: 'number', minimum: 0, maximum: 1 },
      policy: { type: 'string', enum: ['Always', 'IfNotPresent', 'Never'], default: 'IfNotPresent' },
      port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      startedAt: { type: 'string', format: 'date-time', nullable: true },
      labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 63 }, maxProperties: 64 },
      steps: {
        type: 'array',
        maxItems: 32,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: {
            name,
            image: { type: 'string', maxLength: 255 },
            timeoutSeconds: { type: 'integer', default: 30, minimum: 1 },
            args: { type: 'array', maxItems: 16, items: { type: 'string', maxLength: 255 } },
            env: {
              type: 'array',
              maxItems: 16,
              items: {
                type: 'object',
                required: ['name'],
                properties: { name: { type: 'string', maxLength: 63 }, value: { type: 'string', maxLength: 255 } },
              },
            },
          },
        },
      },
      selector: {
        type: 'object',
        properties: {
          matchLabels: { type: 'object', additionalProperties: { type: 'string', maxLength: 63 } },
          mode: { type: 'string', maxLength: 10 },
        },
        'x-kubernetes-map-type': 'atomic',
      },
      finalizers: {
        type: 'array',
        maxItems: 16,
        items: { type: 'string', maxLength: 63 },
        'x-kubernetes-list-type': 'set',
      },
    },
    ...(rules.length > 0 && { 'x-kubernetes-validations': rules.map((rule) => ({ rule, message: 'must hold' })) }),
  };
}

const rulesOfGroups = [
  'self.replicas >= 0',
  "!has(self.policy) || self.policy != 'Never' || self.replicas <= 10",
  "self.name.startsWith('n')",
  'self.steps.all(step, size(step.name) > 0)',
  '!has(self.labels) || size(self.labels) <= 64',
];

/** A definition as large as those of large operators: 200 fields, nested lists, 50 rules if requested. */
export function largeDefinition({ fields = 200, rules = 0 }: LargeSchemaOptions = {}): CustomResourceDefinition {
  const groups = Math.max(1, Math.round(fields / 20));
  const properties: Record<string, JSONSchemaProps> = {};
  for (let i = 0; i < groups; i++) {
    const count = Math.floor(rules / groups) + (i < rules % groups ? 1 : 0);
    properties[`group${i}`] = group(Array.from({ length: count }, (_, n) => rulesOfGroups[n % rulesOfGroups.length]!));
  }
  const openAPIV3Schema: JSONSchemaProps = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties },
      status: { type: 'object', properties: { ready: { type: 'boolean' } } },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'larges.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'larges', singular: 'large', kind: 'Large', listKind: 'LargeList' },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } },
      ],
    },
  };
}

/** A valid object of it with all fields that have no default, and three items in each list. */
export function largeObject({ fields = 200 }: LargeSchemaOptions = {}, name = 'large'): Record<string, unknown> {
  const three = <T>(make: (i: number) => T): T[] => [0, 1, 2].map(make);
  const spec: Record<string, unknown> = {};
  for (let g = 0; g < Math.max(1, Math.round(fields / 20)); g++) {
    spec[`group${g}`] = {
      name: `n-${g}`,
      replicas: g,
      ratio: 0.5,
      port: g % 2 === 0 ? 80 : 'http',
      startedAt: '2026-01-01T00:00:00Z',
      labels: { app: 'large', tier: 'back', zone: `z${g}` },
      steps: three((i) => ({
        name: `step-${i}`,
        image: `registry.example.com/step:${i}`,
        args: three((a) => `--flag=${a}`),
        env: three((e) => ({ name: `VARIABLE_${e}`, value: `value ${e}` })),
      })),
      selector: { matchLabels: { app: 'large' }, mode: 'all' },
      finalizers: three((i) => `example.com/f${i}`),
    };
  }
  return { apiVersion: 'example.com/v1', kind: 'Large', metadata: { name, namespace: 'default' }, spec };
}
