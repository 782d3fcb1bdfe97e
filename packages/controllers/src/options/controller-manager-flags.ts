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

/** kube-controller-manager's port. */
const serving = servingFlagGroups(10257);

/** The authority of one signer. */
const signer = (name: string) =>
  [
    flag(string, `Certificate of the authority of kubernetes.io/${name}, if it has one of its own`),
    flag(string, 'Its key'),
  ] as const;
const [kubeletServingCertificate, kubeletServingKey] = signer('kubelet-serving');
const [kubeletClientCertificate, kubeletClientKey] = signer('kube-apiserver-client-kubelet');
const [apiServerClientCertificate, apiServerClientKey] = signer('kube-apiserver-client');
const [legacyUnknownCertificate, legacyUnknownKey] = signer('legacy-unknown');

/** The flags that are honoured, as `--help` groups them. */
export const flagGroups = {
  Generic: {
    controllers: flag(
      strings,
      "Which run: '*' is all that are on by default, 'foo' turns one on, '-foo' turns one off",
      ['*'],
    ),
    'kube-api-qps': flag(float, 'Requests in a second to the API server, in the long run', 20),
    'kube-api-burst': flag(integer, 'Requests at once', 30),
    'cluster-cidr': flag(strings, 'Addresses for pods, of which --allocate-node-cidrs gives every node a part'),
    'allocate-node-cidrs': flag(boolean, 'Give every node a part of --cluster-cidr', false),
    'service-cluster-ip-range': flag(strings, 'Addresses of services, which no node is given'),
    'node-monitor-period': flag(duration, 'How often nodes are looked at', '5s'),
    profiling: flag(boolean, 'Serve profiles of this process under /debug/pprof/', true),
    'feature-gates': flag(stringArray, 'Features to turn on or off, such as ComponentFlagz=false', []),
    'use-service-account-credentials': flag(
      boolean,
      'Every controller acts as a service account of its own, with no more rights than it needs',
      false,
    ),
  },
  'Leader election': leaderElectionFlags('kube-controller-manager'),
  ...serving,
  Certificates: {
    'root-ca-file': flag(string, 'Certificates that clients inside the cluster trust: published in every namespace'),
    'service-account-private-key-file': flag(string, 'Key that signs the tokens of Secrets'),
    'cluster-signing-cert-file': flag(string, 'Certificate of the authority that signs requests'),
    'cluster-signing-key-file': flag(string, 'Its key'),
    'cluster-signing-kubelet-serving-cert-file': kubeletServingCertificate,
    'cluster-signing-kubelet-serving-key-file': kubeletServingKey,
    'cluster-signing-kubelet-client-cert-file': kubeletClientCertificate,
    'cluster-signing-kubelet-client-key-file': kubeletClientKey,
    'cluster-signing-kube-apiserver-client-cert-file': apiServerClientCertificate,
    'cluster-signing-kube-apiserver-client-key-file': apiServerClientKey,
    'cluster-signing-legacy-unknown-cert-file': legacyUnknownCertificate,
    'cluster-signing-legacy-unknown-key-file': legacyUnknownKey,
    'cluster-signing-duration': flag(duration, 'How long a signed certificate lasts at most', '8760h0m0s'),
  },
  Nodes: {
    'node-monitor-grace-period': flag(duration, 'How long a node may be silent until it is taken for gone', '50s'),
    'node-eviction-rate': flag(float, 'Nodes in a second whose pods are evicted when a zone is healthy', 0.1),
    'secondary-node-eviction-rate': flag(float, 'The same when a zone is not', 0.01),
    'unhealthy-zone-threshold': flag(float, 'A zone is not healthy when such a part of its nodes is not ready', 0.55),
    'large-cluster-size-threshold': flag(integer, 'A zone with more nodes is large', 50),
    'node-cidr-mask-size-ipv4': flag(integer, 'How large a part of IPv4 a node gets', 24),
    'node-cidr-mask-size-ipv6': flag(integer, 'How large a part of IPv6 a node gets', 64),
    'terminated-pod-gc-threshold': flag(integer, 'More pods that have ended are deleted; 0 for none', 12_500),
  },
  Endpoints: {
    'max-endpoints-per-slice': flag(integer, 'In an EndpointSlice', 100),
    'endpoint-updates-batch-period': flag(duration, 'How long changes of Endpoints wait for others', '0s'),
    'endpointslice-updates-batch-period': flag(duration, 'How long changes of EndpointSlices wait for others', '0s'),
    'mirroring-endpointslice-updates-batch-period': flag(duration, 'The same for mirrored ones', '0s'),
    'mirroring-max-endpoints-per-subset': flag(integer, 'More are not mirrored', 1000),
  },
  'Horizontal pod autoscaler': {
    'horizontal-pod-autoscaler-sync-period': flag(duration, 'How often metrics are looked at', '15s'),
    'horizontal-pod-autoscaler-downscale-stabilization': flag(duration, 'How long before it scales down', '5m0s'),
    'horizontal-pod-autoscaler-tolerance': flag(float, 'How far usage may be off its target, as a part of it', 0.1),
    'horizontal-pod-autoscaler-cpu-initialization-period': flag(duration, 'CPU of a younger pod may not count', '5m0s'),
    'horizontal-pod-autoscaler-initial-readiness-delay': flag(duration, 'A pod may become ready first', '30s'),
  },
  Other: {
    'legacy-service-account-token-clean-up-period': flag(
      duration,
      'Tokens of Secrets are deleted after so long without use',
      '8760h0m0s',
    ),
    'pvclaimbinder-sync-period': flag(duration, 'How often claims and volumes are looked at again', '15s'),
    kubeconfig: flag(string, 'How to reach the API server, and as whom'),
    master: flag(string, 'Address of the API server, instead of the kubeconfig’s'),
  },
  Logs: loggingFlags,
} as const;

/** By name. */
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

/** What may be given, by the flags' names as TypeScript writes them. */
export type ControllerManagerOptions = Given<typeof controllerManagerFlags>;

/** What they say once defaults are in place. */
export type ControllerManagerSettings = Completed<typeof controllerManagerFlags>;
