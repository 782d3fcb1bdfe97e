import { describe, expect, it } from 'vitest';
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from './validation.ts';

const validators = {
  subject: validateSubjectAccessReview,
  self: validateSelfSubjectAccessReview,
  local: validateLocalSubjectAccessReview,
};

const nothing =
  'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified';
const nobody = 'spec.user: Invalid value: "": at least one of user or group must be specified';
const both =
  'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: cannot be specified in combination with resourceAttributes';
const emptySelector = (name: string) =>
  `spec.resourceAttributes.${name}.requirements: Required value: when spec.resourceAttributes.${name} is specified, requirements or rawSelector is required`;
const twice = (name: string) =>
  `spec.resourceAttributes.${name}.rawSelector: Invalid value: "a": may not specified at the same time as requirements`;
const values = "must be specified when `operator` is 'In' or 'NotIn'";
const keyFormat =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueFormat =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const badSelectors = [
  twice('fieldSelector'),
  'spec.resourceAttributes.fieldSelector.requirements[0].key: Required value: must be specified',
  `spec.resourceAttributes.fieldSelector.requirements[0].values: Required value: ${values}`,
  "spec.resourceAttributes.fieldSelector.requirements[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
  twice('labelSelector'),
  `spec.resourceAttributes.labelSelector.requirements[0].values: Required value: ${values}`,
  'spec.resourceAttributes.labelSelector.requirements[0].key: Invalid value: "": name part must be non-empty',
  `spec.resourceAttributes.labelSelector.requirements[0].key: Invalid value: "": ${keyFormat}`,
  `spec.resourceAttributes.labelSelector.requirements[1].values[0]: Invalid value: "x y": ${valueFormat}`,
];
const metadata = (value: string, detail: string) => `metadata: Invalid value: ${value}: ${detail}`;
const managed = '{"name":"x","managedFields":[{"manager":"m"}]}';
const labelled = '{"namespace":"n","labels":{"a":"b"}}';
const exceptNamespace = 'must be empty except for namespace';

/** The errors of upstream's validation for the same objects. */
const cases: Record<string, { review: object; subject: string[]; self: string[]; local: string[] }> = {
  'subject and attributes are required': {
    review: { metadata: {}, spec: {} },
    subject: [nothing, nobody],
    self: [nothing],
    local: [nothing, nobody],
  },
  'resource and non-resource attributes exclude each other, and metadata has no name': {
    review: {
      metadata: { name: 'x', managedFields: [{ manager: 'm' }] },
      spec: { user: 'a', resourceAttributes: {}, nonResourceAttributes: { path: '/x' } },
    },
    subject: [both, metadata(managed, 'must be empty')],
    self: [both, metadata(managed, 'must be empty')],
    local: [
      both,
      metadata(managed, exceptNamespace),
      'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":""}: disallowed on this kind of request',
    ],
  },
  'selectors must not be empty, and managedFields are allowed': {
    review: {
      metadata: { managedFields: [{ manager: 'm' }] },
      spec: { groups: ['a'], resourceAttributes: { fieldSelector: {}, labelSelector: {} } },
    },
    subject: [emptySelector('fieldSelector'), emptySelector('labelSelector')],
    self: [emptySelector('fieldSelector'), emptySelector('labelSelector')],
    local: [emptySelector('fieldSelector'), emptySelector('labelSelector')],
  },
  'selectors are validated, except for unknown operators': {
    review: {
      metadata: {},
      spec: {
        groups: ['a'],
        resourceAttributes: {
          fieldSelector: {
            rawSelector: 'a',
            requirements: [
              { key: '', operator: 'In' },
              { key: 'a', operator: 'Exists', values: ['x'] },
              { key: 'b', operator: 'New' },
            ],
          },
          labelSelector: {
            rawSelector: 'a',
            requirements: [
              { key: '', operator: 'In' },
              { key: 'a', operator: 'New', values: ['x y'] },
            ],
          },
        },
      },
    },
    subject: badSelectors,
    self: badSelectors,
    local: badSelectors,
  },
  'a local review must be about its own namespace': {
    review: {
      metadata: { namespace: 'n', labels: { a: 'b' } },
      spec: { user: 'a', resourceAttributes: { namespace: 'm' } },
    },
    subject: [metadata(labelled, 'must be empty')],
    self: [metadata(labelled, 'must be empty')],
    local: [
      metadata(labelled, exceptNamespace),
      'spec.resourceAttributes.namespace: Invalid value: "m": must match metadata.namespace',
    ],
  },
  'a valid local review is not a valid review of another kind': {
    review: { metadata: { namespace: 'n' }, spec: { user: 'a', resourceAttributes: { namespace: 'n' } } },
    subject: [metadata('{"namespace":"n"}', 'must be empty')],
    self: [metadata('{"namespace":"n"}', 'must be empty')],
    local: [],
  },
  'a valid review is accepted': {
    review: { metadata: {}, spec: { groups: ['a'], resourceAttributes: { verb: 'get' } } },
    subject: [],
    self: [],
    local: [],
  },
};

describe.each(Object.entries(validators))('a %s access review', (kind, validate) => {
  it.each(Object.entries(cases))('%s', (_, { review, ...expected }) => {
    expect(validate(review as never).map(String)).toEqual(expected[kind as keyof typeof validators]);
  });
});
