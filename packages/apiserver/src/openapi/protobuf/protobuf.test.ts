import { expect, it } from 'vitest';
import { encodeDocument } from './index.ts';
import { toYaml } from './to-yaml.ts';

/** Documents with every element, and their encoding by gnostic's own compiler. */
const documents = [
  [
    'v2',
    {
      swagger: '2.0',
      info: { title: 'Kubernetes', version: '1.36' },
      paths: {
        '/a/{name}': {
          get: {
            description: 'read',
            consumes: ['*/*'],
            produces: ['application/json'],
            schemes: ['https'],
            tags: ['t'],
            operationId: 'readA',
            parameters: [
              { $ref: '#/parameters/p-1' },
              { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/A' } },
              { uniqueItems: true, type: 'string', description: 'q', name: 'dryRun', in: 'query' },
            ],
            responses: {
              '200': { description: 'OK', schema: { type: 'string' } },
              '401': { description: 'Unauthorized' },
            },
            'x-kubernetes-action': 'get',
            'x-kubernetes-group-version-kind': { group: '', kind: 'A', version: 'v1' },
          },
          parameters: [{ uniqueItems: true, type: 'string', name: 'name', in: 'path', required: true }],
        },
      },
      definitions: {
        A: {
          description: 'Ä',
          type: 'object',
          required: ['b'],
          properties: {
            b: {
              type: 'array',
              items: { type: 'string', format: 'byte', enum: ['*', 'Never', 'A b'] },
              'x-kubernetes-list-map-keys': ['x', 'z'],
              'x-kubernetes-list-type': 'map',
            },
            m: { type: 'object', additionalProperties: { $ref: '#/definitions/A' }, maxLength: 300, minimum: 0.5 },
          },
          'x-kubernetes-unions': [{ discriminator: 'type', 'fields-to-discriminateBy': { q: 'Q', r: 'R' } }],
        },
      },
      parameters: { 'p-1': { uniqueItems: true, type: 'integer', name: 'p', in: 'query' } },
      securityDefinitions: { BearerToken: { type: 'apiKey', description: 'd', name: 'authorization', in: 'header' } },
      security: [{ BearerToken: [] }],
    },
    'CgMyLjASEgoKS3ViZXJuZXRlcxIEMS4zNkLiAhLfAgoJL2Eve25hbWV9EtECEq0CCgF0GgRyZWFkKgVyZWFkQTIQYXBwbGljYXRpb24vanNvbjoDKi8qQhQSEgoQIy9wYXJhbWV0ZXJzL3AtMUIlCiMKIRIEYm9keRoEYm9keSABKhEKDyMvZGVmaW5pdGlvbnMvQUIjCiESHxodEgVxdWVyeRoBcSIGZHJ5UnVuMgZzdHJpbmegAQFKNwocCgMyMDASFQoTCgJPSxINCguyAQgKBnN0cmluZwoXCgM0MDESEAoOCgxVbmF1dGhvcml6ZWRSBWh0dHBzah0KE3gta3ViZXJuZXRlcy1hY3Rpb24SBhIEZ2V0CmpDCh94LWt1YmVybmV0ZXMtZ3JvdXAtdmVyc2lvbi1raW5kEiASHmdyb3VwOiAiIgpraW5kOiBBCnZlcnNpb246IHYxCkofCh0SGyIZCAESBHBhdGgiBG5hbWUqBnN0cmluZ5gBAUrIAgrFAgoBQRK/AiICw4SaAQFisgEICgZvYmplY3TKAcgBCpEBCgFiEosBsgEHCgVhcnJheboBMAouEgRieXRlogEGEgQnKicKogEIEgZOZXZlcgqiAQYSBEEgYgqyAQgKBnN0cmluZ/oBKAoaeC1rdWJlcm5ldGVzLWxpc3QtbWFwLWtleXMSChIILSB4Ci0gegr6ASAKFngta3ViZXJuZXRlcy1saXN0LXR5cGUSBhIEbWFwCgoyCgFtEi1JAAAAAAAA4D9YrAKqARMKEQoPIy9kZWZpbml0aW9ucy9BsgEICgZvYmplY3T6AV0KE3gta3ViZXJuZXRlcy11bmlvbnMSRhJELSBkaXNjcmltaW5hdG9yOiB0eXBlCiAgZmllbGRzLXRvLWRpc2NyaW1pbmF0ZUJ5OgogICAgcTogUQogICAgcjogUgpSIwohCgNwLTESGhIYGhYSBXF1ZXJ5IgFwMgdpbnRlZ2VyoAEBYhEKDwoLQmVhcmVyVG9rZW4SAGo1CjMKC0JlYXJlclRva2VuEiQSIgoGYXBpS2V5Eg1hdXRob3JpemF0aW9uGgZoZWFkZXIiAWQ=',
  ],
  [
    'v3',
    {
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: '1.36' },
      paths: {
        '/a/{name}': {
          patch: {
            tags: ['t'],
            description: 'patch',
            operationId: 'patchA',
            parameters: [{ name: 'force', in: 'query', schema: { type: 'boolean', uniqueItems: true } }],
            requestBody: { content: { '*/*': { schema: { $ref: '#/components/schemas/A' } } }, required: true },
            responses: {
              '200': { description: 'OK', content: { 'application/json': { schema: { type: 'string' } } } },
              '401': { description: 'Unauthorized' },
            },
            'x-kubernetes-action': 'patch',
            'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind: 'A' },
          },
          parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string', uniqueItems: true } }],
        },
      },
      components: {
        schemas: {
          A: {
            type: 'object',
            properties: {
              a: { default: {}, allOf: [{ $ref: '#/components/schemas/A' }] },
              b: { type: 'string', default: '' },
              c: { type: 'integer', format: 'int32', default: 0 },
              d: { type: 'boolean', default: false, nullable: true },
              e: { type: 'array', items: { type: 'string', default: 'x' } },
              f: { oneOf: [{ type: 'string' }, { type: 'number' }] },
              g: { type: 'object', additionalProperties: true },
            },
          },
        },
        securitySchemes: { BearerToken: { type: 'apiKey', description: 'd', name: 'authorization', in: 'header' } },
      },
    },
    'CgUzLjAuMBISCgpLdWJlcm5ldGVzMgQxLjM2Is0CCsoCCgkvYS97bmFtZX0SvAJSlwIKAXQaBXBhdGNoKgZwYXRjaEEyIQofCgVmb3JjZRIFcXVlcnlSDwoNoAEBygEHYm9vbGVhbjorCikSJQojCgMqLyoSHAoaEhgKFiMvY29tcG9uZW50cy9zY2hlbWFzL0EYAUJNEjIKAzIwMBIrCikKAk9LGiMKIQoQYXBwbGljYXRpb24vanNvbhINCgsKCcoBBnN0cmluZxIXCgM0MDESEAoOCgxVbmF1dGhvcml6ZWRqHwoTeC1rdWJlcm5ldGVzLWFjdGlvbhIIEgZwYXRjaApqQwofeC1rdWJlcm5ldGVzLWdyb3VwLXZlcnNpb24ta2luZBIgEh5ncm91cDogIiIKdmVyc2lvbjogdjEKa2luZDogQQpqIAoeCgRuYW1lEgRwYXRoIAFSDgoMoAEBygEGc3RyaW5nKrcCCv0BCvoBCgFBEvQBCvEBygEGb2JqZWN0+gHkAQonCgFhEiIKINIBGhIYChYjL2NvbXBvbmVudHMvc2NoZW1hcy9BigIAChUKAWISEAoOygEGc3RyaW5nigICGgAKJQoBYxIgCh7KAQdpbnRlZ2VyigIJCQAAAAAAAAAAmgIFaW50MzIKGAoBZBITChEIAcoBB2Jvb2xlYW6KAgIQAAolCgFlEiAKHsoBBWFycmF58gETChEKD8oBBnN0cmluZ4oCAxoBeAojCgFmEh4KHNoBCwoJygEGc3RyaW5n2gELCgnKAQZudW1iZXIKFQoBZxIQCg7KAQZvYmplY3SCAgIQATo1CjMKC0JlYXJlclRva2VuEiQKIgoGYXBpS2V5EgFkGg1hdXRob3JpemF0aW9uIgZoZWFkZXI=',
  ],
] as const;

