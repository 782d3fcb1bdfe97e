import { generateKeyPairSync } from 'node:crypto';
import { FeatureGates } from '@coxswain/api';
import { openMemoryStore } from '@coxswain/storage';
import { StaticTokenAuthenticator } from '../../src/authentication/index.ts';
import { SocketDialer } from '../../src/proxy/index.ts';
import { ApiServer } from '../../src/server/api-server.ts';
import type { ApiServerConfig } from '../../src/server/api-server-config.ts';
import { systemRandom } from '../../src/server/random.ts';
import { toSigningKey } from '../../src/serviceaccount/keys.ts';
import { PortRange } from '../../src/services/index.ts';
import type { ServerName } from './scenario.ts';

const issuer = 'https://kubernetes.default.svc';

/** As the recordings' servers were started. */
const flags: Readonly<Record<ServerName, Partial<ApiServerConfig>>> = {
  plain: {
    authorizationModes: ['AlwaysAllow'],
    runtimeConfig: new Map([['api/all', 'true']]),
    serviceClusterIPRanges: ['10.96.0.0/16', 'fd00:10:96::/112'],
    disabledAdmissionPlugins: [
      'ServiceAccount',
      'Priority',
      'PodSecurity',
      'DefaultTolerationSeconds',
      'LimitRanger',
      'TaintNodesByCondition',
      'StorageObjectInUseProtection',
      'DefaultStorageClass',
      'RuntimeClass',
      'ResourceQuota',
      'DefaultIngressClass',
      'PersistentVolumeClaimResize',
      'CertificateApproval',
      'CertificateSigning',
      'CertificateSubjectRestriction',
      'ClusterTrustBundleAttest',
      'NodeRestriction',
    ],
  },
  default: { authorizationModes: ['Node', 'RBAC'] },
  strict: {
    authorizationModes: ['Node', 'RBAC'],
    runtimeConfig: new Map([['api/all', 'true']]),
    features: new FeatureGates({
      GenericWorkload: true,
      GangScheduling: true,
      WorkloadWithJob: true,
      WorkloadAwarePreemption: true,
      PodCertificateRequest: true,
    }),
    enabledAdmissionPlugins: [
      'NodeRestriction',
      'OwnerReferencesPermissionEnforcement',
      'AlwaysPullImages',
      'DenyServiceExternalIPs',
      'ExtendedResourceToleration',
      'LimitPodHardAntiAffinityTopology',
      'PodNodeSelector',
      'PodTolerationRestriction',
      'NamespaceAutoProvision',
    ],
    admissionConfiguration: {
      PodNodeSelector: new Map([['clusterDefaultNodeSelector', 'region=west']]),
      PodTolerationRestriction: { default: [{ key: 'team', operator: 'Exists' }], whitelist: [] },
    },
  },
};

export const tokens = { admin: 'admin-token', alice: 'alice-token' };

/** A server over memory, without a port, started. Whoever starts one stops it. */
export async function startTestServer(name: ServerName): Promise<ApiServer> {
  const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const server = new ApiServer({
    store: await openMemoryStore(),
    storePrefix: '/registry',
    features: FeatureGates.defaults,
    runtimeConfig: new Map(),
    advertiseAddress: '192.0.2.1',
    serviceClusterIPRanges: ['10.96.0.0/16'],
    serviceNodePortRange: new PortRange(30000, 2768),
    authentication: {
      anonymous: true,
      bootstrapTokens: true,
      tokenFile: new StaticTokenAuthenticator([
        [tokens.admin, { username: 'admin', uid: 'uid1', groups: ['system:masters'] }],
        [tokens.alice, { username: 'alice', uid: 'uid2', groups: ['dev'] }],
        ['n1', { username: 'system:node:n1', uid: 'uid3', groups: ['system:nodes'] }],
        ['n2', { username: 'system:node:n2', uid: 'uid4', groups: ['system:nodes'] }],
        ['nobody', { username: 'system:node:', uid: 'uid5', groups: ['system:nodes'] }],
      ]),
      clusterInfo: () => ({}),
    },
    authorizationModes: ['Node', 'RBAC'],
    serviceAccounts: {
      issuers: [issuer],
      signingKey: key,
      keys: [key],
      apiAudiences: [issuer],
      extendExpiration: true,
      lookup: true,
    },
    dialer: new SocketDialer(),
    enabledAdmissionPlugins: [],
    disabledAdmissionPlugins: [],
    allowPrivileged: true,
    eventTtlSeconds: 3600,
    maxRequestsInFlight: 400,
    maxMutatingRequestsInFlight: 200,
    requestTimeoutMs: 60_000,
    minRequestTimeoutMs: 1_800_000,
    shutdownDelayMs: 0,
    shutdownGraceMs: 2_000,
    hostname: 'localhost',
    logger: { info: () => undefined, error: (message, error) => console.error(message, error) },
    now: () => new Date(),
    random: systemRandom,
    ...flags[name],
  });
  await server.start();
  return server;
}
