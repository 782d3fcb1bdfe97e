import { describe, expect, it } from 'vitest';
import { admit, creates, newContext, pod, updates } from '../plugin-runner.test-data.ts';
import { serviceAccount } from './service-account.ts';

const account = (name: string, more: object = {}, annotations?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: 'ns', ...(annotations && { annotations }) },
  ...more,
});
const mount = {
  name: 'kube-api-access-xxxxx',
  readOnly: true,
  mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
};

const strict = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
const held = account('held', { secrets: [{ name: 'mine' }], imagePullSecrets: [{ name: 'pull' }] }, strict);
const asHeld = (spec: object) =>
  creates(pod({ serviceAccountName: 'held', automountServiceAccountToken: false, ...spec }));
const unheld = (what: string, kind = 'secret') =>
  `pods "p" is forbidden: ${what} is not allowed because service account held does not reference that ${kind}`;

describe('ServiceAccount', () => {
  it('sets the account, token volume and image pull secrets of a pod', async () => {
    const context = newContext([account('default', { imagePullSecrets: [{ name: 'pull' }] })]);
    expect(await admit(serviceAccount(context), creates(pod()))).toMatchObject({
      spec: {
        serviceAccountName: 'default',
        serviceAccount: 'default',
        imagePullSecrets: [{ name: 'pull' }],
        containers: [{ name: 'c', image: 'i', volumeMounts: [mount] }],
        volumes: [{ name: mount.name, projected: { defaultMode: 420 } }],
      },
    });
  });

  const cases: Record<string, [Parameters<typeof admit>[1], unknown]> = {
    'a missing account': [
      creates(pod({ serviceAccountName: 'lost' })),
      'pods "p" is forbidden: error looking up service account ns/lost: serviceaccount "lost" not found',
    ],
    'an update of a pod': [updates(pod(), pod()), pod()],
    'a pod without automount': [
      creates(
        pod({ serviceAccountName: 'held', automountServiceAccountToken: false, imagePullSecrets: [{ name: 'pull' }] }),
      ),
      pod({ serviceAccountName: 'held', automountServiceAccountToken: false, imagePullSecrets: [{ name: 'pull' }] }),
    ],
    'a volume of another secret': [
      asHeld({ volumes: [{ name: 'v', secret: { secretName: 'other' } }] }),
      unheld('volume with secret.secretName="other"'),
    ],
    'a variable of another secret': [
      asHeld({ containers: [{ name: 'c', env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 'other' } } }] }] }),
      unheld('container c with envVar E referencing secret.secretName="other"'),
    ],
    'envFrom of another secret': [
      asHeld({ initContainers: [{ name: 'i', envFrom: [{ secretRef: { name: 'other' } }] }] }),
      unheld('init container i with envFrom referencing secret.secretName="other"'),
    ],
    'another image pull secret': [
      asHeld({ imagePullSecrets: [{ name: 'pull' }, { name: 'mine' }] }),
      unheld('imagePullSecrets[1].name="mine"', 'imagePullSecret'),
    ],
    'a mirror pod': [
      creates(pod({}, { annotations: { 'kubernetes.io/config.mirror': '' } })),
      pod({}, { annotations: { 'kubernetes.io/config.mirror': '' } }),
    ],
    'a mirror pod with a secret': [
      creates(pod({ imagePullSecrets: [{ name: 's' }] }, { annotations: { 'kubernetes.io/config.mirror': '' } })),
      'pods "p" is forbidden: a mirror pod may not reference secrets',
    ],
    'an ephemeral container': [
      {
        send: 'UPDATE v1 pods/ephemeralcontainers Pod',
        object: pod({
          serviceAccountName: 'held',
          ephemeralContainers: [{ name: 'e', envFrom: [{ secretRef: { name: 'other' } }] }],
        }),
        oldObject: pod(),
      },
      'ephemeral container e with envFrom referencing secret.secretName="other" is not allowed because service account held does not reference that secret',
    ],
  };
  it.each(Object.entries(cases))('%s', async (_, [write, expected]) => {
    expect(await admit(serviceAccount(newContext([held])), write)).toEqual(expected);
  });

  it('waits for the default account', async () => {
    const context = newContext([]);
    const admitted = admit(serviceAccount(context), creates(pod({ automountServiceAccountToken: false })));
    while (context.listers.followers === 0) await Promise.resolve();
    context.listers.set(account('other'), account('default'));
    expect(await admitted).toMatchObject({ spec: { serviceAccountName: 'default' } });
    expect(context.listers.followers).toBe(0);
  });
});
