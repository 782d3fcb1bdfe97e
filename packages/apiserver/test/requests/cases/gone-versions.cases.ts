import { applyPatch, jsonPatch, mergePatch } from '../headers.ts';
import { type Call, edited, type Step, type Suite } from '../scenario.ts';

const definitions = 'apiextensions.k8s.io/v1::customresourcedefinitions';
const group = '{{ns}}.dev';
const own = `${definitions}/widgets.${group}`;
const widgets = `${group}/v1beta2:widgets`;
const gone = `${group}/v1beta1:widgets`;

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' }, replicas: { type: 'integer' } },
      },
      status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
    },
  },
};
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const version = (name: string, storage: boolean): object => ({
  name,
  served: true,
  storage,
  schema,
  subresources: { status: {}, scale },
});
const widget = (name: string, spec: object, others: object = {}, apiVersion = 'v1beta2'): object => ({
  apiVersion: `${group}/${apiVersion}`,
  kind: 'Widget',
  metadata: { name },
  spec,
  ...others,
});
const get = (path: string): Call => ({ send: `GET ${path}` });
const apply = (path: string, body: unknown): Call => ({ send: `PATCH ${path}`, body, headers: applyPatch });
const merge = (path: string, body: unknown): Call => ({ send: `PATCH ${path}`, body, headers: mergePatch });

/**
 * A widget that was applied in v1beta1 by one manager, updated there by a second one, and rewritten in v1beta2 by a third. Then the
 * definition has only v1beta2.
 */
const rewritten = (...names: readonly string[]): Step[] => [
  {
    send: `POST ${definitions}`,
    body: {
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
        versions: [version('v1beta1', true)],
      },
    },
  },
  { ...get(own), settle: true },
  ...names.flatMap((name) => [
    apply(`${gone}/${name}?fieldManager=applier`, widget(name, { a: '1', replicas: 1 }, {}, 'v1beta1')),
    merge(`${gone}/${name}?fieldManager=updater`, { spec: { b: '1' } }),
    merge(`${gone}/${name}/status?fieldManager=reporter`, { status: { phase: 'x' } }),
  ]),
  merge(own, { spec: { versions: [version('v1beta1', false), version('v1beta2', true)] } }),
  { ...get(own), settle: true },
  ...names.map((name) =>
    merge(`${widgets}/${name}?fieldManager=migrator`, { metadata: { labels: { migrated: 'yes' } } }),
  ),
  merge(`${own}/status`, { status: { storedVersions: ['v1beta2'] } }),
  merge(own, { spec: { versions: [version('v1beta2', true)] } }),
  { ...get(own), settle: true },
];
const live = (name: string): Call => ({ ...get(`${widgets}/${name}`), as: 'live' });

