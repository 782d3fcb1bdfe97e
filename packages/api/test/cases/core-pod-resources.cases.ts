import type { Case, CaseSuite, JsonObject } from '../case.ts';

const container = (resources: JsonObject, fields: JsonObject = {}): Case => ({
  create: 'pod',
  change: (pod) => {
    Object.assign(pod.spec, fields);
    pod.spec.containers[0].resources = resources;
  },
});
const amounts = (cpu: string, memory: string): JsonObject => ({ cpu, memory });
const init = (resources: JsonObject, restartPolicy?: string): JsonObject => ({
  name: `i${JSON.stringify(resources).length}${restartPolicy ? 's' : ''}`,
  image: 'x',
  resources,
  ...(restartPolicy && { restartPolicy }),
});

export const suite: CaseSuite = {
  bases: {
    pod: {
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
      },
    },
  },
  cases: {
    'what is limited is requested': container({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } }),
    'amounts are rounded up to thousandths': container({ requests: { cpu: '0.0001', memory: '1000.0001' } }),
    'equal requests and limits are guaranteed': container({ limits: amounts('1', '1Gi') }),
    'requests alone are burstable': container({ requests: { cpu: '1' } }),
    'nothing asked for is best effort': container({ requests: { cpu: '0' }, limits: { memory: '0' } }),
    'a container without limits makes the pod burstable': container(
      { limits: amounts('1', '1Gi') },
      { initContainers: [init({})] },
    ),
    'resources that are not known have a domain': container({ requests: { gold: '1' } }),
    'resources of other objects are not for containers': container({ requests: { pods: '1' } }),
    'names of resources are qualified': container({ requests: { 'a b': '1' } }),
    'resources of a domain have good names': container({
      requests: { 'requests.example.com/x': '1' },
      limits: { 'requests.example.com/x': '1' },
    }),
    'resources of kubernetes.io are native': container({ requests: { 'kubernetes.io/x': '1' } }),
    'amounts are not negative': container({ requests: { cpu: '-1' } }),
    'requests are not more than limits': container({ requests: { cpu: '2' }, limits: { cpu: '1' } }),
    'extended resources are whole and limited': container({ requests: { 'example.com/gpu': '1500m' } }),
    ...Object.fromEntries(
      ['1Pi', '100Pi', '1Ei', '8Ei', '9E', '1e30', '9223372036854775807', '12345678901234567890'].map((amount) => [
        `whether a great amount of an extended resource is whole: ${amount}`,
        container({ limits: { 'example.com/gpu': amount } }),
      ]),
    ),
    'extended resources are requested as they are limited': container({
      requests: { 'example.com/gpu': '1' },
      limits: { 'example.com/gpu': '2' },
    }),
    'huge pages come with processor or memory': container({ limits: { 'hugepages-2Mi': '2Mi' } }),
    'huge pages are whole': container({ limits: { 'hugepages-2Mi': '3Mi', cpu: '1' } }),
    'huge pages have a size': container({ limits: { 'hugepages-x': '3Mi', cpu: '1' } }),
    'overhead is checked like limits': {
      create: 'pod',
      change: (pod) => {
        pod.spec.overhead = { gold: '-1' };
      },
    },
    'a pod asks for resources as a whole': container(
      { requests: amounts('1', '1Gi') },
      { resources: { limits: amounts('2', '2Gi') } },
    ),
    'a pod requests what it limits if its containers request nothing': container(
      {},
      { resources: { limits: amounts('2', '2Gi') } },
    ),
    'a pod limits the huge pages of its containers': container(
      { limits: { cpu: '1', 'hugepages-2Mi': '4Mi' } },
      { resources: { requests: { cpu: '1' } } },
    ),
    'init containers and sidecars count for the pod': container(
      { requests: { cpu: '1' } },
      {
        resources: { limits: { cpu: '10' } },
        initContainers: [
          init({ requests: { cpu: '2' } }),
          init({ requests: { cpu: '3' } }, 'Always'),
          init({ requests: { cpu: '4000m' } }),
        ],
      },
    ),
    'a pod that asks only for requests is burstable': container({}, { resources: { requests: { cpu: '1' } } }),
    'a pod asks for processor, memory and huge pages': container(
      {},
      { resources: { requests: { 'ephemeral-storage': '1' } } },
    ),
    'a pod as a whole has no claims': container({}, { resources: { claims: [{ name: 'x' }] } }),
    'a pod requests what its containers request': container(
      { requests: { cpu: '2' }, limits: { cpu: '4' } },
      { resources: { requests: { cpu: '1' }, limits: { cpu: '3' } } },
    ),
    'a pod limits the huge pages that its containers are limited to': container(
      { limits: { cpu: '1', 'hugepages-2Mi': '4Mi' } },
      { resources: { requests: { cpu: '1', 'hugepages-2Mi': '2Mi' }, limits: { 'hugepages-2Mi': '2Mi' } } },
    ),
    'a pod on Windows asks for nothing as a whole': container(
      {},
      { os: { name: 'windows' }, resources: { limits: { cpu: '1' } } },
    ),
  },
};
