/**
 * The service accounts in `kube-system` whose names differ from those of their controllers. Their permissions are in the API
 * server's bootstrap policy.
 */
const accountsByController: Readonly<Record<string, string>> = {
  'bootstrap-signer-controller': 'bootstrap-signer',
  'certificatesigningrequest-approving-controller': 'certificate-controller',
  'certificatesigningrequest-cleaner-controller': 'certificate-controller',
  'certificatesigningrequest-signing-controller': 'certificate-controller',
  'daemonset-controller': 'daemon-set-controller',
  'endpoints-controller': 'endpoint-controller',
  'endpointslice-mirroring-controller': 'endpointslicemirroring-controller',
  'garbage-collector-controller': 'generic-garbage-collector',
  'horizontal-pod-autoscaler-controller': 'horizontal-pod-autoscaler',
  'kube-apiserver-serving-clustertrustbundle-publisher-controller':
    'kube-apiserver-serving-clustertrustbundle-publisher',
  'legacy-serviceaccount-token-cleaner-controller': 'legacy-service-account-token-cleaner',
  'node-ipam-controller': 'node-controller',
  'node-lifecycle-controller': 'node-controller',
  'persistentvolume-attach-detach-controller': 'attachdetach-controller',
  'persistentvolume-binder-controller': 'persistent-volume-binder',
  'persistentvolume-expander-controller': 'expand-controller',
  'persistentvolume-protection-controller': 'pv-protection-controller',
  'persistentvolumeclaim-protection-controller': 'pvc-protection-controller',
  'pod-garbage-collector-controller': 'pod-garbage-collector',
  'podcertificaterequest-cleaner-controller': 'podcertificaterequestcleaner',
  'replicationcontroller-controller': 'replication-controller',
  'resourceclaim-controller': 'resource-claim-controller',
  'root-ca-certificate-publisher-controller': 'root-ca-cert-publisher',
  'service-cidr-controller': 'service-cidrs-controller',
  'serviceaccount-controller': 'service-account-controller',
  'storageversion-garbage-collector-controller': 'storage-version-garbage-collector',
  'taint-eviction-controller': 'node-controller',
  'token-cleaner-controller': 'token-cleaner',
};

/** This controller creates the tokens of all service accounts, so it cannot have one itself. */
const withoutAccount: ReadonlySet<string> = new Set(['serviceaccount-token-controller']);

/** Returns the service account that a controller acts as, or undefined when it uses the controller manager's own credentials. */
export function serviceAccountOf(controller: string): string | undefined {
  if (withoutAccount.has(controller)) return undefined;
  return accountsByController[controller] ?? controller;
}
