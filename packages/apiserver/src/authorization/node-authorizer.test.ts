import { FeatureGates } from '@coxswain/api';
import type { PodCertificateRequest } from '@coxswain/api/certificates/v1beta1';
import type { PersistentVolume, Pod, PodSpec, PodStatus } from '@coxswain/api/core/v1';
import type { AuthorizationAttributes } from '@coxswain/component-base/authorization';
import { describe, expect, it } from 'vitest';
import { MemoryListers } from './memory-listers.test-data.ts';
import { NodeAuthorizer } from './node-authorizer.ts';
import { resourceAttributes } from './resource-attributes.ts';

const user = { username: 'system:node:n1', groups: ['system:nodes'] };
const get = (resource: string, name: string, namespace = 'ns', apiGroup = ''): AuthorizationAttributes =>
  resourceAttributes({ user, verb: 'get', apiGroup, resource, namespace, name });

const pod = (name: string, nodeName: string, spec: Partial<PodSpec> = {}, status: PodStatus = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ns', uid: name },
  spec: { nodeName, containers: [], ...spec },
  status,
});
const withSecret = (secretName: string): Partial<PodSpec> => ({ volumes: [{ name: 'v', secret: { secretName } }] });

function world(gates?: FeatureGates) {
  const listers = new MemoryListers();
  const authorizer = new NodeAuthorizer(listers, gates);
  const allows = async (attributes: AuthorizationAttributes) =>
    (await authorizer.authorize(attributes)).decision === 'allow';
  return { listers, authorizer, allows };
}

describe('access to objects that pods on a node refer to', () => {
  const references: Record<string, [spec: Partial<PodSpec>, resource: string, name: string]> = {
    'an init container’s environment': [
      { initContainers: [{ name: 'c', envFrom: [{ secretRef: { name: 'x' } }] }] },
      'secrets',
      'x',
    ],
    'a variable': [
      { containers: [{ name: 'c', env: [{ name: 'E', valueFrom: { configMapKeyRef: { name: 'x', key: 'k' } } }] }] },
      'configmaps',
      'x',
    ],
    'a CSI volume': [
      { volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 'x' } } }] },
      'secrets',
      'x',
    ],
    'an RBD volume': [
      { volumes: [{ name: 'v', rbd: { image: 'i', monitors: [], secretRef: { name: 'x' } } }] },
      'secrets',
      'x',
    ],
    'a projected secret': [
      { volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 'x' } }] } }] },
      'secrets',
      'x',
    ],
    'an ephemeral volume': [{ volumes: [{ name: 'v', ephemeral: {} }] }, 'persistentvolumeclaims', 'p-v'],
    'a service account': [{ serviceAccountName: 'x' }, 'serviceaccounts', 'x'],
  };
  it.each(Object.entries(references))('%s', async (_, [spec, resource, name]) => {
    const { listers, allows } = world();
    listers.set(pod('p', 'n2', spec));
    expect(await allows(get(resource, name))).toBe(false);
    listers.set(pod('p', 'n1', spec));
    expect(await allows(get(resource, name))).toBe(true);
    expect(await allows(get(resource, name, 'other'))).toBe(false);
  });

  it('ends when the last pod that refers to them is deleted', async () => {
    const { listers, allows } = world();
    listers.set(pod('p', 'n1', withSecret('x')), pod('q', 'n1', withSecret('x')));
    listers.of('', 'pods').delete('ns', 'p');
    expect(await allows(get('secrets', 'x'))).toBe(true);
    listers.of('', 'pods').delete('ns', 'q');
    expect(await allows(get('secrets', 'x'))).toBe(false);
  });

  it('includes references of ephemeral containers', async () => {
    const { listers, allows } = world();
    listers.set(pod('p', 'n1'));
    const debug = { name: 'd', envFrom: [{ secretRef: { name: 'x' } }] };
    listers.set(pod('p', 'n1', { ephemeralContainers: [debug] }));
    expect(await allows(get('secrets', 'x'))).toBe(true);
  });

  it('follows the references of a recreated pod', async () => {
    const { listers, allows } = world();
    listers.set(pod('p', 'n1', withSecret('x')));
    const again = pod('p', 'n1', withSecret('y'));
    listers.set({ ...again, metadata: { ...again.metadata, uid: 'new' } });
    expect([await allows(get('secrets', 'x')), await allows(get('secrets', 'y'))]).toEqual([false, true]);
  });

  it('is not granted by a mirror pod, which the node creates itself', async () => {
    const { listers, allows } = world();
    const mirror = pod('p', 'n1', { ...withSecret('x'), serviceAccountName: 'x' });
    listers.set({
      ...mirror,
      metadata: { ...mirror.metadata, annotations: { 'kubernetes.io/config.mirror': '' } },
    } as Pod);
    expect(await allows(get('pods', 'p'))).toBe(true);
    expect(await allows(get('secrets', 'x'))).toBe(false);
    expect(await allows(get('serviceaccounts', 'x'))).toBe(false);
  });

  it('includes generated resource claims once they are in the status', async () => {
    const { listers, allows } = world();
    const spec: Partial<PodSpec> = {
      resourceClaims: [
        { name: 'a', resourceClaimName: 'named' },
        { name: 'b', resourceClaimTemplateName: 't' },
      ],
    };
    const claim = (name: string) => get('resourceclaims', name, 'ns', 'resource.k8s.io');
    listers.set(pod('p', 'n1', spec));
    expect([await allows(claim('named')), await allows(claim('made'))]).toEqual([true, false]);
    listers.set(pod('p', 'n1', spec, { resourceClaimStatuses: [{ name: 'b', resourceClaimName: 'made' }] }));
    expect(await allows(claim('made'))).toBe(true);
    listers.set(
      pod('q', 'n1', {}, { extendedResourceClaimStatus: { resourceClaimName: 'extended', requestMappings: [] } }),
    );
    expect(await allows(claim('extended'))).toBe(true);
  });
});

