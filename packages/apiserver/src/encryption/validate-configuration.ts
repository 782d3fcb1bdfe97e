import { aggregate, type ErrorList, invalid, Path, required } from '@coxswain/apimachinery';
import type { EncryptedResources, EncryptionKey, EncryptionProvider, KmsProvider } from './encryption-configuration.ts';

const mandatory = (field: string, of: string): string => `${field} is a mandatory field for a ${of}`;
const aesKeySizes = [16, 24, 32];
const secretboxKeySizes = [32];

/** Throws an Error with all problems, in upstream's messages. */
export function validateEncryptionConfiguration(configuration: readonly EncryptedResources[]): void {
  const root = Path.of('resources');
  const errors: ErrorList = [];
  if (configuration.length === 0) errors.push(required(root, `at least one ${root} is required`));
  const kmsNames = new Set<string>();
  for (const [index, { resources, providers }] of configuration.entries()) {
    const resourcesPath = root.index(index).child('resources');
    const providersPath = root.index(index).child('providers');
    if (resources.length === 0) errors.push(required(resourcesPath, `at least one ${resourcesPath} is required`));
    errors.push(...overlaps(resources, resourcesPath));
    for (const [at, resource] of resources.entries()) {
      const problem = resourceProblem(resource);
      if (problem) errors.push(invalid(resourcesPath.index(at), resource, problem));
    }
    if (providers.length === 0) errors.push(required(providersPath, `at least one ${providersPath} is required`));
    for (const [at, provider] of providers.entries())
      validateProvider(provider, providersPath.index(at), kmsNames, errors);
  }
  if (errors.length > 0) throw new Error(aggregate(errors));
}

/** A name without a dot (`secrets`) is in the core group; `*.` is all of the core group. */
export function parseGroupResource(text: string): { resource: string; group: string } {
  const dot = text.indexOf('.');
  return dot < 0 ? { resource: text, group: '' } : { resource: text.slice(0, dot), group: text.slice(dot + 1) };
}

function overlaps(resources: readonly string[], path: Path): ErrorList {
  const all = resources.map(parseGroupResource);
  const pairs = all.flatMap((one, i) => all.flatMap((other, j) => (i === j ? [] : [[one, other] as const])));
  const errors: ErrorList = [];
  const isSame = ([one, other]: (typeof pairs)[number]): boolean =>
    one.group === other.group && one.resource === other.resource;
  if (pairs.some(isSame)) errors.push(invalid(path, resources, 'the same resource cannot be specified multiple times'));
  const masks = pairs.some(
    ([one, other]) =>
      (one.group === '*' && one.resource === '*') ||
      (one.group === other.group && (one.resource === '*' || other.resource === '*')),
  );
  if (masks)
    errors.push(
      invalid(
        path,
        resources,
        "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked",
      ),
    );
  return errors;
}

const withoutApi: ReadonlySet<string> = new Set([
  'apiserveripinfo',
  'serviceipallocations',
  'servicenodeportallocations',
]);

function resourceProblem(text: string): string | undefined {
  if (text.toLowerCase() !== text) return 'resource name should not contain capital letters';
  if (text === '*') return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (withoutApi.has(text)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = parseGroupResource(text);
  if (group === 'events.k8s.io')
    return "'*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file";
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  if (group === '*' && resource !== '*') return 'encrypting the same resource across groups is not supported';
  return undefined;
}

function validateProvider(provider: EncryptionProvider, path: Path, kmsNames: Set<string>, errors: ErrorList): void {
  const found = Object.keys(provider);
  // The value is not shown, as it may contain secrets.
  if (found.length === 0)
    errors.push(
      invalid(
        path,
        '',
        'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity',
      ),
    );
  if (found.length > 1)
    errors.push(
      invalid(
        path,
        found,
        'more than one provider specified in a single element, should split into different list elements',
      ),
    );
  const { kms, aesgcm, aescbc, secretbox } = provider;
  if (kms) {
    validateKms(kms, path.child('kms'), kmsNames, errors);
    kmsNames.add(kms.name);
  } else if (aesgcm) validateKeys(aesgcm.keys, path.child('aesgcm', 'keys'), aesKeySizes, errors);
  else if (aescbc) validateKeys(aescbc.keys, path.child('aescbc', 'keys'), aesKeySizes, errors);
  else if (secretbox) validateKeys(secretbox.keys, path.child('secretbox', 'keys'), secretboxKeySizes, errors);
}

function validateKeys(keys: readonly EncryptionKey[], path: Path, sizes: readonly number[], errors: ErrorList): void {
  if (keys.length === 0) errors.push(required(path, 'at least one keys is required'));
  for (const [index, { name, secret }] of keys.entries()) {
    const at = path.index(index);
    if (name === '') errors.push(required(at.child('name'), mandatory('name', 'key')));
    if (secret === '') {
      errors.push(required(at.child('secret'), mandatory('secret', 'key')));
      continue;
    }
    const bytes = Buffer.from(secret, 'base64');
    if (bytes.toString('base64') !== secret.replace(/[\r\n]/g, ''))
      errors.push(invalid(at.child('secret'), 'REDACTED', 'secrets must be base64 encoded'));
    else if (!sizes.includes(bytes.length))
      errors.push(
        invalid(
          at.child('secret'),
          'REDACTED',
          `secret is not of the expected length, got ${bytes.length}, expected one of [${sizes.join(' ')}]`,
        ),
      );
  }
}

function validateKms(kms: KmsProvider, path: Path, names: ReadonlySet<string>, errors: ErrorList): void {
  const { name, timeoutMs, endpoint, cachesize, apiVersion } = kms;
  const namePath = path.child('name');
  if (name === '') errors.push(required(namePath, mandatory('name', 'provider')));
  if (apiVersion !== 'v1' && name.includes(':'))
    errors.push(invalid(namePath, name, `invalid KMS provider name ${name}, must not contain ':'`));
  if (apiVersion !== 'v1' && names.has(name))
    errors.push(invalid(namePath, name, `duplicate KMS provider name ${name}, names must be unique`));
  if (!(timeoutMs > 0))
    errors.push(invalid(path.child('timeout'), `${timeoutMs}ms`, 'timeout should be a positive value'));
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(endpoint)?.[1]?.toLowerCase() ?? '';
  if (endpoint === '') errors.push(invalid(path.child('endpoint'), '', mandatory('endpoint', 'kms')));
  else if (scheme !== 'unix')
    errors.push(
      invalid(
        path.child('endpoint'),
        endpoint,
        `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`,
      ),
    );
  if (apiVersion !== 'v1' && cachesize !== undefined)
    errors.push(invalid(path.child('cachesize'), cachesize, 'cachesize is not supported in v2'));
  if (apiVersion !== 'v1' && apiVersion !== 'v2')
    errors.push(
      invalid(
        path.child('apiVersion'),
        apiVersion,
        'unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
      ),
    );
}
