import { ownEntry } from '@coxswain/apimachinery';
import type { ServiceAccount } from '../../generated/core/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';

const enforceMountableSecrets = 'kubernetes.io/enforce-mountable-secrets';
const hasAnnotation = (account: ServiceAccount): boolean =>
  ownEntry(account.metadata.annotations, enforceMountableSecrets) !== undefined;
const deprecation = `metadata.annotations[${enforceMountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;

/** Drops all fields of secret references but the name: they are always in the account's namespace. */
function cleanSecretReferences(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  revalidatesMetadata: true,
  prepareForCreate: cleanSecretReferences,
  prepareForUpdate: cleanSecretReferences,
  warningsOnCreate: (account) => (hasAnnotation(account) ? [deprecation] : []),
  warningsOnUpdate: (account, old) => (hasAnnotation(account) && !hasAnnotation(old) ? [deprecation] : []),
  table: {
    columns: columns('Name', 'Age'),
    row: ({ metadata }, context) => [metadata.name ?? '', translateTimestampSince(metadata.creationTimestamp, context)],
  },
};
