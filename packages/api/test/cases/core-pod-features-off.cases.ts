import type { Case, CaseSuite, JsonObject } from '../case.ts';

const spec = (fields: JsonObject, containerFields: JsonObject = {}): Case => ({
  create: 'pod',
  change: (pod) => {
    Object.assign(pod.spec, fields);
    Object.assign(pod.spec.containers[0], containerFields);
  },
});
const status = (base: string, fields: JsonObject): Case => ({
  update: base,
  subresource: 'status',
  change: (pod) => {
    pod.status = { ...pod.status, ...fields };
  },
});
const pod = (name: string, fields: JsonObject = {}): { object: JsonObject } => ({
  object: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', image: 'nginx:1' }], ...fields },
  },
});
const container = (fields: JsonObject): JsonObject => ({
  name: 'web',
  image: 'x',
  imageID: 'y',
  ready: false,
  restartCount: 0,
  ...fields,
});
const rule = { action: 'Restart', exitCodes: { operator: 'In', values: [1] } };

export const suite: CaseSuite = {
  features: {
    PodLevelResources: false,
    InPlacePodLevelResourcesVerticalScaling: false,
    ContainerRestartRules: false,
    RestartAllContainersOnContainerExits: false,
    EnvFiles: false,
    HostnameOverride: false,
    MatchLabelKeysInPodTopologySpread: false,
    MatchLabelKeysInPodTopologySpreadSelectorMerge: false,
    DRAExtendedResource: false,
    ResourceHealthStatus: false,
    ResourceHealthStatusMessage: false,
    PodDeletionCost: false,
    InPlacePodVerticalScalingInitContainers: false,
    StrictIPCIDRValidation: false,
    ClearingNominatedNodeNameAfterBinding: false,
  },
  bases: {
    pod: pod('web'),
    stored: pod('stored', {
      initContainers: [{ name: 'init', image: 'x', resources: { requests: { cpu: '1' } } }],
    }),
    bound: pod('bound', { nodeName: 'node' }),
    ended: {
      ...pod('ended', { restartPolicy: 'OnFailure' }),
      status: {
        containerStatuses: [container({ state: { terminated: { exitCode: 0, startedAt: null, finishedAt: null } } })],
      },
    },
  },
  cases: {
    'what belongs to the features is dropped': spec(
      {
        resources: { limits: { cpu: '1', memory: '1Gi' } },
        hostnameOverride: 'x',
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'a',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: {},
            matchLabelKeys: ['app'],
          },
        ],
        initContainers: [
          { name: 'a', image: 'x', restartPolicy: 'Never', restartPolicyRules: [rule] },
          { name: 'b', image: 'x', restartPolicy: 'Always', restartPolicyRules: [rule] },
        ],
      },
      { restartPolicy: 'Never', restartPolicyRules: [rule] },
    ),
    'variables from files are none': spec(
      { volumes: [{ name: 'v' }] },
      { env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'k' } } }] },
    ),
    'costs of deletion are not looked at': {
      create: 'pod',
      change: ({ metadata }) => {
        metadata.annotations = { 'controller.kubernetes.io/pod-deletion-cost': 'x' };
      },
    },
    'addresses are read as of old': spec({
      hostAliases: [{ ip: '010.0.0.1' }],
      dnsConfig: { nameservers: ['1.1.1.01'] },
    }),
    'a bound pod may have a nominated node': status('bound', { nominatedNodeName: 'other' }),
    'what belongs to the features is dropped from the status': status('stored', {
      resources: { requests: { cpu: '1' } },
      allocatedResources: { cpu: '1' },
      extendedResourceClaimStatus: { resourceClaimName: 'X' },
      containerStatuses: [
        container({
          allocatedResourcesStatus: [{ name: 'x', resources: [{ resourceID: 'a', health: 'Bad', message: '' }] }],
        }),
      ],
    }),
    'a container that succeeded does not restart': status('ended', { containerStatuses: [container({})] }),
    'containers that initialise are not resized': {
      update: 'stored',
      subresource: 'resize',
      change: ({ spec: fields }) => {
        fields.initContainers[0].resources.requests.cpu = '2';
      },
    },
  },
};
