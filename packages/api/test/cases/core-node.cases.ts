import type { Case, CaseSuite } from '../case.ts';
import { edit } from '../edit.ts';

const node = (changes: Record<string, unknown> = {}): Case => ({ create: 'node', change: edit(changes) });
const update = (changes: Record<string, unknown>, base = 'kept'): Case => ({ update: base, change: edit(changes) });
const status = (changes: Record<string, unknown>): Case => ({ ...update(changes), subresource: 'status' });
const taints = 'metadata.annotations[scheduler.alpha.kubernetes.io/taints]';
const avoidPods = 'metadata.annotations[scheduler.alpha.kubernetes.io/preferAvoidPods]';
const configMap = { namespace: 'default', name: 'config', kubeletConfigKey: 'kubelet' };

export const suite: CaseSuite = {
  bases: {
    node: { object: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'cases-node' } } },
    kept: {
      object: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: {
          name: 'cases-kept',
          labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge' },
        },
        spec: { podCIDR: '10.1.0.0/24', providerID: 'cloud://1', unschedulable: true, externalID: 'old' },
        status: {
          capacity: { cpu: '4' },
          addresses: [
            { type: 'Hostname', address: 'n1' },
            { type: 'InternalIP', address: '192.0.2.1' },
            { type: 'ExternalIP', address: '192.0.2.2' },
          ],
          conditions: [{ type: 'Ready', status: 'True' }],
          nodeInfo: {
            kubeletVersion: 'v1.36.4',
            osImage: 'Linux',
            kernelVersion: '6.1',
            architecture: 'amd64',
            containerRuntimeVersion: 'containerd://2',
            machineID: '',
            systemUUID: '',
            bootID: '',
            kubeProxyVersion: '',
            operatingSystem: 'linux',
          },
        },
      },
    },
    dual: {
      object: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'cases-dual' },
        spec: { podCIDRs: ['10.2.0.0/24', 'fd00:2::/64'] },
        status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
      },
    },
  },
  cases: {
    'a node is stored': node(),
    'a node may say everything at once': node({
      spec: { podCIDRs: ['10.1.0.0/24'], taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: { capacity: { cpu: '1.0001', memory: '1Gi' }, phase: 'Running', declaredFeatures: ['A', 'B/c'] },
    }),
    'what can be used is what there is': node({ status: { capacity: { pods: '10' } } }),
    'what can be used may be less': node({ status: { capacity: { pods: '10' }, allocatable: { pods: '9' } } }),
    'the older field counts': node({ spec: { podCIDR: '10.1.0.0/24', podCIDRs: ['10.9.0.0/24', 'fd00::/64'] } }),
    'the first of the networks is the older field': node({ spec: { podCIDRs: ['10.1.0.0/24', 'fd00:1::/64'] } }),
    'a configuration is dropped': node({ spec: { configSource: { configMap } }, status: { config: { error: 'x' } } }),
    'a name is a DNS subdomain': node({ 'metadata.name': 'Bad_Node' }),
    'taints are judged': node({
      'spec.taints': [
        { key: 'bad key', value: '-', effect: 'NoSchedule' },
        { key: '', effect: 'Never' },
        { key: 'a', effect: 'NoExecute', value: '1' },
        { key: 'a', effect: 'NoExecute', value: '2' },
        { key: 'a' },
      ],
    }),
    'taints in an annotation are JSON': node({ [taints]: 'x' }),
    'taints in an annotation are a list': node({ [taints]: '{}' }),
    'taints in an annotation are judged': node({
      [taints]: '[{"Key":"a","effect":"Never"},{"key":"b c","effect":"NoSchedule"}]',
    }),
    'pods to avoid are JSON': node({ [avoidPods]: '{' }),
    'pods to avoid are an object': node({ [avoidPods]: '[]' }),
    'pods to avoid have a signature': node({ [avoidPods]: '{"preferAvoidPods":[{}]}' }),
    'pods to avoid have a controller': node({
      [avoidPods]:
        '{"preferAvoidPods":[{"podSignature":{"podController":{"apiVersion":"v1","kind":"a","name":"b","uid":"c","controller":false}}}]}',
    }),
    'amounts are not negative': node({ status: { capacity: { cpu: '-1' }, allocatable: { pods: '1500m' } } }),
    'swap is positive': node({ 'status.nodeInfo': { swap: { capacity: 0 } } }),
    'features have names': node({ 'status.declaredFeatures': ['lower', 'B', 'B', 'A', 'X'.repeat(254)] }),
    'networks are judged': node({ spec: { podCIDRs: ['everywhere', '10.0.0.1/24', '10.0.0.0/24'] } }),
    'networks are of different families': node({ spec: { podCIDRs: ['10.1.0.0/24', '10.2.0.0/24'] } }),
    'there are two networks at most': node({ spec: { podCIDRs: ['10.1.0.0/24', 'fd00::/64', 'fd01::/64'] } }),
    'odd networks cause warnings': node({ spec: { podCIDRs: ['FD00::/64'], externalID: 'x' } }),
    'an external id is deprecated': node({ 'spec.externalID': 'x' }),

    'a node can be made schedulable': update({ 'spec.unschedulable': false }),
    'a network stays': update({ 'spec.podCIDR': '10.9.0.0/24', 'spec.podCIDRs': ['10.9.0.0/24'] }),
    'a network cannot be removed': update({ 'spec.podCIDR': undefined, 'spec.podCIDRs': undefined }),
    'both networks stay': update(
      { 'spec.podCIDR': '10.9.0.0/24', 'spec.podCIDRs': ['10.9.0.0/24', 'fd00:9::/64'] },
      'dual',
    ),
    'a provider id stays': update({ 'spec.providerID': 'cloud://2' }),
    'an external id stays': update({ 'spec.externalID': 'new' }),
    'taints of an update are judged twice': update({ 'spec.taints': [{ key: 'a', effect: 'Never' }] }),
    'a configuration cannot be added': update({ 'spec.configSource': { configMap } }),
    'status is not changed by the node': update({ 'status.capacity': { cpu: '8' } }),
    'a status can be changed': status({ 'status.capacity': { cpu: '8' }, 'spec.unschedulable': false }),
    'a status is judged': status({
      'status.capacity': { cpu: '-8' },
      'status.declaredFeatures': ['b'],
      'status.addresses': [
        { type: 'InternalIP', address: '192.0.2.1' },
        { type: 'InternalIP', address: '192.0.2.1' },
        { type: 'ExternalIP', address: '192.0.2.1' },
      ],
    }),
    'a configuration of a status is dropped': status({ 'status.config': { assigned: { configMap } } }),
    'labels of a node are judged': update({ 'metadata.labels': { a: '-' } }),
    'labels are judged with the status': status({ 'metadata.labels': { a: '-' } }),
    'a node is printed': { table: 'kept' },
    'a node that is not ready is printed': { table: 'dual' },
    'a node that is unknown is printed': { table: 'node' },
  },
};
