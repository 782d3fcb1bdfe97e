import { FeatureGates } from '@coxswain/api';
import { consoleLogger } from '@coxswain/apimachinery/log';
import type { ApiServer } from '../../src/server/api-server.ts';
import type { ApiServerConfig } from '../../src/server/api-server-config.ts';
import { startTestServer as startServer } from '../test-server.ts';
import type { ServerName } from './scenario.ts';

export { tokens } from '../test-server.ts';

/** The configurations of the recorded servers. */
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

/** Starts a server over a memory store, without a port. The caller must stop it. */
export async function startTestServer(name: ServerName): Promise<ApiServer> {
  const { server } = await startServer(
    {},
    {
      runtimeConfig: new Map(),
      disabledAdmissionPlugins: [],
      logger: consoleLogger,
      ...flags[name],
    },
  );
  return server;
}
