import { loggingFlags } from '@coxswain/component-base/logs';
import {
  boolean,
  type Completed,
  duration,
  flag,
  float,
  type Given,
  integer,
  string,
  stringArray,
  strings,
} from '@coxswain/component-base';
import { leaderElectionFlags } from '@coxswain/component-base/leader-election';
import { servingFlagGroups } from '@coxswain/component-base/serving';

/** 10257 is kube-controller-manager's port. */
const serving = servingFlagGroups(10257);

/** The flags for the CA of one signer. */
const signer = (name: string) =>
  [
    flag(string, `CA certificate of the signer kubernetes.io/${name}, if it has its own`),
    flag(string, 'Private key of that CA certificate'),
  ] as const;
const [kubeletServingCertificate, kubeletServingKey] = signer('kubelet-serving');
const [kubeletClientCertificate, kubeletClientKey] = signer('kube-apiserver-client-kubelet');
const [apiServerClientCertificate, apiServerClientKey] = signer('kube-apiserver-client');
const [legacyUnknownCertificate, legacyUnknownKey] = signer('legacy-unknown');

/** The supported flags in the groups of `--help`. */
export const flagGroups = {
  Generic: {
    controllers: flag(
      strings,
      "Controllers to run: '*' means all that are on by default, 'foo' turns one on, '-foo' turns one off",
      ['*'],
    ),
    'kube-api-qps': flag(float, 'Average requests per second to the API server', 20),
    'kube-api-burst': flag(integer, 'Maximum burst of requests to the API server', 30),
    'cluster-cidr': flag(strings, 'CIDRs for pods, of which --allocate-node-cidrs assigns a part to every node'),
    'allocate-node-cidrs': flag(boolean, 'Assign a part of --cluster-cidr to every node', false),
    'service-cluster-ip-range': flag(strings, 'CIDRs of services, which are not assigned to nodes'),
    'node-monitor-period': flag(duration, 'How often the health of nodes is checked', '5s'),
    profiling: flag(boolean, 'Serve profiles of this process under /debug/pprof/', true),
    'feature-gates': flag(stringArray, 'Features to turn on or off, such as ComponentFlagz=false', []),
    'use-service-account-credentials': flag(
      boolean,
      'Run each controller as its own service account, with only the permissions that it needs',
      false,
    ),
  },
  'Leader election': leaderElectionFlags('kube-controller-manager'),
  ...serving,
  Certificates: {
    'root-ca-file': flag(string, 'CA certificates for clients in the cluster, published in every namespace'),
    'service-account-private-key-file': flag(string, 'Private key that signs the tokens in Secrets'),
    'cluster-signing-cert-file': flag(string, 'CA certificate that signs CertificateSigningRequests'),
    'cluster-signing-key-file': flag(string, 'Private key of that CA certificate'),
    'cluster-signing-kubelet-serving-cert-file': kubeletServingCertificate,
    'cluster-signing-kubelet-serving-key-file': kubeletServingKey,
    'cluster-signing-kubelet-client-cert-file': kubeletClientCertificate,
    'cluster-signing-kubelet-client-key-file': kubeletClientKey,
    'cluster-signing-kube-apiserver-client-cert-file': apiServerClientCertificate,
    'cluster-signing-kube-apiserver-client-key-file': apiServerClientKey,
    'cluster-signing-legacy-unknown-cert-file': legacyUnknownCertificate,
    'cluster-signing-legacy-unknown-key-file': legacyUnknownKey,
    'cluster-signing-duration': flag(duration, 'Maximum validity of signed certificates', '8760h0m0s'),
  },
  Nodes: {
    'node-monitor-grace-period': flag(duration, 'How long a node may be silent before it is marked unhealthy', '50s'),
    'node-eviction-rate': flag(float, 'Nodes per second whose pods are evicted in a healthy zone', 0.1),
    'secondary-node-eviction-rate': flag(float, 'Nodes per second in a large unhealthy zone', 0.01),
    'unhealthy-zone-threshold': flag(float, 'A zone is unhealthy when this fraction of its nodes is not ready', 0.55),
    'large-cluster-size-threshold': flag(integer, 'Zones with more nodes than this are large', 50),
    'node-cidr-mask-size-ipv4': flag(integer, 'Prefix length of the IPv4 range of a node', 24),
    'node-cidr-mask-size-ipv6': flag(integer, 'Prefix length of the IPv6 range of a node', 64),
    'terminated-pod-gc-threshold': flag(integer, 'Terminated pods beyond this number are deleted; 0 for none', 12_500),
  },
  Endpoints: {
    'max-endpoints-per-slice': flag(integer, 'Maximum number of endpoints in an EndpointSlice', 100),
    'endpoint-updates-batch-period': flag(duration, 'How long changes of pods are batched for Endpoints', '0s'),
    'endpointslice-updates-batch-period': flag(
      duration,
      'How long changes of pods are batched for EndpointSlices',
      '0s',
    ),
    'mirroring-endpointslice-updates-batch-period': flag(
      duration,
      'How long changes of mirrored EndpointSlices are batched',
      '0s',
    ),
    'mirroring-max-endpoints-per-subset': flag(
      integer,
      'Addresses of a subset beyond this number are not mirrored',
      1000,
    ),
  },
  'Horizontal pod autoscaler': {
    'horizontal-pod-autoscaler-sync-period': flag(duration, 'How often autoscalers read metrics', '15s'),
    'horizontal-pod-autoscaler-downscale-stabilization': flag(
      duration,
      'How long recommendations must stay low before scaling down',
      '5m0s',
    ),
    'horizontal-pod-autoscaler-tolerance': flag(
      float,
      'Relative deviation of usage from its target that is tolerated',
      0.1,
    ),
    'horizontal-pod-autoscaler-cpu-initialization-period': flag(
      duration,
      'Age of a pod before which its CPU usage may be ignored',
      '5m0s',
    ),
    'horizontal-pod-autoscaler-initial-readiness-delay': flag(
      duration,
      'Time after its start in which a pod may first become ready',
      '30s',
    ),
  },
  Other: {
    'legacy-service-account-token-clean-up-period': flag(
      duration,
      'How long tokens in Secrets must be unused before they are deleted',
      '8760h0m0s',
    ),
    'pvclaimbinder-sync-period': flag(duration, 'How often all claims and volumes are reconciled again', '15s'),
    kubeconfig: flag(string, 'Kubeconfig file with the API server and the credentials'),
    master: flag(string, 'Address of the API server; overrides the kubeconfig'),
  },
  Logs: loggingFlags,
} as const;

/** All supported flags by name. */
export const controllerManagerFlags = {
  ...flagGroups.Generic,
  ...flagGroups['Leader election'],
  ...flagGroups['Secure serving'],
  ...flagGroups.Authentication,
  ...flagGroups.Authorization,
  ...flagGroups.Certificates,
  ...flagGroups.Nodes,
  ...flagGroups.Endpoints,
  ...flagGroups['Horizontal pod autoscaler'],
  ...flagGroups.Other,
  ...flagGroups.Logs,
};

/** The options given on the command line, by the flags' names in camel case. */
export type ControllerManagerOptions = Given<typeof controllerManagerFlags>;

/** The options with defaults applied. */
export type ControllerManagerSettings = Completed<typeof controllerManagerFlags>;
