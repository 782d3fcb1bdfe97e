import type { ClientSet } from '@coxswain/client';

/** The Services, endpoints and pods that tests ask for. All names are in the namespace `test`, unless told otherwise. */
const slice = (
  service: string,
  addressType: 'IPv4' | 'IPv6',
  endpoints: readonly Endpoint[],
  ports: readonly Port[] = [{ name: 'http', port: 80, protocol: 'TCP' }],
): Slice => ({ service, addressType, endpoints, ports });

interface Endpoint {
  readonly addresses: string[];
  readonly hostname?: string;
  readonly conditions?: { readonly ready: boolean };
  readonly targetRef?: { readonly kind: string; readonly name: string };
}

interface Port {
  readonly name?: string;
  readonly port?: number;
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
}

interface Slice {
  readonly service: string;
  readonly addressType: 'IPv4' | 'IPv6';
  readonly endpoints: readonly Endpoint[];
  readonly ports: readonly Port[];
}

const http = { name: 'http', port: 80, protocol: 'TCP' } as const;
const dns = { name: 'dns', port: 53, protocol: 'UDP' } as const;

const services = {
  web: { clusterIP: '10.96.10.1', ports: [http, dns] },
  single: { clusterIP: '10.96.10.2', ports: [{ port: 8080 }] },
  dual: {
    clusterIP: '10.96.10.3',
    clusterIPs: ['10.96.10.3', 'fd00:10:96::3'],
    ipFamilyPolicy: 'RequireDualStack',
    ports: [http],
  },
  empty: { clusterIP: '10.96.10.4', ports: [http] },
  headless: { clusterIP: 'None', ports: [http, dns] },
  'headless-v6': { clusterIP: 'None', ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack', ports: [http] },
  'no-ports': { clusterIP: 'None', ports: [] },
  'no-endpoints': { clusterIP: 'None', ports: [http] },
  big: { clusterIP: 'None', ports: [http] },
  external: { type: 'ExternalName', externalName: 'www.example.org' },
  'external-gone': { type: 'ExternalName', externalName: 'gone.example.org' },
  'external-inside': { type: 'ExternalName', externalName: 'web.test.svc.cluster.local' },
  'external-twice': { type: 'ExternalName', externalName: 'external-inside.test.svc.cluster.local' },
  'external-nothing': { type: 'ExternalName', externalName: 'nothing.test.svc.cluster.local' },
  'external-loop': { type: 'ExternalName', externalName: 'external-loop2.test.svc.cluster.local' },
  'external-loop2': { type: 'ExternalName', externalName: 'external-loop.test.svc.cluster.local' },
} as const;

const slices: readonly Slice[] = [
  slice('web', 'IPv4', [{ addresses: ['10.244.0.10'], targetRef: { kind: 'Pod', name: 'web-abc' } }]),
  slice(
    'headless',
    'IPv4',
    [
      { addresses: ['10.244.0.20'], hostname: 'node-0', targetRef: { kind: 'Pod', name: 'headless-0' } },
      { addresses: ['10.244.0.21'], hostname: 'node-1', targetRef: { kind: 'Pod', name: 'headless-1' } },
      { addresses: ['10.244.0.22'], targetRef: { kind: 'Pod', name: 'headless-2' } },
      { addresses: ['10.244.0.23'], hostname: 'node-3', conditions: { ready: false } },
    ],
    [http, dns],
  ),
  slice('headless-v6', 'IPv6', [{ addresses: ['fd00::20'] }, { addresses: ['fd00:1:2::'], hostname: 'six' }]),
  slice('no-ports', 'IPv4', [{ addresses: ['10.244.0.30'], hostname: 'lonely' }], []),
  slice(
    'big',
    'IPv4',
    Array.from({ length: 60 }, (_, index) => ({ addresses: [`10.244.9.${index + 1}`] })),
  ),
];

/** Creates everything. */
export async function createObjects({ core, discovery }: ClientSet): Promise<void> {
  const { v1 } = core;
  for (const name of ['test', 'hidden']) {
    await v1.namespaces().create({ metadata: { name, labels: { exposed: String(name === 'test') } } });
  }
  for (const [name, spec] of Object.entries(services)) {
    await v1.services('test').create({ metadata: { name }, spec: structuredClone(spec) as never });
  }
  await v1.services('hidden').create({ metadata: { name: 'web' }, spec: { clusterIP: '10.96.10.5', ports: [http] } });
  for (const { service, addressType, endpoints, ports } of slices) {
    await discovery.v1.endpointSlices('test').create({
      metadata: { name: `${service}-1`, labels: { 'kubernetes.io/service-name': service } },
      addressType,
      endpoints: structuredClone([...endpoints]),
      ports: structuredClone([...ports]),
    });
  }
  const containers = [{ name: 'main', image: 'none' }];
  await v1.pods('test').create({ metadata: { name: 'pod-1' }, spec: { containers } });
  const pod = await v1.pods('test').get('pod-1');
  await v1
    .pods('test')
    .updateStatus({ ...pod, status: { phase: 'Running', podIPs: [{ ip: '10.244.0.7' }], podIP: '10.244.0.7' } });
}
