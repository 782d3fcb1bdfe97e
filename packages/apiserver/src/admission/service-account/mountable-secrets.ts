import type { Container, EphemeralContainer, Pod, ServiceAccount } from '@coxswain/api/core/v1';

/** A reference to a secret, with the start of the error message. */
interface SecretReference {
  readonly secret: string;
  readonly by: string;
  /** Set for image pull secrets, which have a separate list. */
  readonly pulls?: true;
}

/** The references of a pod to secrets. `onlyEphemeral`: only those of ephemeral containers, for updates of them. */
export function* podReferencesOf({ spec }: Pod, onlyEphemeral: boolean): Generator<SecretReference> {
  if (onlyEphemeral) {
    yield* containerReferences('ephemeral container', spec?.ephemeralContainers);
    return;
  }
  for (const { secret } of spec?.volumes ?? []) {
    if (!secret) continue;
    const { secretName = '' } = secret;
    yield { secret: secretName, by: `volume with secret.secretName=${quoted(secretName)}` };
  }
  yield* containerReferences('init container', spec?.initContainers);
  yield* containerReferences('container', spec?.containers);
  for (const [i, { name = '' }] of (spec?.imagePullSecrets ?? []).entries())
    yield { secret: name, by: `imagePullSecrets[${i}].name=${quoted(name)}`, pulls: true };
}

function* containerReferences(
  kind: string,
  containers: readonly (Container | EphemeralContainer)[] = [],
): Generator<SecretReference> {
  for (const { name, env = [], envFrom = [] } of containers) {
    for (const { name: variable, valueFrom } of env) {
      const secret = valueFrom?.secretKeyRef && (valueFrom.secretKeyRef.name ?? '');
      if (secret !== undefined) yield { secret, by: `${kind} ${name} with envVar ${variable} ${referencing(secret)}` };
    }
    for (const { secretRef } of envFrom) {
      const secret = secretRef && (secretRef.name ?? '');
      if (secret !== undefined) yield { secret, by: `${kind} ${name} with envFrom ${referencing(secret)}` };
    }
  }
}

const referencing = (secret: string): string => `referencing secret.secretName=${quoted(secret)}`;

/** Returns an error when the account's pods must not refer to one of the secrets; undefined otherwise. */
export function mountableSecretProblem(
  { metadata, secrets = [], imagePullSecrets = [] }: ServiceAccount,
  references: Iterable<SecretReference>,
): string | undefined {
  const mountable = new Set(secrets.map(({ name }) => name));
  const pullable = new Set(imagePullSecrets.map(({ name }) => name));
  for (const { secret, by, pulls } of references) {
    if ((pulls ? pullable : mountable).has(secret)) continue;
    const what = pulls ? 'imagePullSecret' : 'secret';
    return `${by} is not allowed because service account ${metadata.name} does not reference that ${what}`;
  }
  return undefined;
}

/** Quotes without escaping, as in upstream's messages. */
const quoted = (text: string): string => `"${text}"`;
