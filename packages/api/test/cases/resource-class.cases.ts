import type { Case, CaseSuite } from '../case.ts';

const opaque = (fields: object) => ({ opaque: { driver: 'example.com', parameters: {}, ...fields } });
const set = (fields: object): Case => ({ create: 'class', change: (object) => Object.assign(object.spec, fields) });
const template = (fields: object): Case => ({
  create: 'template',
  change: (object) => Object.assign(object.spec, fields),
});
const many = (count: number, make: () => object) => Array.from({ length: count }, make);

export const suite: CaseSuite = {
  bases: {
    class: {
      object: {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'DeviceClass',
        metadata: { name: 'cases-class' },
        spec: { selectors: [{ cel: { expression: 'true' } }] },
      },
    },
    template: {
      object: {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaimTemplate',
        metadata: { name: 'cases-template' },
        spec: {
          metadata: { labels: { a: 'b' } },
          spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
        },
      },
    },
  },
  cases: {
    'a class is stored': { create: 'class' },
    'a class has a good name': {
      create: 'class',
      change: (object) => {
        object.metadata.name = 'A_';
      },
    },
    'a class has a short name': {
      create: 'class',
      change: (object) => {
        object.metadata.name = 'x'.repeat(254);
      },
    },
    'selectors are checked': set({ selectors: [{}] }),
    'selectors are few': set({ selectors: many(33, () => ({ cel: { expression: 'true' } })) }),
    'configurations are checked': set({
      config: [{}, opaque({ driver: '', parameters: null }), opaque({ parameters: 'x' })],
    }),
    'configurations are few': set({ config: many(33, () => opaque({})) }),
    'configurations are short': set({ config: [opaque({ parameters: { a: 'x'.repeat(10240) } })] }),
    'an extended resource may stand for the class': set({ extendedResourceName: 'example.com/gpu' }),
    'an extended resource has a domain': set({ extendedResourceName: 'gpu' }),
    'an extended resource is not native': set({ extendedResourceName: 'kubernetes.io/gpu' }),
    'an update raises the generation': {
      update: 'class',
      change: (object) => {
        object.spec.extendedResourceName = 'example.com/gpu';
      },
    },
    'an update is validated': {
      update: 'class',
      change: (object) => {
        object.spec.config = [{}];
      },
    },
    'a class is printed': { table: 'class' },
    'a template gets its defaults': { create: 'template' },
    'a template without requests': template({ spec: {} }),
    'metadata of a template are few': template({ metadata: { name: 'x', labels: { '-': 'x' }, finalizers: ['a/b'] } }),
    'a template is checked': template({
      spec: { devices: { requests: [{ name: 'A_', exactly: { deviceClassName: '', adminAccess: true } }] } },
    }),
    'a template is immutable': {
      update: 'template',
      change: (object) => {
        object.spec.metadata.annotations = { c: 'd' };
        object.spec.spec.devices.requests[0].name = 'A_';
      },
    },
    'labels of a template may change': {
      update: 'template',
      change: (object) => {
        object.metadata.labels = { a: 'b' };
      },
    },
    'a template is printed': { table: 'template' },
  },
};
