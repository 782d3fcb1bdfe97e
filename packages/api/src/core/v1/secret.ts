import {
  base64ByteLength,
  decodeBase64,
  type ErrorList,
  encodeBase64,
  invalid,
  isConfigMapKey,
  isJsonObject,
  ownEntry,
  Path,
  required,
  setOwnEntry,
  tooLong,
  validateImmutableField,
} from '@coxswain/apimachinery';
import type { Secret } from '../../generated/core/v1.ts';
import { translateTimestampSince } from '../../strategy/print.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import { columns } from '../../strategy/table.ts';
import { invalidEach, sortedEntries } from './checks.ts';
import { maxDataSize, validateImmutable } from './config-map.ts';
import { JsonTextError, readJsonText } from './json-text.ts';
import { keyPairProblem } from './key-pair.ts';

const dataPath = Path.of('data');
const serviceAccountName = 'kubernetes.io/service-account.name';

/** Rules of the Secret types in addition to valid keys. Other types have none. */
const typeRules = new Map<string, (secret: Secret) => ErrorList>([
  [
    'kubernetes.io/service-account-token',
    ({ metadata: { annotations } }) =>
      ownEntry(annotations, serviceAccountName)
        ? []
        : [required(Path.of('metadata', 'annotations').key(serviceAccountName))],
  ],
  ['kubernetes.io/dockercfg', (secret) => validateJsonObject(secret, '.dockercfg')],
  ['kubernetes.io/dockerconfigjson', (secret) => validateJsonObject(secret, '.dockerconfigjson')],
  [
    'kubernetes.io/basic-auth',
    (secret) =>
      has(secret, 'username') || has(secret, 'password') ? [] : requiredKeys(secret, 'username', 'password'),
  ],
  ['kubernetes.io/ssh-auth', (secret) => (dataOf(secret, 'ssh-privatekey') ? [] : requiredKeys({}, 'ssh-privatekey'))],
  ['kubernetes.io/tls', (secret) => requiredKeys(secret, 'tls.crt', 'tls.key')],
]);

type Data = Pick<Secret, 'data'>;
const dataOf = ({ data }: Data, key: string): string | undefined => ownEntry(data, key);
const has = (secret: Data, key: string): boolean => dataOf(secret, key) !== undefined;
const requiredKeys = (secret: Data, ...keys: readonly string[]): ErrorList =>
  keys.filter((key) => !has(secret, key)).map((key) => required(dataPath.key(key)));

function validateJsonObject(secret: Data, key: string): ErrorList {
  const content = dataOf(secret, key);
  if (content === undefined) return requiredKeys(secret, key);
  try {
    readJsonText(decodeBase64(content), 'map[string]interface {}', isJsonObject);
    return [];
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return [invalid(dataPath.key(key), '<secret contents redacted>', error.message)];
  }
}

/** Sets the type, and moves stringData into data, which it overrides. */
export function setSecretDefaults(secret: Secret): void {
  secret.type ??= 'Opaque';
  if (!secret.stringData) return;
  const encoder = new TextEncoder();
  secret.data ??= {};
  for (const [key, text] of Object.entries(secret.stringData))
    setOwnEntry(secret.data, key, encodeBase64(encoder.encode(text)));
  delete secret.stringData;
}

function validateSecret(secret: Secret): ErrorList {
  const errors: ErrorList = [];
  let size = 0;
  for (const [key, value] of sortedEntries(secret.data)) {
    errors.push(...invalidEach(dataPath.key(key), key, isConfigMapKey(key)));
    size += base64ByteLength(value);
  }
  if (size > maxDataSize) errors.push(tooLong(dataPath, maxDataSize));
  return [...errors, ...(typeRules.get(secret.type ?? '')?.(secret) ?? [])];
}

function warningsForSecret(secret: Secret): string[] {
  if (secret.type !== 'kubernetes.io/tls') return [];
  const read = (key: string): string => new TextDecoder().decode(decodeBase64(dataOf(secret, key) ?? ''));
  const problem = keyPairProblem(read('tls.crt'), read('tls.key'));
  return problem ? [problem] : [];
}

export const secretStrategy: Strategy<Secret> = {
  revalidatesMetadata: true,
  validate: validateSecret,
  validateUpdate: (secret, old) => [
    ...validateImmutableField(secret.type ?? '', old.type ?? '', Path.of('type')),
    ...validateImmutable(secret, old, ['data']),
    ...validateSecret(secret),
  ],
  warningsOnCreate: warningsForSecret,
  warningsOnUpdate: warningsForSecret,
  selectableFields: { type: ({ type = '' }) => type },
  table: {
    columns: columns('Name', 'Type', 'Data', 'Age'),
    row: ({ metadata, type = '', data }, context) => [
      metadata.name ?? '',
      type,
      Object.keys(data ?? {}).length,
      translateTimestampSince(metadata.creationTimestamp, context),
    ],
  },
};