it.each(documents)('%s documents are encoded like gnostic', (version, document, expected) => {
  expect(Buffer.from(encodeDocument(version, document)).toString('base64')).toBe(expected);
});

it('encodes large documents', () => {
  const description = 'ü'.repeat(200_000);
  const bytes = encodeDocument('v3', { openapi: '3.0.0', info: { title: 't', description } });
  expect(Buffer.from(bytes).includes(description)).toBe(true);
});

it('refuses keys without a protobuf field', () => {
  expect(() => encodeDocument('v3', { openapi: '3.0.0', paths: { '/a': { get: { callbacks: {} } } } })).toThrow(
    'OpenAPI in protobuf has no field for callbacks',
  );
});

it.each([
  ['a word', 'atomic', 'atomic\n'],
  ['a string that needs quotes', 'true', '"true"\n'],
  ['an empty string', '', '""\n'],
  ['a number', 3, '3\n'],
  ['an empty list', [], '[]\n'],
  ['a list', ['a', 'b'], '- a\n- b\n'],
  ['objects in a list', [{ group: '', kind: 'A' }, { group: 'b' }], '- group: ""\n  kind: A\n- group: b\n'],
  ['an object in an object, in a list', [{ a: { b: 'c' } }], '- a:\n    b: c\n'],
  ['an object in an object', { a: { b: { c: 'd' } }, e: {} }, 'a:\n    b:\n        c: d\ne: {}\n'],
])('encodes %s like Go’s YAML', (_, value, yaml) => {
  expect(toYaml(value)).toBe(yaml);
});
