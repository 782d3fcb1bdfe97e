import type { Base, Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const policy = (name: string, spec: object): Base => ({
  object: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name }, spec },
});
const create = (changes: Record<string, unknown>): Case => ({ create: 'policy', change: edit(changes) });
const update = (base: string, changes: Record<string, unknown>): Case => ({ update: base, change: edit(changes) });
const block = (cidr: string, ...except: string[]) => ({ ipBlock: { cidr, except } });
const badSelector = { matchLabels: { 'a b': 'c d' }, matchExpressions: [{ key: 'a', operator: 'In' }] };

export const suite: CaseSuite = {
  bases: {
    policy: policy('policy', { podSelector: {} }),
    selecting: policy('selecting', {
      podSelector: {
        matchLabels: { b: '1', a: '2' },
        matchExpressions: [{ key: 'c', operator: 'NotIn', values: ['y', 'x'] }],
      },
      egress: [{ to: [block('10.0.0.0/8', '10.1.0.0/16')] }],
    }),
  },
  cases: {
    'a policy is about ingress by default': create({}),
    'a policy without a spec selects everything': create({ spec: undefined }),
    'a policy with egress rules is about both by default': create({ 'spec.egress': [{}] }),
    'a policy with no egress rules is about ingress': create({ 'spec.egress': [] }),
    'policy types that are named stay': create({ 'spec.policyTypes': ['Egress'], 'spec.ingress': [{}] }),
    'ports are TCP by default': create({
      'spec.ingress': [{ ports: [{ port: 80 }, { port: 'web' }, {}, { port: 80, endPort: 90, protocol: 'UDP' }] }],
      'spec.egress': [{ ports: [{ port: 1 }, { protocol: 'SCTP' }] }],
    }),
    'bad ports are refused': create({
      'spec.ingress': [
        {
          ports: [
            { protocol: 'ICMP' },
            { port: 0 },
            { port: 70000 },
            { port: 'Bad_Name' },
            { port: 'way-too-long-port-name' },
            { port: 'web', endPort: 80 },
            { endPort: 80 },
            { port: 80, endPort: 79 },
            { port: 80, endPort: 70000 },
            { port: 70000, endPort: 1 },
          ],
        },
      ],
      'spec.egress': [{ ports: [{ port: -1, protocol: '' }] }],
    }),
    'peers of all good forms are taken': create({
      'spec.ingress': [
        {
          from: [
            { podSelector: { matchLabels: { a: 'b' } } },
            { namespaceSelector: {} },
            { podSelector: {}, namespaceSelector: {} },
            block('10.0.0.0/8', '10.1.0.0/16', '10.2.3.4/32'),
            block('2001:db8::/32', '2001:db8:1::/48'),
          ],
        },
      ],
    }),
    'bad peers are refused': create({
      'spec.podSelector': badSelector,
      'spec.ingress': [
        {
          from: [
            {},
            { podSelector: badSelector, namespaceSelector: badSelector },
            { ...block('10.0.0.0/8'), podSelector: {} },
            { ...block(''), namespaceSelector: {} },
            block('10.0.0.0'),
            block('10.0.0.1/8'),
            block('010.0.0.0/8'),
            block('10.0.0.0/8', '11.0.0.0/16', '10.0.0.0/8', '10.0.0.0/7', '10.1.0.1/16', 'x', '2001:db8::/32'),
            block('2001:db8::/32', '10.0.0.0/16', '2001:db9::/48'),
          ],
        },
      ],
      'spec.egress': [{ to: [{}, block('x', 'y')] }],
    }),
    'networks that are not canonical cause a warning': create({
      'spec.ingress': [{ from: [block('2001:DB8::/32', '2001:db8:0:1::/64')] }],
      'spec.egress': [{ to: [block('2001:0db8::/32', '2001:db8:0:0:1::/80')] }],
    }),
    'unknown policy types are refused': create({ 'spec.policyTypes': ['Ingress', 'Both'] }),
    'more than two policy types are refused': create({ 'spec.policyTypes': ['Ingress', 'Egress', 'Other'] }),
    'update raises the generation': update('policy', { 'spec.policyTypes': ['Ingress', 'Egress'] }),
    'update is refused by the rules of creation': update('selecting', {
      'metadata.labels': { 'a b': '' },
      'spec.egress.0.to.0.ipBlock.cidr': '010.0.0.0/8',
      'spec.egress.0.to.0.ipBlock.except': ['10.1.0.0/16', '10.01.0.0/16'],
    }),
    'update warns': update('selecting', { 'spec.egress.0.to.0.ipBlock': { cidr: 'FD00::/8' } }),
    'a policy is shown with its selector': { table: 'selecting' },
    'a policy for all pods is shown': { table: 'policy' },
  },
};
