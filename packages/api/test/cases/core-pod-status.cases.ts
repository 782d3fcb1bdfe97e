import type { Case, CaseSuite, JsonObject } from '../case.ts';

const pod = (name: string, spec: JsonObject, status?: JsonObject): { object: JsonObject; status?: JsonObject } => ({
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers: [{ name: 'web', image: 'nginx:1' }], ...spec },
  },
  ...(status && { status }),
});
const status = (base: string, fields: JsonObject): Case => ({
  update: base,
  subresource: 'status',
  change: (object) => {
    object.status = { ...object.status, ...fields };
  },
});
const container = (name: string, fields: JsonObject): JsonObject => ({
  name,
  image: 'x',
  imageID: 'y',
  ready: false,
  restartCount: 0,
  ...fields,
});
const ended = (name: string, exitCode = 0): JsonObject =>
  container(name, { state: { terminated: { exitCode, startedAt: null, finishedAt: null } } });
const waiting = (name: string): JsonObject => container(name, { state: { waiting: { reason: 'X' } } });
const allEnded = {
  containerStatuses: [ended('web'), ended('bad', 1), ended('gone')],
  initContainerStatuses: [ended('init'), ended('side'), ended('again', 3)],
  ephemeralContainerStatuses: [ended('debug')],
};
const allAlive = {
  containerStatuses: [waiting('web'), waiting('bad'), waiting('gone')],
  initContainerStatuses: [waiting('init'), waiting('side'), waiting('again')],
  ephemeralContainerStatuses: [waiting('debug')],
};
const many = (restartPolicy: string, fields: JsonObject = {}): JsonObject => ({
  restartPolicy,
  containers: [
    { name: 'web', image: 'x', ...fields },
    { name: 'bad', image: 'x' },
  ],
  initContainers: [
    { name: 'init', image: 'x' },
    { name: 'side', image: 'x', restartPolicy: 'Always' },
    {
      name: 'again',
      image: 'x',
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [3] } }],
    },
  ],
});

