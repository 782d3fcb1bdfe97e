import type { Case, CaseSuite, JsonObject } from '../case.ts';

const spec = (fields: JsonObject, containerFields: JsonObject = {}): Case => ({
  create: 'pod',
  change: (pod) => {
    Object.assign(pod.spec, fields);
    Object.assign(pod.spec.containers[0], containerFields);
  },
});
const projected = (...sources: JsonObject[]): Case => spec({ volumes: [{ name: 'v', projected: { sources } }] });
const bundle = (fields: JsonObject): JsonObject => ({ clusterTrustBundle: { path: 'x', ...fields } });
const certificate = (fields: JsonObject): JsonObject => ({
  podCertificate: { signerName: 'example.com/signer', keyType: 'ED25519', ...fields },
});
const status = (fields: JsonObject): Case => ({
  update: 'stored',
  subresource: 'status',
  change: (pod) => {
    pod.status = { ...pod.status, ...fields };
  },
});
const mounts = (...volumeMounts: JsonObject[]): JsonObject[] => [
  { name: 'web', image: 'x', imageID: 'y', ready: false, restartCount: 0, volumeMounts },
];
const pod = (name: string): { object: JsonObject } => ({
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      containers: [{ name: 'web', image: 'nginx:1' }],
      resourceClaims: [{ name: 'c', resourceClaimName: 'claim' }],
    },
  },
});

export const suite: CaseSuite = {
  features: {
    ClusterTrustBundle: true,
    ClusterTrustBundleProjection: true,
    PodCertificateRequest: true,
    GenericWorkload: true,
    ContainerStopSignals: true,
    TaintTolerationComparisonOperators: true,
    ImageVolumeWithDigest: true,
    DRANodeAllocatableResources: true,
    UserNamespacesHostNetworkSupport: true,
    SELinuxMount: true,
  },
  bases: { pod: pod('web'), stored: pod('stored') },
  cases: {
    'trust bundles are of a name or a signer': projected(
      bundle({ path: 'a' }),
      bundle({ path: 'b', name: 'x', signerName: 'y', labelSelector: { matchLabels: { a: 'b' } }, optional: true }),
      bundle({ path: 'c', name: 'x', labelSelector: { matchLabels: { a: 'b' } } }),
      bundle({ path: 'd', name: '' }),
      bundle({ path: 'e', name: 'A' }),
      bundle({ path: 'f', name: 'example.com:signer:Name' }),
      bundle({ path: 'g', name: 'a:b' }),
      bundle({ path: 'h', signerName: '' }),
      bundle({ path: 'i', signerName: 'example.com/signer', labelSelector: { matchLabels: { 'a b': 'c' } } }),
    ),
    'trust bundles have paths of their own': projected(
      bundle({ path: '', name: 'x' }),
      bundle({ path: '../a', name: 'x' }),
      bundle({ path: 'b', name: 'x' }),
      bundle({ path: 'b', name: 'y' }),
    ),
    'signers have domains and names': projected(
      ...[
        'x',
        'a/b/c',
        'nodot/x',
        'A.b/x',
        'example.com/A',
        `${'a.'.repeat(127)}com/x`,
        `example.com/${'x'.repeat(254)}`,
        `example.com/${`${'x'.repeat(250)}.`.repeat(2)}x`,
      ].map((signerName, i) => bundle({ path: `p${i}`, signerName })),
    ),
    'certificates have keys, signers and paths': projected(
      certificate({}),
      { podCertificate: {} },
      certificate({ keyType: 'DSA', keyPath: '/a', signerName: '' }),
      certificate({ maxExpirationSeconds: 1, credentialBundlePath: 'b' }),
      certificate({ maxExpirationSeconds: 7862401, credentialBundlePath: 'c' }),
      certificate({ maxExpirationSeconds: 86401, credentialBundlePath: 'd', signerName: 'kubernetes.io/x' }),
      certificate({ keyPath: 'e', certificateChainPath: 'e', credentialBundlePath: 'b' }),
      certificate({ keyPath: 'f', userAnnotations: { nodomain: 'x' } }),
      certificate({ keyPath: 'g', userAnnotations: { 'Example.com/X': 'x'.repeat(262145) } }),
    ),
    'certificates and bundles are printed in warnings': projected(
      bundle({ path: 'x', name: 'n' }),
      certificate({ keyPath: 'x/key', certificateChainPath: 'x/chain', credentialBundlePath: 'x/bundle' }),
      bundle({ path: 'x/y', signerName: 'example.com/signer' }),
    ),
    'a valid certificate stays': projected(certificate({ keyPath: 'a', maxExpirationSeconds: 3600 })),
    'signals that stop a container need a system': spec({}, { lifecycle: { stopSignal: 'SIGTERM' } }),
    'signals of Linux are known': spec({ os: { name: 'linux' } }, { lifecycle: { stopSignal: 'SIGX' } }),
    'signals of Windows are few': spec({ os: { name: 'windows' } }, { lifecycle: { stopSignal: 'SIGHUP' } }),
    'a known signal stays': spec({ os: { name: 'linux' } }, { lifecycle: { stopSignal: 'SIGRTMIN+3' } }),
    'tolerations compare numbers': spec({
      tolerations: [
        { key: 'a', operator: 'Lt', value: '1' },
        { key: 'a', operator: 'Gt', value: 'x' },
        { key: 'a', operator: 'Gt', value: '' },
        { key: 'a', operator: 'Lt', value: '9223372036854775808' },
        { key: 'a', operator: 'Lt', value: '01' },
        { key: 'a', operator: 'Near' },
      ],
    }),
    'a group of pods has a name': spec({ schedulingGroup: {} }),
    'a group of pods has a good name': spec({ schedulingGroup: { podGroupName: 'A' } }),
    'a group of pods stays': spec({ schedulingGroup: { podGroupName: 'a' } }),
    'user namespaces go with the network of the host': spec({ hostUsers: false, hostNetwork: true }),
    'every policy of SELinux is known': spec({ securityContext: { seLinuxChangePolicy: 'MountOption' } }),
    'other policies of SELinux are not': spec({ securityContext: { seLinuxChangePolicy: 'X' } }),
    'digests of images are of limited length': status({
      containerStatuses: mounts(
        { name: 'a', mountPath: '/a', volumeStatus: { image: { imageRef: '' } } },
        { name: 'b', mountPath: '/b', volumeStatus: { image: { imageRef: 'x'.repeat(257) } } },
        { name: 'c', mountPath: '/c', volumeStatus: {} },
      ),
    }),
    'digests of images stay': status({
      containerStatuses: mounts({ name: 'a', mountPath: '/a', volumeStatus: { image: { imageRef: 'x' } } }),
    }),
    'claims of what nodes have are those of the pod': status({
      nodeAllocatableResourceClaimStatuses: [
        { resourceClaimName: '', resources: {} },
        { resourceClaimName: 'gone', containers: ['web'], resources: { 'example.com/x': '-1' } },
        { resourceClaimName: 'claim', containers: ['web'], resources: { cpu: '0.0001' } },
      ],
    }),
    'claims of what nodes have stay': status({
      nodeAllocatableResourceClaimStatuses: [
        { resourceClaimName: 'claim', containers: ['web'], resources: { cpu: '0.0001' } },
      ],
    }),
  },
};
