/** A definition like those of large operators, and objects of it: about 200 fields in ten groups, nested lists. */
const groups = 10;
const groupNames = Array.from({ length: groups }, (_, i) => `group${i}`);

const text = (maxLength: number): object => ({ type: 'string', maxLength });
const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const list = (maxItems: number, items: object, more: object = {}): object => ({
  type: 'array',
  maxItems,
  items,
  ...more,
});
const byName = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };

const fields = {
  name: text(63),
  replicas: { type: 'integer', minimum: 0, maximum: 1000 },
  paused: { type: 'boolean', default: false },
  ratio: { type: 'number' },
  policy: { type: 'string', enum: ['Always', 'Never'], default: 'Always' },
  port: { 'x-kubernetes-int-or-string': true },
  startedAt: { type: 'string', format: 'date-time' },
  labels: { type: 'object', maxProperties: 64, additionalProperties: text(63) },
  finalizers: list(16, text(63), { 'x-kubernetes-list-type': 'set' }),
  selector: object({
    mode: text(10),
    matchLabels: { type: 'object', maxProperties: 8, additionalProperties: text(63) },
  }),
  steps: list(
    32,
    object(
      {
        name: text(63),
        image: text(255),
        timeoutSeconds: { type: 'integer', default: 30 },
        args: list(16, text(255)),
        env: list(16, object({ name: text(63), value: text(255) }, { required: ['name'] })),
      },
      { required: ['name'] },
    ),
    byName,
  ),
};

/** The five rules of each group. */
const rules = [
  'self.replicas >= 0',
  "self.policy != 'Never' || self.replicas <= 10",
  "self.name.startsWith('n')",
  'self.steps.all(step, size(step.name) > 0)',
  '!has(self.labels) || size(self.labels) <= 64',
];

export function largeDefinition(plural: string, withRules: boolean): string {
  const group = object(fields, {
    required: ['name', 'replicas', 'steps'],
    ...(withRules && { 'x-kubernetes-validations': rules.map((rule) => ({ rule, message: 'must hold' })) }),
  });
  const spec = object(Object.fromEntries(groupNames.map((name) => [name, group])));
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.bench.example.com` },
    spec: {
      group: 'bench.example.com',
      names: { plural, singular: plural.slice(0, -1), kind: kindOf(plural) },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: object({ spec }) } }],
    },
  });
}

const kindOf = (plural: string): string => plural.charAt(0).toUpperCase() + plural.slice(1, -1);

export const pathOf = (plural: string): string => `/apis/bench.example.com/v1/namespaces/default/${plural}`;

export function largeObject(plural: string, name: string): string {
  const three = <T>(make: (i: number) => T): T[] => [0, 1, 2].map(make);
  const group = {
    name: 'n-1',
    replicas: 2,
    ratio: 0.5,
    port: 80,
    startedAt: '2026-01-01T00:00:00Z',
    labels: { app: 'large', tier: 'back', zone: 'z' },
    finalizers: three((i) => `example.com/f${i}`),
    selector: { mode: 'all', matchLabels: { app: 'large' } },
    steps: three((i) => ({
      name: `step-${i}`,
      image: `registry.example.com/step:${i}`,
      args: three((a) => `--flag=${a}`),
      env: three((e) => ({ name: `VARIABLE_${e}`, value: `value ${e}` })),
    })),
  };
  return JSON.stringify({
    apiVersion: 'bench.example.com/v1',
    kind: kindOf(plural),
    metadata: { name },
    spec: Object.fromEntries(groupNames.map((key) => [key, group])),
  });
}