describe('persistent volumes', () => {
  const volume = (claim: string | undefined, source: Partial<PersistentVolume['spec']>): PersistentVolume => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: { ...(claim && { claimRef: { namespace: 'ns', name: claim } }), ...source },
  });
  const mounted = pod('p', 'n1', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }] });

  const secrets: Record<string, [source: Partial<PersistentVolume['spec']>, namespace: string, readable: boolean]> = {
    'without a namespace, in that of the claim': [
      { iscsi: { targetPortal: '', iqn: '', lun: 0, secretRef: { name: 'x' } } },
      'ns',
      true,
    ],
    'with a namespace': [{ azureFile: { shareName: '', secretName: 'x', secretNamespace: 'az' } }, 'az', true],
    'for expansion on the node': [
      { csi: { driver: '', volumeHandle: '', nodeExpandSecretRef: { namespace: 's', name: 'x' } } },
      's',
      true,
    ],
    'for expansion by the controller': [
      { csi: { driver: '', volumeHandle: '', controllerExpandSecretRef: { namespace: 's', name: 'x' } } },
      's',
      false,
    ],
  };
  it.each(Object.entries(secrets))('grant access to secrets: %s', async (_, [source, namespace, readable]) => {
    const { listers, allows } = world();
    listers.set(mounted, volume('claim', source));
    expect(await allows(get('secrets', 'x', namespace))).toBe(readable);
    listers.set(volume('other', source));
    expect(await allows(get('secrets', 'x', namespace))).toBe(false);
    expect(await allows(get('persistentvolumes', 'pv', ''))).toBe(false);
  });

  it('are accessible in whatever order the objects arrive, until the claim reference or the pod is gone', async () => {
    const { listers, allows } = world();
    const wanted = get('persistentvolumes', 'pv', '');
    listers.set(volume('claim', {}));
    expect(await allows(wanted)).toBe(false);
    listers.set(mounted);
    expect(await allows(wanted)).toBe(true);
    listers.set(volume(undefined, {}));
    expect(await allows(wanted)).toBe(false);
    listers.set(volume('claim', {}));
    listers.of('', 'pods').delete('ns', 'p');
    expect(await allows(wanted)).toBe(false);
  });
});

describe('feature gates', () => {
  it('let nodes request pod certificates', async () => {
    const { listers, authorizer } = world(new FeatureGates({ PodCertificateRequest: true }));
    const request: Partial<PodCertificateRequest> = {
      apiVersion: 'certificates.k8s.io/v1beta1',
      kind: 'PodCertificateRequest',
      metadata: { name: 'r', namespace: 'ns' },
    };
    listers.set(Object.assign({ spec: { nodeName: 'n1' } }, request));
    const ask = async (change: Partial<AuthorizationAttributes>) => {
      const attributes = { ...get('podcertificaterequests', '', 'ns', 'certificates.k8s.io'), ...change };
      const { decision, reason } = await authorizer.authorize(attributes);
      return reason || decision;
    };
    expect(await ask({ name: 'r' })).toBe('allow');
    expect(await ask({ name: 's' })).toBe("no relationship found between node 'n1' and this object");
    expect(await ask({ verb: 'create' })).toBe('allow');
    expect(await ask({ verb: 'list', fieldSelector: 'spec.nodeName=n1' })).toBe('allow');
    const otherwise = 'can only list/watch podcertificaterequests with nodeName field selector';
    expect(await ask({ verb: 'list', fieldSelector: 'spec.nodeName!=n1' })).toBe(otherwise);
    expect(await ask({ verb: 'list', fieldSelector: 'nonsense' })).toBe(otherwise);
    expect(await ask({ verb: 'delete', name: 'r' })).toBe('nodes may not delete podcertificaterequests');
    expect(await ask({ verb: 'update', name: 'r', subresource: 'status' })).toBe(
      'nodes may not access the status subresource of PodCertificateRequests',
    );
  });

  it('prevent nodes from reading service accounts when off', async () => {
    const { authorizer } = world(new FeatureGates({ KubeletServiceAccountTokenForCredentialProviders: false }));
    const { reason } = await authorizer.authorize(get('serviceaccounts', 'x'));
    expect(reason).toBe('not allowed to get service accounts');
  });
});

it('does not support listing the rules of nodes, and lists none for others', async () => {
  const { authorizer, listers } = world();
  const nothing = { resourceRules: [], nonResourceRules: [] };
  expect(await authorizer.rulesFor(user)).toEqual({
    ...nothing,
    incomplete: true,
    evaluationError: 'node authorizer does not support user rule resolution',
  });
  expect(await authorizer.rulesFor({ username: 'ann' })).toEqual({ ...nothing, incomplete: false });
  authorizer.close();
  expect(listers.followers).toBe(0);
});
