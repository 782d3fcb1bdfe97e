import type { Shape, Shaped } from '../framework/args-shape.ts';

const pluginReference = { name: 'string', weight: 'integer' } as const;
const pluginSet = { enabled: [pluginReference], disabled: [pluginReference] } as const;

const profile = {
  schedulerName: 'string',
  percentageOfNodesToScore: 'integer',
  plugins: {
    preEnqueue: pluginSet,
    queueSort: pluginSet,
    preFilter: pluginSet,
    filter: pluginSet,
    postFilter: pluginSet,
    preScore: pluginSet,
    score: pluginSet,
    reserve: pluginSet,
    permit: pluginSet,
    preBind: pluginSet,
    bind: pluginSet,
    postBind: pluginSet,
    multiPoint: pluginSet,
  },
  pluginConfig: [{ name: 'string', args: 'any' }],
} as const satisfies Shape;

const extender = {
  urlPrefix: 'string',
  filterVerb: 'string',
  preemptVerb: 'string',
  prioritizeVerb: 'string',
  bindVerb: 'string',
  weight: 'integer',
  enableHTTPS: 'boolean',
  tlsConfig: {
    insecure: 'boolean',
    serverName: 'string',
    certFile: 'string',
    keyFile: 'string',
    caFile: 'string',
    certData: 'string',
    keyData: 'string',
    caData: 'string',
  },
  httpTimeout: 'string',
  nodeCacheCapable: 'boolean',
  managedResources: [{ name: 'string', ignoredByScheduler: 'boolean' }],
  ignorable: 'boolean',
} as const satisfies Shape;

/** The fields of a KubeSchedulerConfiguration, except those of pod groups. */
export const configurationShape = {
  parallelism: 'integer',
  leaderElection: {
    leaderElect: 'boolean',
    leaseDuration: 'string',
    renewDeadline: 'string',
    retryPeriod: 'string',
    resourceLock: 'string',
    resourceName: 'string',
    resourceNamespace: 'string',
  },
  clientConnection: {
    kubeconfig: 'string',
    acceptContentTypes: 'string',
    contentType: 'string',
    qps: 'number',
    burst: 'integer',
  },
  enableProfiling: 'boolean',
  enableContentionProfiling: 'boolean',
  percentageOfNodesToScore: 'integer',
  podInitialBackoffSeconds: 'integer',
  podMaxBackoffSeconds: 'integer',
  profiles: [profile],
  extenders: [extender],
  delayCacheUntilActive: 'boolean',
} as const satisfies Shape;

/** The contents of a file: all fields are optional. */
export type GivenConfiguration = Shaped<typeof configurationShape>;
export type GivenProfile = Shaped<typeof profile>;
