import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const ingress = (name: string, spec: object, metadata: object = {}): Base => ({
  object: { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name, ...metadata }, spec },
});
const backend = { service: { name: 'web', port: { number: 80 } } };
const path = (value: string | undefined, pathType: string | undefined = 'Prefix', to: object = backend) => ({
  path: value,
  pathType,
  backend: to,
});
const rule = (...paths: object[]) => ({ http: { paths } });
const create = (changes: Record<string, unknown>): Case => ({ create: 'ingress', change: edit(changes) });
const update = (base: string, changes: Record<string, unknown>, subresource?: string): Case => ({
  update: base,
  change: edit(changes),
  ...(subresource && { subresource }),
});
const classAnnotation = 'metadata.annotations[kubernetes.io/ingress.class]';
const addresses = 'status.loadBalancer.ingress';

export const suite: CaseSuite = {
  bases: {
    ingress: ingress('web', { defaultBackend: backend }),
    shown: {
      ...ingress('shown', {
        ingressClassName: 'nginx',
        tls: [{ hosts: ['a.example.com'], secretName: 'cert' }],
        rules: ['a', 'b', 'c', 'd', ''].map((host) => ({ ...rule(path('/')), host: host && `${host}.example.com` })),
      }),
      status: {
        loadBalancer: {
          ingress: [
            { hostname: 'lb.example.com', ports: [{ port: 80, protocol: 'TCP' }] },
            { ip: '192.0.2.7' },
            { ip: '192.0.2.6', hostname: 'unseen.example.com' },
            { ip: '192.0.2.7' },
          ],
        },
      },
    },
    twoHosts: ingress('two-hosts', { rules: [{ host: 'a.example.com' }, {}, { host: '*.example.com' }] }),
    old: {
      ...ingress('old', { rules: [rule(path('/'))] }, { annotations: { 'kubernetes.io/ingress.class': 'x' } }),
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    },
  },
  cases: {
    'an ingress needs nothing but a default backend': create({ 'status.loadBalancer.ingress': [{ ip: '1.2.3.4' }] }),
    'an ingress without rules or default backend is refused': create({ spec: {} }),
    'a rule needs neither host nor paths': create({ spec: { rules: [{}] } }),
    'every good way to write a path is taken': create({
      'spec.rules': [
        rule(
          path('/a', 'Exact'),
          path('/', 'Prefix'),
          path('', 'ImplementationSpecific'),
          path(undefined, 'ImplementationSpecific'),
          path('/a//b/../%2f', 'ImplementationSpecific'),
        ),
      ],
    }),
    'bad paths are refused, each for all its faults': create({
      'spec.rules': [
        rule(
          path('a', 'Exact'),
          path('', 'Prefix'),
          path(undefined, 'Exact'),
          path('a', 'ImplementationSpecific'),
          path('/a//b/./c/../%2f%2F', 'Exact'),
          path('/a/..', 'Prefix'),
          path('/a/.', 'Prefix'),
          path('/', 'Regex'),
          path('/', ''),
        ),
      ],
    }),
    'a path without a type is refused before its backend is looked at': create({
      'spec.rules': [{ http: { paths: [{ path: '/', backend: {} }] } }],
    }),
    'a rule for HTTP needs paths': create({ 'spec.rules': [{ http: {} }, { http: { paths: [] } }] }),
    'backends of all good forms are taken': create({
      'spec.defaultBackend': { resource: { kind: 'Bucket', name: 'static', apiGroup: 'storage.example.com' } },
      'spec.rules': [
        rule(
          path('/a', 'Prefix', { service: { name: '1web', port: { name: 'http' } } }),
          path('/b', 'Prefix', { resource: { kind: 'Bucket', name: 'b' } }),
        ),
      ],
    }),
    'bad backends are refused': create({
      'spec.defaultBackend': {},
      'spec.rules': [
        rule(
          path('/', 'Prefix', { service: { name: 'a' }, resource: { kind: 'a', name: 'b' } }),
          path('/', 'Prefix', { service: {} }),
          path('/', 'Prefix', { service: { name: 'A.b', port: { name: 'http', number: 80 } } }),
          path('/', 'Prefix', { service: { name: 'a', port: { name: 'Bad_Port_Name_Too_Long' } } }),
          path('/', 'Prefix', { service: { name: 'a', port: { number: 70000 } } }),
          path('/', 'Prefix', { service: { name: 'a', port: { number: -1 } } }),
          path('/', 'Prefix', { resource: { kind: '', name: '' } }),
          path('/', 'Prefix', { resource: { apiGroup: 'A_b', kind: 'a/b', name: '..' } }),
          path('/', 'Prefix', { resource: { apiGroup: '', kind: 'a', name: 'b%' } }),
        ),
      ],
    }),
    'hosts are DNS names, with a wildcard in front at most': create({
      'spec.rules': [
        { host: '1.2.3.4' },
        { host: 'foo.*.com' },
        { host: '*.foo.com' },
        { host: '*' },
        { host: 'A.com' },
        { host: 'a_b.com' },
        { host: '::1' },
      ],
    }),
    'bad TLS settings are refused': create({
      'spec.tls': [
        { hosts: ['*.a.com', 'b.com'], secretName: 'ok' },
        { hosts: ['a.*', 'B', ''], secretName: 'Bad_Name' },
        {},
      ],
    }),
    'a bad class name is refused': create({ 'spec.ingressClassName': 'Bad_Class' }),
    'an empty class name is refused': create({ 'spec.ingressClassName': '' }),
    'the annotation for the class is deprecated': create({ [classAnnotation]: 'nginx' }),
    'annotation and field may name the same class': create({
      [classAnnotation]: 'nginx',
      'spec.ingressClassName': 'nginx',
    }),
    'annotation and field must not name different classes': create({
      [classAnnotation]: 'nginx',
      'spec.ingressClassName': 'other',
    }),
    'the annotation comes last among the problems': create({
      [classAnnotation]: '',
      'spec.ingressClassName': 'Other',
      'metadata.name': 'Bad',
    }),
    'update raises the generation when the spec changes': update('ingress', { 'spec.ingressClassName': 'x' }),
    'update of labels keeps generation and status': update('shown', { 'metadata.labels': { a: 'b' }, status: {} }),
    'update allows annotation and field to differ, without a warning': update('old', {
      'spec.ingressClassName': 'other',
    }),
    'update is refused by the rules of creation': update('ingress', {
      'metadata.labels': { 'a b': '' },
      'spec.defaultBackend': {},
    }),
    'status takes addresses and names': update(
      'ingress',
      { [addresses]: [{ ip: '192.0.2.3' }, { ip: '2001:DB8::1' }, { hostname: 'a.example.com' }], 'spec.rules': [] },
      'status',
    ),
    'bad addresses and names in status are refused': update(
      'old',
      {
        [addresses]: [
          { ip: 'x' },
          { ip: '192.0.02.3' },
          { ip: '::ffff:1.2.3.4' },
          { hostname: '1.2.3.4' },
          { hostname: 'A_b' },
          { hostname: '2001:db8::1', ip: '192.0.2.1' },
        ],
      },
      'status',
    ),
    'an ingress is shown with its class, hosts and addresses': { table: 'shown' },
    'an ingress without any of them is shown': { table: 'ingress' },
    'few hosts are shown in full': { table: 'twoHosts' },
  },
};
