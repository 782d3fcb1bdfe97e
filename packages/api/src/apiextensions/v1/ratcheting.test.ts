import { completed, encodeBase64, type ErrorList } from '@coxswain/apimachinery';
import { describe, expect, it } from 'vitest';
import { certificates } from '../../../test/certificates.ts';
import { FeatureGates } from '../../features/feature-gates.ts';
import type { CustomResourceDefinition, JSONSchemaProps } from '../../generated/apiextensions/v1.ts';
import { customResourceDefinitionStrategy } from './strategy.ts';
import * as steps from './validation.ts';

const validateDefinition = (crd: CustomResourceDefinition): ErrorList => completed(steps.validateDefinition(crd));
const validateDefinitionUpdate = (crd: CustomResourceDefinition, old: CustomResourceDefinition): ErrorList =>
  completed(steps.validateDefinitionUpdate(crd, old));

/** Returns definitions that older servers stored, but current rules refuse. */
function definition(schema: JSONSchemaProps | undefined, more: object = {}): CustomResourceDefinition {
  return {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, ...(schema && { schema: { openAPIV3Schema: schema } }) }],
      ...more,
    },
    status: { storedVersions: ['v1'] },
  };
}

const preserving = { preserveUnknownFields: true };
const list = (more: object): JSONSchemaProps => ({ type: 'object', properties: { spec: { type: 'array', ...more } } });
const item: JSONSchemaProps = { type: 'object', properties: { a: { type: 'string' } } };

const broken: Readonly<Record<string, CustomResourceDefinition>> = {
  'no schema': definition(undefined, preserving),
  'a schema that is not structural': definition({ properties: { spec: {} } }, preserving),
  'an unknown type': definition({ type: 'object', properties: { spec: { type: 'text' } } }, preserving),
  'defaults with unknown fields': definition({
    type: 'object',
    properties: { spec: { ...item, default: { b: 1 } } },
  }),
  'a set of objects': definition(list({ items: item, 'x-kubernetes-list-type': 'set' })),
  'optional keys of a map': definition(
    list({ items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
  ),
  'unknown review versions': definition(
    { type: 'object' },
    {
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'https://example.com' }, conversionReviewVersions: ['v7'] },
      },
    },
  ),
  'too many selectable fields': (() => {
    const names = Array.from({ length: 9 }, (_, i) => `f${i}`);
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const crd = definition({ type: 'object', properties: { spec: { type: 'object', properties } } });
    crd.spec.versions[0]!.selectableFields = names.map((name) => ({ jsonPath: `.spec.${name}` }));
    return crd;
  })(),
};

const withLabel = (crd: CustomResourceDefinition): CustomResourceDefinition => ({
  ...crd,
  metadata: { ...crd.metadata, labels: { a: 'b' } },
});

describe('a definition that breaks a current rule', () => {
  it.each(Object.entries(broken))('cannot be created: %s', (_, crd) => {
    expect(validateDefinition(crd)).not.toEqual([]);
  });

  it.each(Object.entries(broken))('can be updated: %s', (_, crd) => {
    expect(validateDefinitionUpdate(withLabel(crd), crd).map(String)).toEqual([]);
  });

  it('cannot be updated to break another rule', () => {
    const good = definition({ type: 'object' });
    const bad = broken['a set of objects']!;
    expect(validateDefinitionUpdate(bad, good).map(String)).toEqual([
      'spec.validation.openAPIV3Schema.properties[spec].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
    ]);
    expect(
      validateDefinitionUpdate({ ...good, spec: { ...good.spec, preserveUnknownFields: true } }, good),
    ).toHaveLength(1);
  });
});

describe('a CA bundle', () => {
  const established = { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] };
  const withBundle = (pem: string): CustomResourceDefinition => ({
    ...definition(
      { type: 'object' },
      {
        conversion: {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { url: 'https://example.com', caBundle: encodeBase64(new TextEncoder().encode(pem)) },
            conversionReviewVersions: ['v1'],
          },
        },
      },
    ),
    status: established,
  });
  const pem = (type: string, bytes: number[]) =>
    `-----BEGIN ${type}-----\n${encodeBase64(Uint8Array.from(bytes))}\n-----END ${type}-----\n`;
  const none = { ...definition({ type: 'object' }), status: established };
  const problem = (text: string) => validateDefinitionUpdate(withBundle(text), none).map(({ detail }) => detail);

  it('must contain a certificate', () => {
    expect(problem('hello')).toEqual(['unable to load root certificates: unable to parse bytes as PEM block']);
    expect(problem(pem('CERTIFICATE', [1, 2, 3]))).toEqual([
      'unable to load root certificates: failed to parse certificate: x509: malformed certificate',
    ]);
    expect(problem(pem('PRIVATE KEY', [0x30, 0]))).toEqual([
      'unable to load root certificates: no valid certificate authority data seen',
    ]);
    expect(problem(pem('CERTIFICATE', [0x30, 2, 5, 0]))).toEqual([
      'unable to load root certificates: failed to parse certificate: x509: malformed tbs certificate',
    ]);
    const good = `-----BEGIN CERTIFICATE-----\n${certificates.ca}\n-----END CERTIFICATE-----\n`;
    expect(problem(pem('CERTIFICATE', [1, 2, 3]) + good)).toEqual([]);
  });

  it('may stay invalid', () => {
    expect(validateDefinitionUpdate(withLabel(withBundle('hello')), withBundle('hello'))).toEqual([]);
  });
});

describe('observedGeneration in status', () => {
  const tracked = (): CustomResourceDefinition => ({
    ...definition({ type: 'object' }),
    status: {
      storedVersions: ['v1'],
      observedGeneration: 3,
      conditions: [{ type: 'A', status: 'True', observedGeneration: 3 }],
    },
  });
  const context = { features: new FeatureGates({ CRDObservedGenerationTracking: false }), now: () => new Date(0) };

  it('is dropped while the feature is off', () => {
    const crd = tracked();
    customResourceDefinitionStrategy.prepareForUpdate!(crd, definition({ type: 'object' }), context);
    expect(crd.status).toEqual({ storedVersions: ['v1'], conditions: [{ type: 'A', status: 'True' }] });
  });

  it('is kept where it is used', () => {
    const crd = tracked();
    customResourceDefinitionStrategy.prepareForUpdate!(crd, tracked(), context);
    expect(crd.status).toEqual(tracked().status);
  });
});
