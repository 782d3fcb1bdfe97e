import {
  type ErrorList,
  type FieldError,
  invalid,
  invalidEach,
  isQualifiedName,
  notSupported,
  type Path,
  Quantity,
  required,
} from '@coxswain/apimachinery';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../../../generated/core/v1.ts';

/** Pod fields that environment variables may use. Sorted, because messages list them. */
export const envFieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Pod fields that files of volumes may use. Sorted, because messages list them. */
export const volumeFieldPaths = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** All pod fields that the downward API knows, including those not supported in the given place. */
const knownFieldPaths = new Set([
  ...envFieldPaths,
  ...volumeFieldPaths,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
]);

/** Splits `metadata.labels['key']`; undefined for a path without subscript. */
function splitSubscript(fieldPath: string): [path: string, key: string] | undefined {
  if (!fieldPath.endsWith("']")) return undefined;
  const open = fieldPath.slice(0, -2);
  const start = open.indexOf("['");
  return start <= 0 ? undefined : [open.slice(0, start), open.slice(start + 2)];
}

/** Validates a reference to a pod field, which is one of `supported` or an entry of labels or annotations. */
export function validateObjectFieldSelector(
  { apiVersion, fieldPath }: ObjectFieldSelector,
  supported: readonly string[],
  path: Path,
  errors: ErrorList,
): void {
  if (!apiVersion) errors.push(required(path.child('apiVersion')));
  else if (!fieldPath) errors.push(required(path.child('fieldPath')));
  else if (apiVersion !== 'v1') errors.push(inconvertible(fieldPath, `unsupported pod version: ${apiVersion}`, path));
  else if (supported.includes(fieldPath)) return;
  else validateUnlistedFieldPath(fieldPath, supported, path, errors);
}

const inconvertible = (fieldPath: string, message: string, path: Path): FieldError =>
  invalid(path.child('fieldPath'), fieldPath, `error converting fieldPath: ${message}`);

function validateUnlistedFieldPath(
  fieldPath: string,
  supported: readonly string[],
  path: Path,
  errors: ErrorList,
): void {
  const subscripted = splitSubscript(fieldPath);
  if (subscripted) {
    const [map, key] = subscripted;
    if (map === 'metadata.annotations' || map === 'metadata.labels') {
      const name = map === 'metadata.annotations' ? key.toLowerCase() : key;
      invalidEach(path, name, isQualifiedName(name), errors);
    } else errors.push(inconvertible(fieldPath, `field label does not support subscript: ${fieldPath}`, path));
    return;
  }
  const name = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (!knownFieldPaths.has(fieldPath))
    errors.push(inconvertible(fieldPath, `field label not supported: ${fieldPath}`, path));
  else if (!supported.includes(name)) errors.push(notSupported(path.child('fieldPath'), name, supported));
}

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const byteDivisors = [
  '1',
  ...['k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((unit) => `1${unit}`),
];

/** Returns the valid divisors of a resource, how the message lists them, and the resource's name in the message. */
function divisorsOf(resource: string): [divisors: readonly string[], listed: string, called: string] | undefined {
  const bytes = (called: string): [readonly string[], string, string] => [
    byteDivisors,
    byteDivisors.join(', '),
    called,
  ];
  if (/^(limits|requests)\.hugepages-/.test(resource)) return bytes('hugepages');
  if (!resourceFields.includes(resource)) return undefined;
  if (resource.endsWith('.cpu')) return [['1m', '1'], '1m and 1', 'cpu'];
  return bytes(resource.endsWith('.memory') ? 'memory' : 'local ephemeral storage');
}

/** Validates a reference to a container's resource request or limit. In a volume, the container's name is required. */
export function validateResourceFieldSelector(
  { containerName, resource, divisor }: ResourceFieldSelector,
  path: Path,
  inVolume: boolean,
  errors: ErrorList,
): void {
  const divisors = divisorsOf(resource);
  if (inVolume && !containerName) errors.push(required(path.child('containerName')));
  else if (!resource) errors.push(required(path.child('resource')));
  else if (!divisors) errors.push(notSupported(path.child('resource'), resource, resourceFields));
  if (divisors && divisor !== undefined) {
    const quantity = Quantity.parse(divisor);
    const [values, listed, called] = divisors;
    if (!quantity.isZero() && !values.includes(quantity.toString())) {
      const detail = `only divisor's values ${listed} are supported with the ${called} resource`;
      errors.push(invalid(path.child('divisor'), resource, detail));
    }
  }
}
