import type { CustomResourceDefinition } from '@coxswain/api/apiextensions/v1';

/** A definition with every feature that the generator supports, in two served versions. */
export const certificates: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'certificates.pki.example.com' },
  spec: {
    group: 'pki.example.com',
    scope: 'Namespaced',
    names: { kind: 'Certificate', plural: 'certificates', singular: 'certificate', listKind: 'CertificateList' },
    versions: [
      {
        name: 'v1alpha1',
        served: false,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        deprecationWarning: 'use v1',
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { secret: { type: 'string' } } } },
          },
        },
      },
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A certificate that is kept in a secret.\n\nIt is renewed before it ends. */',
            required: ['spec', 'status'],
            properties: {
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object' },
              spec: {
                type: 'object',
                required: ['secretName', 'issuerRef'],
                properties: {
                  secretName: { type: 'string', description: 'Where it is kept.' },
                  issuerRef: {
                    type: 'object',
                    description: 'Who signs.',
                    required: ['name'],
                    properties: {
                      name: { type: 'string' },
                      kind: { type: 'string', enum: ['Issuer', 'ClusterIssuer', "Someone's"], default: 'Issuer' },
                    },
                  },
                  dnsNames: { type: 'array', items: { type: 'string' }, nullable: true },
                  usages: { type: 'array', items: { type: 'string', enum: ['signing', 'any'] } },
                  revisions: { type: 'integer', format: 'int32', enum: [1, 2] },
                  port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
                  limits: { type: 'object', additionalProperties: { type: 'number' } },
                  stores: {
                    type: 'object',
                    additionalProperties: {
                      type: 'object',
                      required: ['path'],
                      properties: { path: { type: 'string' } },
                    },
                  },
                  values: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  anything: { 'x-kubernetes-preserve-unknown-fields': true },
                  nothing: { type: 'object' },
                  'x-quoted name': { type: 'boolean' },
                  class: { type: 'string' },
                  solver: {
                    type: 'object',
                    properties: {
                      timeout: { type: 'string' },
                      dns: { type: 'object', required: ['zone'], properties: { zone: { type: 'string' } } },
                      http: { type: 'object', properties: { path: { type: 'string' } } },
                    },
                    oneOf: [{ required: ['dns'] }, { required: ['http'] }],
                  },
                  template: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                  // Both type names would be SpecIssuerRefName.
                  issuerRefName: { type: 'object', properties: { a: { type: 'string' } } },
                  'issuer-ref-name': { type: 'object', properties: { b: { type: 'string' } } },
                },
              },
              status: {
                type: 'object',
                properties: {
                  conditions: {
                    type: 'array',
                    items: {
                      type: 'object',
                      required: ['type', 'status'],
                      properties: {
                        type: { type: 'string' },
                        status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
                        lastTransitionTime: { type: 'string', format: 'date-time' },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};
