import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueKeyPair } from '@coxswain/client/x509';
import { withDefaults } from '@coxswain/component-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControllerManagerOptions, controllerManagerFlags } from './controller-manager-flags.ts';
import { signingOptions } from './signing-options.ts';

let folder: string;
const file = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signing-options-'));
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  for (const name of ['nodes', 'users']) {
    const pair = issueKeyPair({ commonName: name, isCA: true, ...validity });
    await writeFile(file(`${name}.crt`), pair.certificatePem);
    await writeFile(file(`${name}.key`), pair.keyPem);
  }
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns the CA of each signer by the signer's name. */
async function authoritiesOf(options: ControllerManagerOptions): Promise<unknown> {
  const signing = await signingOptions(withDefaults(controllerManagerFlags, options), () => new Date());
  if (!signing) return undefined;
  const { authorities } = signing;
  if (typeof authorities === 'function') return authorities().certificate.x509.subject;
  return Object.fromEntries(
    Object.entries(authorities).map(([signer, authority]) => [signer, authority?.().certificate.x509.subject]),
  );
}

describe('signingOptions', () => {
  it('has one CA for all signers', async () => {
    const files = { clusterSigningCertFile: file('users.crt'), clusterSigningKeyFile: file('users.key') };
    expect(await authoritiesOf(files)).toBe('CN=users');
  });

  it('has a CA for each signer with files, and none for the others', async () => {
    expect(
      await authoritiesOf({
        clusterSigningKubeletServingCertFile: file('nodes.crt'),
        clusterSigningKubeletServingKeyFile: file('nodes.key'),
        clusterSigningKubeletClientCertFile: file('nodes.crt'),
        clusterSigningKubeletClientKeyFile: file('nodes.key'),
        clusterSigningKubeApiserverClientCertFile: file('users.crt'),
        clusterSigningKubeApiserverClientKeyFile: file('users.key'),
      }),
    ).toEqual({
      'kubernetes.io/kubelet-serving': 'CN=nodes',
      'kubernetes.io/kube-apiserver-client-kubelet': 'CN=nodes',
      'kubernetes.io/kube-apiserver-client': 'CN=users',
    });
  });

  it('is undefined without files', async () => {
    expect(await authoritiesOf({})).toBeUndefined();
  });

  it('rejects a key that does not match its certificate', async () => {
    const files = {
      clusterSigningLegacyUnknownCertFile: file('nodes.crt'),
      clusterSigningLegacyUnknownKeyFile: file('users.key'),
    };
    await expect(authoritiesOf(files)).rejects.toThrow('nodes.crt: the private key is for another certificate');
  });
});
