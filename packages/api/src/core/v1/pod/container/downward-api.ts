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

/** Fields of a pod that an environment variable may show. Sorted: messages list them. */
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

/** Fields of a pod that a file may show. Sorted: messages list them. */
export const volumeFieldPaths = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** Every field that the downward API knows at all, whether or not it may be shown in the place at hand. */
const knownFieldPaths = new Set([
  ...envFieldPaths,
  ...volumeFieldPaths,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
]);

/** The parts of `metadata.labels['key']`; undefined for a path without subscript. */
function splitSubscript(fieldPath: string): [path: string, key: string] | undefined {
  if (!fieldPath.endsWith("']")) return undefined;
  const open = fieldPath.slice(0, -2);
  const start = open.indexOf("['");
  return start <= 0 ? undefined : [open.slice(0, start), open.slice(start + 2)];
}

/** A field of the pod itself, one of `supported` or an entry of its labels or annotations. */
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

/** How an amount of this resource may be divided, and what the message calls the resource. */
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

/** An amount that a container requests or is limited to. A file must say of which container it is. */
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
