import { expect, it } from 'vitest';
import { certificates, encoded, pem, requests } from '../../../test/certificates.ts';
import { setSigningRequestDefaults } from './signing-request-defaults.ts';

const client = ['digital signature', 'key encipherment', 'client auth'];
const serving = ['server auth', 'digital signature'];

it.each([
  ["a node's client", requests.nodeClient, client, 'kubernetes.io/kube-apiserver-client-kubelet'],
  ["a node's server", requests.nodeServing, serving, 'kubernetes.io/kubelet-serving'],
  ["a node's client with a server's usages", requests.nodeClient, serving, 'kubernetes.io/legacy-unknown'],
  ["a node's server with a client's usages", requests.nodeServing, client, 'kubernetes.io/legacy-unknown'],
  ['a node with other names', requests.nodeWithUri, serving, 'kubernetes.io/legacy-unknown'],
  ['a client with more usages', requests.nodeClient, [...client, 'any'], 'kubernetes.io/legacy-unknown'],
  ['a person', requests.ecdsa, client, 'kubernetes.io/legacy-unknown'],
  ['an unreadable request', certificates.ca, client, 'kubernetes.io/legacy-unknown'],
])('the signer for %s follows from the request', (_, request, usages, signerName) => {
  const object = { metadata: {}, spec: { request: encoded(pem(request)), usages } };
  setSigningRequestDefaults(object);
  expect(object.spec).toEqual({ ...object.spec, signerName });
});

it('usages and the status of conditions have defaults', () => {
  const object = {
    metadata: {},
    spec: { signerName: 'a.b/c' },
    status: { conditions: [{ type: 'Approved', status: '' }] },
  };
  setSigningRequestDefaults(object);
  expect(object.spec).toEqual({ signerName: 'a.b/c', usages: ['digital signature', 'key encipherment'] });
  expect(object.status.conditions).toEqual([{ type: 'Approved', status: 'True' }]);
});
