import type { Base, Case, CaseSuite, JsonObject } from '../case.ts';
import { edit } from '../edit.ts';

const object = (kind: string, name: string, spec: object, metadata: object = {}, version = 'v1'): Base => ({
  object: { apiVersion: `networking.k8s.io/${version}`, kind, metadata: { name, ...metadata }, spec } as JsonObject,
});
const create =
  (base: string) =>
  (changes: Record<string, unknown>): Case => ({ create: base, change: edit(changes) });
const ingressClass = create('class');
const address = create('address');
const cidr = create('cidr');
const update = (base: string, changes: Record<string, unknown>, subresource?: string): Case => ({
  update: base,
  change: edit(changes),
  ...(subresource && { subresource }),
});
const parameters = (more: object) => ({ 'spec.parameters': { kind: 'Config', name: 'main', ...more } });
const parentRef = { resource: 'services', namespace: 'default', name: 'web' };

export const suite: CaseSuite = {
  bases: {
    class: object('IngressClass', 'class-plain', { controller: 'example.com/ingress' }),
    defaultClass: object(
      'IngressClass',
      'class-default',
      { controller: 'example.com/ingress', parameters: { apiGroup: 'x.example.com', kind: 'Config', name: 'main' } },
      { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
    ),
    coreClass: object('IngressClass', 'class-core', {
      controller: 'example.com/ingress',
      parameters: { kind: 'ConfigMap', name: 'main', scope: 'Namespace', namespace: 'default' },
    }),
    address: object('IPAddress', '192.0.2.44', { parentRef }),
    groupAddress: object('IPAddress', '2001:db8::44', {
      parentRef: { group: 'gateway.example.com', resource: 'Gateways', name: 'main' },
    }),
    betaAddress: object('IPAddress', '192.0.2.45', { parentRef }, {}, 'v1beta1'),
    cidr: object('ServiceCIDR', 'cidr-one', { cidrs: ['10.200.77.0/24'] }),
    dualCidr: object('ServiceCIDR', 'cidr-two', { cidrs: ['10.200.78.0/24', 'fd00:77::/112'] }),
    betaCidr: object('ServiceCIDR', 'cidr-beta', { cidrs: ['10.200.79.0/24'] }, {}, 'v1beta1'),
  },
  cases: {
    'an ingress class needs a controller only': ingressClass({}),
    'parameters are in the cluster by default': ingressClass(parameters({})),
    'parameters may be in a namespace': ingressClass(parameters({ scope: 'Namespace', namespace: 'default' })),
    'an ingress class without a controller is refused': ingressClass({ spec: undefined }),
    'a controller is a domain and a path': ingressClass({ 'spec.controller': 'controller' }),
    'a controller with a bad domain and path is refused': ingressClass({ 'spec.controller': 'A_b/c d' }),
    'a controller that is too long is refused': ingressClass({ 'spec.controller': `a.com/${'b'.repeat(250)}` }),
    'bad parameters are refused': ingressClass(parameters({ apiGroup: 'A', kind: '', name: '', scope: 'Galaxy' })),
    'bad names in parameters are refused': ingressClass(parameters({ kind: 'a/b', name: '.', namespace: 'default' })),
    'parameters in a namespace must say which': ingressClass(parameters({ scope: 'Namespace' })),
    'parameters in a bad namespace are refused': ingressClass(parameters({ scope: 'Namespace', namespace: 'A_b' })),
    'the controller cannot change': update('class', {
      'spec.controller': 'example.com/other',
      'metadata.labels': { 'a b': '' },
    }),
    'the controller cannot be taken away': update('class', { spec: {} }),
    'parameters can change': update('class', parameters({})),
    'the default class is shown as such': { table: 'defaultClass' },
    'a class without parameters is shown': { table: 'class' },
    'a class with parameters of the core group is shown': { table: 'coreClass' },

    'an address needs a parent only': address({}),
    'an address without a parent is refused': address({ spec: {} }),
    'an address without a spec is refused': address({ spec: undefined }),
    'a parent must have resource and name': address({ 'spec.parentRef': {} }),
    'a bad parent is refused': address({
      'spec.parentRef': { group: 'A_b', resource: 'a/b', name: 'x%', namespace: '..' },
    }),
    'the name is an address': address({ 'metadata.name': 'web' }),
    'the name is an address in canonical form': address({ 'metadata.name': '2001:DB8::1' }),
    'the name is an address without leading zeros': address({ 'metadata.name': '192.0.02.1' }),
    'the parent cannot change': update('address', { 'spec.parentRef.name': 'other', 'metadata.labels': { 'a b': '' } }),
    'the parent cannot be taken away': update('address', { spec: {} }),
    'labels of an address can change': update('betaAddress', { 'metadata.labels': { a: 'b' } }),
    'an address is shown with its parent': { table: 'address' },
    'an address is shown with the group of its parent': { table: 'groupAddress' },

    'a service CIDR of one family is taken': cidr({ 'status.conditions': [] }),
    'a service CIDR of two families is taken': cidr({ 'spec.cidrs': ['fd00:1::/112', '10.200.0.0/24'] }),
    'a service CIDR without any is refused': cidr({ spec: {} }),
    'three are too many': cidr({ 'spec.cidrs': ['10.200.0.0/24', 'fd00:1::/112', '10.201.0.0/24'] }),
    'two of one family are refused': cidr({ 'spec.cidrs': ['10.200.0.0/24', '10.201.0.0/24'] }),
    'bad ones are refused': cidr({ 'spec.cidrs': ['10.200.0.1/24', 'x'] }),
    'ones that are not canonical are refused': cidr({ 'spec.cidrs': ['FD00::/112', '010.0.0.0/8'] }),
    'a CIDR cannot change': update('cidr', { 'spec.cidrs': ['10.200.80.0/24'] }),
    'no CIDR can change': update('dualCidr', { 'spec.cidrs': ['10.200.80.0/24', 'fd00:78::/112'] }),
    'a second family can be added': update('cidr', { 'spec.cidrs': ['10.200.77.0/24', 'fd00:77::/112'] }),
    'what is added is checked': update('cidr', { 'spec.cidrs': ['10.200.80.0/24', '10.200.81.0/24'] }),
    'a family cannot be taken away': update('dualCidr', { 'spec.cidrs': ['10.200.78.0/24'] }),
    'no CIDR can be taken away': update('cidr', { spec: {} }),
    'the beta version updates as well': update('betaCidr', { 'spec.cidrs': ['10.200.79.0/24', 'fd00:79::/112'] }),
    'status keeps the metadata and the spec': update(
      'cidr',
      {
        'metadata.labels': { a: 'b' },
        'spec.cidrs': [],
        'status.conditions': [{ type: 'x y', status: 'Maybe', lastTransitionTime: null, reason: '', message: '' }],
      },
      'status',
    ),
    'a service CIDR is shown': { table: 'dualCidr' },
  },
};
