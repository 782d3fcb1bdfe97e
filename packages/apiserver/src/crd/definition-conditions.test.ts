import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';
import { describe, expect, it } from 'vitest';
import { approvalCondition, establishedCondition, nonStructuralCondition } from './definition-conditions.ts';

const definition = (spec: object, annotations?: Record<string, string>): CustomResourceDefinition => ({
  metadata: { name: 'ats.example.dev', ...(annotations && { annotations }) },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'ats', kind: 'At' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    ...spec,
  },
});
const version = (openAPIV3Schema: object): object => ({
  versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
});

// Reasons and messages of v1.36.4.
describe('NonStructuralSchema for schemas', () => {
  it.each<[string, object, object | undefined]>([
    ['that are structural is absent', {}, undefined],
    [
      'with preserveUnknownFields',
      { preserveUnknownFields: true },
      {
        status: 'True',
        reason: 'Violations',
        message: 'spec.preserveUnknownFields: Invalid value: true: must be false',
      },
    ],
    [
      'without types',
      version({ properties: { a: {} } }),
      {
        status: 'True',
        reason: 'Violations',
        message:
          '[spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields, spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root]',
      },
    ],
    [
      'that cannot be checked',
      version({ type: 'object', $ref: 'x' }),
      {
        status: 'Unknown',
        reason: 'StructuralError',
        message: "failed to check validation schema for version v1: OpenAPIV3Schema '$ref' is not supported",
      },
    ],
  ])('%s', (_, spec, expected) => {
    expect(nonStructuralCondition(definition(spec))).toEqual(expected && { type: 'NonStructuralSchema', ...expected });
  });
});

describe('protected groups', () => {
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  it.each<[annotation: string | undefined, status: string, reason: string, message: string]>([
    [
      undefined,
      'False',
      'MissingAnnotation',
      `protected groups must have approval annotation "api-approved.kubernetes.io", ${see}`,
    ],
    ['unapproved, so far', 'False', 'UnapprovedAnnotation', 'not approved: "unapproved, so far"'],
    ['https://example.dev/1', 'True', 'ApprovedAnnotation', 'approved in https://example.dev/1'],
    [
      'yes',
      'False',
      'InvalidAnnotation',
      `protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", ${see}`,
    ],
  ])('approved by %s', (annotation, status, reason, message) => {
    const annotations = annotation === undefined ? undefined : { 'api-approved.kubernetes.io': annotation };
    expect(approvalCondition(definition({ group: 'a.k8s.io' }, annotations))).toEqual({
      type: 'KubernetesAPIApprovalPolicyConformant',
      status,
      reason,
      message,
    });
  });

  it('are the only ones with the condition', () => {
    expect(approvalCondition(definition({}))).toBeUndefined();
  });
});

describe('a conversion webhook', () => {
  it('with an invalid CA bundle prevents the definition from being established', () => {
    const clientConfig = { url: 'https://example.dev', caBundle: Buffer.from('no').toString('base64') };
    const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } };
    expect(establishedCondition(definition({ conversion }))).toEqual({
      type: 'Established',
      status: 'False',
      reason: 'InvalidCABundle',
      message: 'The conversion webhook CABundle is invalid',
    });
  });
});