/** managedFields of custom objects with a version that was removed from the definition. */
export const suite: Suite = {
  scenarios: {
    'nothing can be applied to an object whose managedFields name a version that is gone': [
      ...rewritten('w'),
      live('w'),
      get(`${gone}/w`),
      apply(`${widgets}/w?fieldManager=applier`, widget('w', { a: '1', replicas: 1 })),
      apply(`${widgets}/w?fieldManager=applier`, widget('w', { a: '2' })),
      apply(`${widgets}/w?fieldManager=applier&force=true`, widget('w', { a: '2' })),
      apply(`${widgets}/w?fieldManager=applier&dryRun=All`, widget('w', { a: '2' })),
      apply(`${widgets}/w?fieldManager=another`, widget('w', {})),
      apply(`${widgets}/w?fieldManager=another&force=true`, widget('w', { a: '3' })),
      apply(`${widgets}/w?fieldManager=kubectl&force=true`, widget('w', { a: '3' })),
      apply(`${widgets}/w/status?fieldManager=reporter`, widget('w', {}, { status: { phase: 'y' } })),
      apply(`${widgets}/w/scale?fieldManager=scaler`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'w' },
        spec: { replicas: 2 },
      }),
      get(`${widgets}/w`),
      apply(`${widgets}/new?fieldManager=applier`, widget('new', { a: '1' })),
    ],
    'a patch loses them all': [
      ...rewritten('w', 'same', 'status', 'json', 'scaled'),
      merge(`${widgets}/w?fieldManager=applier`, { spec: { a: '2' } }),
      apply(`${widgets}/w?fieldManager=applier`, widget('w', { a: '3' })),
      apply(`${widgets}/w?fieldManager=applier&force=true`, widget('w', { a: '3' })),
      merge(`${widgets}/same?fieldManager=another`, { spec: { a: '1' } }),
      merge(`${widgets}/status/status?fieldManager=another`, { status: { phase: 'y' } }),
      {
        send: `PATCH ${widgets}/json?fieldManager=another`,
        body: [{ op: 'replace', path: '/spec/a', value: '2' }],
        headers: jsonPatch,
      },
      get(`${widgets}/scaled/scale`),
      merge(`${widgets}/scaled/scale?fieldManager=scaler`, { spec: { replicas: 5 } }),
      get(`${widgets}/scaled`),
    ],
    'an update loses them all': [
      ...rewritten('w', 'same', 'status', 'without', 'reset', 'mended', 'dry'),
      live('w'),
      { send: `PUT ${widgets}/w?fieldManager=another`, body: edited('live', { 'spec.a': '2' }) },
      live('same'),
      { send: `PUT ${widgets}/same?fieldManager=another`, body: edited('live') },
      live('status'),
      { send: `PUT ${widgets}/status/status?fieldManager=another`, body: edited('live', { 'status.phase': 'y' }) },
      live('without'),
      {
        send: `PUT ${widgets}/without?fieldManager=another`,
        body: edited('live', { 'metadata.managedFields': undefined, 'spec.a': '2' }),
      },
      live('reset'),
      {
        send: `PUT ${widgets}/reset?fieldManager=another`,
        body: edited('live', { 'metadata.managedFields': [{}], 'spec.a': '2' }),
      },
      live('mended'),
      {
        send: `PUT ${widgets}/mended?fieldManager=another`,
        body: edited('live', {
          'metadata.managedFields': [
            {
              manager: 'applier',
              operation: 'Apply',
              apiVersion: `${group}/v1beta2`,
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { 'f:a': {}, 'f:replicas': {} } },
            },
          ],
        }),
      },
      apply(`${widgets}/mended?fieldManager=applier`, widget('mended', { a: '2' })),
      live('dry'),
      { send: `PUT ${widgets}/dry?fieldManager=another&dryRun=All`, body: edited('live', { 'spec.a': '2' }) },
      get(`${widgets}/dry`),
    ],
    'whoever creates an object may name any version': [
      ...rewritten(),
      ...[`${group}/v1beta1`, `${group}/v9`, 'example.com/v1', 'v1', 'a/b/c'].flatMap((apiVersion, index): Step[] => [
        {
          send: `POST ${widgets}?fieldManager=maker`,
          body: {
            ...widget(`w${index}`, { a: '1' }),
            metadata: {
              name: `w${index}`,
              managedFields: [
                {
                  manager: 'before',
                  operation: 'Apply',
                  apiVersion,
                  fieldsType: 'FieldsV1',
                  fieldsV1: { 'f:spec': { 'f:a': {} } },
                },
              ],
            },
          },
        },
        merge(`${widgets}/w${index}?fieldManager=updater`, {
          metadata: {
            managedFields: [
              {
                manager: 'before',
                operation: 'Update',
                apiVersion,
                fieldsType: 'FieldsV1',
                fieldsV1: { 'f:spec': { 'f:a': {} } },
              },
            ],
          },
        }),
        apply(`${widgets}/w${index}?fieldManager=applier&force=true`, widget(`w${index}`, { a: '2' })),
      ]),
    ],
  },
};
