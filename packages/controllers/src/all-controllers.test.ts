import { expect, it } from 'vitest';
import { allControllers, chosenControllers } from './all-controllers.ts';

const all = allControllers({
  rootCA: 'ca',
  signToken: () => '',
  signing: { authorities: {} },
});

it('allControllers returns the controllers of kube-controller-manager in its order, except two', () => {
  expect(all.map(({ name }) => name)).toEqual([
    'serviceaccount-token-controller',
    'endpoints-controller',
    'endpointslice-controller',
    'endpointslice-mirroring-controller',
    'replicationcontroller-controller',
    'pod-garbage-collector-controller',
    'resourcequota-controller',
    'namespace-controller',
    'serviceaccount-controller',
    'root-ca-certificate-publisher-controller',
    'garbage-collector-controller',
    'daemonset-controller',
    'job-controller',
    'podgroup-protection-controller',
    'deployment-controller',
    'replicaset-controller',
    'horizontal-pod-autoscaler-controller',
    'disruption-controller',
    'statefulset-controller',
    'cronjob-controller',
    'certificatesigningrequest-signing-controller',
    'certificatesigningrequest-approving-controller',
    'certificatesigningrequest-cleaner-controller',
    'podcertificaterequest-cleaner-controller',
    'ttl-controller',
    'bootstrap-signer-controller',
    'token-cleaner-controller',
    'node-ipam-controller',
    'node-lifecycle-controller',
    'persistentvolume-binder-controller',
    'persistentvolume-attach-detach-controller',
    'persistentvolume-expander-controller',
    'persistentvolumeclaim-protection-controller',
    'persistentvolume-protection-controller',
    'volumeattributesclass-protection-controller',
    'ttl-after-finished-controller',
    'kube-apiserver-serving-clustertrustbundle-publisher-controller',
    'ephemeral-volume-controller',
    'storageversion-garbage-collector-controller',
    'resourceclaim-controller',
    'resourcepoolstatusrequest-controller',
    'device-taint-eviction-controller',
    'legacy-serviceaccount-token-cleaner-controller',
    'taint-eviction-controller',
    'service-cidr-controller',
    'storage-version-migrator-controller',
    'selinux-warning-controller',
    'clusterrole-aggregation-controller',
  ]);
});

it('the same controllers as in upstream are off by default', () => {
  const off = all.filter((each) => !chosenControllers(all, ['*']).includes(each));
  expect(off.map(({ name }) => name)).toEqual([
    'bootstrap-signer-controller',
    'token-cleaner-controller',
    'selinux-warning-controller',
  ]);
});

it('names of upstream controllers that do not exist here are accepted', () => {
  const names = ['validatingadmissionpolicy-status-controller', '-service', '-route', '-cloud-node-lifecycle'];
  expect(chosenControllers(all, [...names, 'ttl'])).toEqual(all.filter(({ name }) => name === 'ttl-controller'));
});
