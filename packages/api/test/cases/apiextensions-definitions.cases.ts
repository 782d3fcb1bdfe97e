import type { Case, CaseSuite, Change } from '../case.ts';

const schema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, name: { type: 'string' } } } },
};
const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: structuredClone(schema) },
  ...more,
});
const definition = (plural: string, kind: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.cases.example.com` },
  spec: { group: 'cases.example.com', names: { plural, kind }, scope: 'Namespaced', versions: [version('v1')] },
});
const create = (change: Change): Case => ({ create: 'widget', change });
const spec = (change: Change): Case => create((object) => change(object.spec));
const set = (fields: object) => spec((s) => Object.assign(s, fields));
const first = (fields: object) => spec((s) => Object.assign(s.versions[0], fields));
const columns = (...all: object[]) => first({ additionalPrinterColumns: all });
const scale = (fields: object) => first({ subresources: { scale: fields } });
const conversion = (webhook: object | undefined, strategy = 'Webhook') => set({ conversion: { strategy, webhook } });
const url = { clientConfig: { url: 'https://example.com/convert' }, conversionReviewVersions: ['v1'] };
const selectable = (...paths: string[]) => first({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
const inGroup = (group: string, annotation?: string): Case =>
  create((object) => {
    object.metadata = {
      name: `widgets.${group}`,
      ...(annotation !== undefined && { annotations: { 'api-approved.kubernetes.io': annotation } }),
    };
    object.spec.group = group;
  });
const names = (fields: object) => spec((s) => Object.assign(s.names, fields));
const established = (object: { status?: { conditions?: { type: string; status: string }[] } }) =>
  object.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true;
const update = (change: Change): Case => ({ update: 'gadget', change });

export const suite: CaseSuite = {
  bases: {
    widget: { object: definition('widgets', 'Widget') },
    gadget: {
      object: {
        ...definition('gadgets', 'Gadget'),
        spec: {
          ...definition('gadgets', 'Gadget').spec,
          versions: [version('v1'), version('v2', { schema: { openAPIV3Schema: { type: 'object' } } })],
        },
      },
      until: established,
    },
  },
  cases: {
    'a definition gets its defaults': { create: 'widget' },
    'a definition keeps what is given': spec((s) => {
      Object.assign(s.names, { singular: 'thing', listKind: 'Things', shortNames: ['w'], categories: ['all'] });
      Object.assign(s, { conversion: { strategy: 'None' }, preserveUnknownFields: false });
    }),
    'a status that comes along is ignored': create((object) => {
      object.status = { storedVersions: ['v9'], acceptedNames: { plural: 'x', kind: 'X' } };
    }),
    'an empty definition': create((object) => {
      object.spec = {};
    }),
    'the name is made of plural and group': create((object) => {
      object.metadata = { name: 'other.cases.example.com', labels: { '-': 'x' } };
    }),
    'a bad group is refused': create((object) => {
      object.metadata.name = 'widgets.Bad_Group';
      object.spec.group = 'Bad_Group';
    }),
    'a group needs a dot': create((object) => {
      object.metadata.name = 'widgets.example';
      object.spec.group = 'example';
    }),
    'the scope is known': set({ scope: 'Planet' }),
    'the scope is needed': set({ scope: '' }),
    'names are labels': create((object) => {
      object.spec.names = {
        plural: 'Widgets',
        singular: 'a b',
        kind: 'no kind',
        listKind: '9',
        shortNames: ['ok', 'No'],
        categories: ['all', 'x_y'],
      };
      object.metadata.name = 'Widgets.cases.example.com';
    }),
    'kind and listKind differ': names({ listKind: 'Widget' }),
    'versions need one storage version': first({ storage: false }),
    'versions need one storage version only': spec((s) => {
      s.versions.push(version('v2', { storage: true }));
    }),
    'versions have different names': spec((s) => {
      s.versions.push(
        version('v1', { storage: false, schema: { openAPIV3Schema: { type: 'object', description: 'x' } } }),
      );
    }),
    'no versions at all': set({ versions: [] }),
    'version names are labels': first({ name: 'V1' }),
    'version names are needed': first({ name: '' }),
    'every version needs a schema': spec((s) => {
      s.versions = [{ name: 'v1', served: true, storage: true }, version('v2')];
    }),
    'a version needs a schema that says something': first({ schema: {} }),
    'several versions keep their own': spec((s) => {
      s.versions = [
        version('v1', { subresources: { status: {} } }),
        version('v2', { additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }] }),
      ];
    }),
    'versions are wrong each for itself': spec((s) => {
      s.versions = [
        version('v1', { subresources: { scale: {} } }),
        version('v2', {
          schema: { openAPIV3Schema: { type: 'string' } },
          additionalPrinterColumns: [{}],
          selectableFields: [{ jsonPath: '.spec.nothing' }],
        }),
      ];
    }),
    'a deprecation warning is for deprecated versions': first({ deprecationWarning: 'old' }),
    'a deprecated version may have a warning': first({
      deprecated: true,
      deprecationWarning: 'cases.example.com/v1 is old',
    }),
    'a deprecation warning may not be empty': first({ deprecated: true, deprecationWarning: '' }),
    'a deprecation warning is printable': first({ deprecated: true, deprecationWarning: 'über\nalt' }),
    'a deprecation warning is short': first({ deprecated: true, deprecationWarning: 'x'.repeat(257) }),
    'columns are checked': columns(
      {},
      { name: 'a', type: 'text', format: 'f', jsonPath: 'spec.size' },
      { name: 'b', type: 'date', format: 'date-time', jsonPath: '.metadata.creationTimestamp', priority: 1 },
      { name: 'c', type: 'string', jsonPath: '.' },
    ),
    'scale needs its paths': scale({}),
    'scale takes paths under spec and status': scale({
      specReplicasPath: '.status.replicas',
      statusReplicasPath: '.spec.replicas',
      labelSelectorPath: '.metadata.labels',
    }),
    'scale takes simple paths': scale({
      specReplicasPath: 'spec.replicas',
      statusReplicasPath: '$.status.replicas',
      labelSelectorPath: 'selector',
    }),
    'scale is allowed': scale({
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    }),
    'selectable fields are found in the schema': selectable('.spec.size', '.spec.name'),
    'selectable fields must be found in the schema': selectable(
      '',
      'spec.size',
      '.spec',
      '.spec.nothing',
      ".spec['name']",
      '.metadata.name',
      '.spec.size',
      '.spec.size',
      '.',
      '.spec.',
      '.spec..name',
      '.spec.size.more',
    ),
    'selectable fields are few': spec((s) => {
      const all = Array.from({ length: 9 }, (_, i) => `f${i}`);
      s.versions[0].schema.openAPIV3Schema.properties.spec.properties = Object.fromEntries(
        all.map((f) => [f, { type: 'string' }]),
      );
      s.versions[0].selectableFields = all.map((f) => ({ jsonPath: `.spec.${f}` }));
    }),
    'conversion by webhook is allowed': conversion(url),
    'conversion by a service gets a port': conversion({
      ...url,
      clientConfig: { service: { name: 'a', namespace: 'b' } },
    }),
    'conversion by webhook needs one': conversion(undefined),
    'conversion by webhook needs everything': conversion({ clientConfig: {} }),
    'conversion by webhook is checked': conversion({
      clientConfig: { url: 'http://example.com?a=b' },
      conversionReviewVersions: ['v2', 'v2', 'V1'],
    }),
    'conversion by a bad service': conversion({
      clientConfig: { service: { path: 'x', port: 70000 } },
      conversionReviewVersions: ['v1', 'v1beta1'],
    }),
    'conversion without a webhook forbids its settings': conversion(url, 'None'),
    'an empty webhook is dropped': conversion({}, 'None'),
    'conversion is of a known kind': conversion(url, 'Magic'),
    'conversion is of some kind': conversion(undefined, ''),
    'a bad bundle of certificates is allowed before the definition is established': conversion({
      ...url,
      clientConfig: { ...url.clientConfig, caBundle: 'aGVsbG8=' },
    }),
    'unknown fields cannot be preserved for all': set({ preserveUnknownFields: true }),
    'preserving unknown fields contradicts defaults and conversion': spec((s) => {
      s.preserveUnknownFields = true;
      s.conversion = { strategy: 'Webhook', webhook: url };
      s.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.default = 1;
    }),
    'protected groups need approval': inGroup('cases.k8s.io'),
    'protected groups take the URL of an approval': inGroup(
      'cases.k8s.io',
      'https://github.com/kubernetes/kubernetes/pull/1',
    ),
    'protected groups take a bypass': inGroup('cases.kubernetes.io', 'unapproved, testing'),
    'protected groups take nothing else': inGroup('x.kubernetes.io', 'please'),
    'unknown formats are warned of': spec((s) => {
      s.versions[0].schema.openAPIV3Schema.properties.spec.properties = {
        a: { type: 'string', format: 'colour' },
        b: { type: 'integer', format: 'int32' },
        c: { type: 'object', format: 'x' },
        d: { type: 'string', format: 'date-time' },
        e: { type: 'integer', format: 'uint8' },
        f: { type: 'number', format: 'double' },
      };
    }),
    'an update raises the generation': update((object) => {
      object.spec.names.shortNames = ['g'];
    }),
    'an update of labels leaves the generation': update((object) => {
      object.metadata.labels = { a: 'b' };
      object.status = {};
    }),
    'what names the resource is immutable': update((object) => {
      object.spec.group = 'other.example.com';
      object.spec.names.plural = 'others';
      object.spec.names.kind = 'Other';
      object.spec.scope = 'Cluster';
    }),
    'a new storage version is stored too': update((object) => {
      object.spec.versions[0].storage = false;
      object.spec.versions[1].storage = true;
    }),
    'a stored version cannot go': update((object) => {
      object.spec.versions = [{ ...object.spec.versions[1], storage: true }];
    }),
    'an established definition needs a good bundle of certificates': update((object) => {
      object.spec.conversion = {
        strategy: 'Webhook',
        webhook: { ...url, clientConfig: { ...url.clientConfig, caBundle: 'aGVsbG8=' } },
      };
    }),
    'a schema stays structural': update((object) => {
      object.spec.versions[0].schema.openAPIV3Schema = { type: 'string' };
    }),
    'new unknown formats are warned of': update((object) => {
      object.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.name.format = 'colour';
    }),
    'status takes only status': {
      update: 'gadget',
      subresource: 'status',
      change: (object) => {
        object.spec.names.shortNames = ['g'];
        object.metadata.labels = { a: 'b' };
        object.status.storedVersions = ['v1', 'v2'];
      },
    },
    'accepted names in status are checked': {
      update: 'gadget',
      subresource: 'status',
      change: (object) => {
        object.status.acceptedNames = { plural: 'A B', kind: 'x y', listKind: 'x y', shortNames: ['-'] };
      },
    },
    'a definition is printed': { table: 'gadget' },
  },
};