export const suite: CaseSuite = {
  bases: {
    plain: pod(
      'plain',
      { resourceClaims: [{ name: 'a', resourceClaimName: 'x' }] },
      { observedGeneration: 1, conditions: [{ type: 'Ready', status: 'False', observedGeneration: 1 }] },
    ),
    bound: pod('bound', { nodeName: 'node' }),
    windows: pod('windows', { os: { name: 'windows' } }),
    always: pod('always', many('Always'), allEnded),
    onFailure: pod('on-failure', many('OnFailure'), allEnded),
    never: pod('never', many('Never'), allEnded),
    all: pod(
      'all',
      many('Never', {
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } }],
      }),
      allEnded,
    ),
    devices: pod('devices', {
      resourceClaims: [{ name: 'c', resourceClaimName: 'x' }],
      containers: [
        {
          name: 'web',
          image: 'x',
          resources: {
            requests: { 'example.com/gpu': '1' },
            limits: { 'example.com/gpu': '1' },
            claims: [{ name: 'c', request: 'r' }],
          },
        },
      ],
    }),
  },
  cases: {
    'the status changes, and labels with it': {
      update: 'plain',
      subresource: 'status',
      change: (object) => {
        object.metadata.labels = { a: 'b' };
        object.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'x', uid: 'y' }];
        object.spec.dnsPolicy = 'Default';
        object.status = { phase: 'Running', message: 'm', reason: 'r', startTime: '2026-01-01T00:00:00Z' };
      },
    },
    'what was observed is not forgotten': status('plain', {
      observedGeneration: 0,
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Ready', status: 'True' },
        { type: 'Other', status: 'True' },
      ],
    }),
    'what is observed is not negative': status('plain', {
      observedGeneration: -1,
      conditions: [{ type: 'Ready', status: 'True', observedGeneration: -1 }],
    }),
    'types of conditions are qualified': status('plain', {
      conditions: [
        { type: 'a b', status: 'True' },
        { type: 'PodScheduled', status: 'True' },
      ],
    }),
    'the quality of service stays': status('plain', { qosClass: 'Guaranteed' }),
    'a node may be nominated': status('plain', { nominatedNodeName: 'node' }),
    'a nominated node has a name': status('plain', { nominatedNodeName: 'A B' }),
    'a bound pod has no nominated node': status('bound', { nominatedNodeName: 'other' }),
    'addresses are addresses': status('plain', { podIP: 'x', podIPs: [{ ip: 'x' }], hostIPs: [{ ip: 'y' }] }),
    'the older field of an address is right': status('plain', { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }] }),
    'one address is two fields': status('plain', { podIP: '10.0.0.1' }),
    'several addresses are one field and a list': status('plain', { podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] }),
    'addresses are one of each family': status('plain', {
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }],
      hostIP: 'fd00::1',
      hostIPs: [{ ip: 'fd00::1' }, { ip: 'fd00::2' }],
    }),
    'addresses are two at most': status('plain', {
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }, { ip: '10.0.0.2' }],
    }),
    'addresses in an unusual form are warned about': status('plain', {
      podIP: 'fd00:0::1',
      podIPs: [{ ip: 'fd00:0::1' }],
      hostIP: 'FD00::1',
      hostIPs: [{ ip: 'FD00::1' }],
    }),
    'broken addresses of two families': status('plain', {
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }, { ip: 'x' }],
    }),
    'containers restart always': status('always', allAlive),
    'containers restart on failure': status('onFailure', allAlive),
    'containers never restart': status('never', allAlive),
    'a rule lets all containers restart': status('all', allAlive),
    'claims are those of the pod': status('plain', {
      resourceClaimStatuses: [
        { name: 'a', resourceClaimName: 'ok' },
        { name: 'a', resourceClaimName: 'Bad' },
        { name: 'gone' },
      ],
    }),
    'extended resources are mapped to requests': status('devices', {
      extendedResourceClaimStatus: {
        resourceClaimName: 'X',
        requestMappings: [
          { containerName: 'gone', resourceName: 'example.com/gpu', requestName: 'r' },
          { containerName: 'web', resourceName: 'example.com/other', requestName: 'R' },
          { containerName: 'web', resourceName: 'example.com/gpu', requestName: 'r' },
          { containerName: 'web', resourceName: 'example.com/gpu', requestName: 'r' },
        ],
      },
    }),
    'extended resources are mapped at all': status('devices', { extendedResourceClaimStatus: {} }),
    'users of containers are in range': status('plain', {
      containerStatuses: [container('web', { user: { linux: { uid: -1, gid: -1, supplementalGroups: [1, -1] } } })],
    }),
    'containers on Windows have no users of Linux': status('windows', {
      containerStatuses: [container('web', { user: { linux: { uid: 1, gid: 1 } } })],
    }),
    'devices are those that containers ask for': status('devices', {
      containerStatuses: [
        container('web', {
          allocatedResourcesStatus: [
            { name: 'example.com/gpu', resources: [{ resourceID: 'a', health: 'Healthy' }] },
            {
              name: 'example.com/other',
              resources: [
                { resourceID: 'a', health: 'Fine', message: '' },
                { resourceID: 'a', health: 'Unknown', message: 'x'.repeat(1025) },
              ],
            },
            { name: 'claim:c/r', resources: [{ resourceID: 'b', health: 'Unhealthy', message: 'm' }] },
            { name: 'claim:c', resources: [{ resourceID: 'b' }] },
          ],
        }),
      ],
      ephemeralContainerStatuses: [
        container('debug', {
          allocatedResourcesStatus: [{ name: 'x', resources: [{ resourceID: 'a', health: 'Healthy' }] }],
        }),
      ],
    }),
    'what belongs to features that are off is dropped': status('plain', {
      nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: 'x', resources: { cpu: '1' } }],
      containerStatuses: [
        container('web', {
          volumeMounts: [{ name: 'a', mountPath: '/a', volumeStatus: { image: { imageRef: 'x' } } }],
          allocatedResources: { cpu: '0.0001' },
        }),
      ],
    }),
  },
};
