import { mergePatch } from '../headers.ts';
import { type Call, edited, type Suite } from '../scenario.ts';

const service = (name: string, spec: object): Call => ({
  send: 'POST v1:services',
  body: { metadata: { name }, spec: { ports: [{ port: 80 }], selector: { app: 'x' }, ...spec } },
  as: name,
});
const change = (name: string, body: object): Call => ({ send: `PATCH v1:services/${name}`, body, headers: mergePatch });

/** Addresses and ports of services. */
export const suite: Suite = {
  scenarios: {
    'every type gets what it needs': [
      service('a', {}),
      service('b', { type: 'NodePort' }),
      service('c', { type: 'LoadBalancer' }),
      service('d', { type: 'ExternalName', externalName: 'x.example' }),
      service('e', { clusterIP: 'None' }),
      service('f', { ipFamilyPolicy: 'RequireDualStack' }),
      service('g', { ipFamilies: ['IPv6'] }),
      service('h', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }),
      service('i', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false }),
      service('j', { clusterIP: 'None', selector: undefined }),
    ],
    'addresses can be asked for': [
      service('a', { clusterIP: '10.96.77.77' }),
      service('b', { clusterIP: '10.96.77.77' }),
      service('c', { clusterIP: '192.168.0.1' }),
      service('d', { clusterIP: 'x' }),
      service('e', { type: 'NodePort', ports: [{ port: 80, nodePort: 31777 }] }),
      service('f', { type: 'NodePort', ports: [{ port: 80, nodePort: 31777 }] }),
      service('g', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }),
      { send: 'DELETE v1:services/a' },
      service('b', { clusterIP: '10.96.77.77' }),
      { send: 'DELETE v1:services/e' },
      service('f', { type: 'NodePort', ports: [{ port: 80, nodePort: 31777 }] }),
      { ...service('h', {}), send: 'POST v1:services?dryRun=All' },
    ],
    'types change': [
      service('a', {}),
      change('a', { spec: { type: 'NodePort' } }),
      change('a', { spec: { type: 'ClusterIP' } }),
      change('a', { spec: { type: 'LoadBalancer' } }),
      change('a', { spec: { type: 'ExternalName', externalName: 'x.example' } }),
      change('a', { spec: { type: 'ClusterIP', externalName: null } }),
      change('a', { spec: { clusterIP: '10.96.1.1' } }),
      { send: 'GET v1:services/a', as: 'a' },
      { send: 'PUT v1:services/a', body: edited('a', { 'spec.clusterIP': undefined, 'spec.clusterIPs': undefined }) },
      change('a', { spec: { ports: [{ port: 80 }, { port: 81 }] } }),
      change('a', {
        spec: {
          ports: [
            { port: 80, name: 'x' },
            { port: 81, name: 'y' },
          ],
        },
      }),
      change('a', { spec: { ipFamilyPolicy: 'PreferDualStack' } }),
      { send: 'DELETE v1:services/a' },
    ],
  },
};
