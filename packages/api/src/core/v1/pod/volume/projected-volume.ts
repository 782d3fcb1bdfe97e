import {
  byteLength,
  type ErrorList,
  forbidden,
  invalid,
  isDomainPrefixedKey,
  type Path,
  required,
  tooLong,
  totalAnnotationSizeLimitBytes,
  validateLabelSelector,
} from '@coxswain/apimachinery';
import type * as v1 from '../../../../generated/core/v1.ts';
import { selectorForm } from '../../../../strategy/internal-form.ts';
import { requiredFields, sortedEntries, unlessSupported } from '../../checks.ts';
import { internalForm } from '../../internal-form/internal-form.ts';
import { validateLocalNonReservedPath } from '../../volume/path-rules.ts';
import { checkFileMode, validateKeyToPath } from '../../volume/volume-sources.ts';
import {
  validateObjectFieldSelector,
  validateResourceFieldSelector,
  volumeFieldPaths,
} from '../container/downward-api.ts';
import {
  isKubernetesSignerName,
  signerNameOfClusterTrustBundle,
  validateClusterTrustBundleName,
  validateSignerName,
} from '../signer-name.ts';
import type { PodValidationOptions } from '../validation-options.ts';

function validateDownwardAPIVolumeFile(file: v1.DownwardAPIVolumeFile, path: Path, errors: ErrorList): void {
  const { fieldRef, resourceFieldRef } = file;
  if (!file.path) errors.push(required(path.child('path')));
  validateLocalNonReservedPath(file.path, path.child('path'), errors);
  if (fieldRef) {
    validateObjectFieldSelector(fieldRef, volumeFieldPaths, path.child('fieldRef'), errors);
    if (resourceFieldRef)
      errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (resourceFieldRef) {
    validateResourceFieldSelector(resourceFieldRef, path.child('resourceFieldRef'), true, errors);
  } else {
    errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  }
  checkFileMode(path, 'mode', file.mode, errors);
}

/** Validates a downward API volume. Upstream's error paths for files lack the index of the file. */
export function validateDownwardAPIVolumeSource(
  source: v1.DownwardAPIVolumeSource,
  path: Path,
  errors: ErrorList,
): void {
  checkFileMode(path, 'defaultMode', source.defaultMode, errors);
  for (const file of source.items ?? []) validateDownwardAPIVolumeFile(file, path, errors);
}

type SourceName = keyof v1.VolumeProjection;

/** The volume that sources are projected into, and the file paths found so far. */
class Projection {
  readonly volume: Path;
  readonly options: PodValidationOptions;
  readonly errors: ErrorList;
  readonly #files = new Set<string>();

  constructor(volume: Path, options: PodValidationOptions, errors: ErrorList) {
    this.volume = volume;
    this.options = options;
    this.errors = errors;
  }

  /** Records a file path of the volume; a duplicate is an error. */
  claim(file: string, badValue: string): void {
    if (this.#files.has(file)) this.errors.push(invalid(this.volume, badValue, 'conflicting duplicate paths'));
    else this.#files.add(file);
  }
}

type Validate<T extends SourceName> = (
  source: NonNullable<v1.VolumeProjection[T]>,
  path: Path,
  projection: Projection,
) => void;

const validateItems: Validate<'secret' | 'configMap'> = (source, path, projection) => {
  const { errors } = projection;
  if (!source.name) errors.push(required(path.child('name')));
  source.items?.forEach((item, i) => {
    validateKeyToPath(item, path.child('items').index(i), errors);
    if (item.path) projection.claim(item.path, source.name ?? '');
  });
};

const validateServiceAccountToken: Validate<'serviceAccountToken'> = (source, path, projection) => {
  const { volume, options, errors } = projection;
  const { expirationSeconds: seconds = 0, path: file } = source;
  const refuse = (detail: string) => errors.push(invalid(path.child('expirationSeconds'), seconds, detail));
  if (seconds < 600) refuse('may not specify a duration less than 10 minutes');
  if (seconds > 2 ** 32) refuse('may not specify a duration larger than 2^32 seconds');
  if (!file) errors.push(required(volume.child('path')));
  else if (!options.allowNonLocalProjectedTokenPath) validateLocalNonReservedPath(file, volume.child('path'), errors);
};

const validateClusterTrustBundle: Validate<'clusterTrustBundle'> = (source, path, projection) => {
  const { name, signerName, labelSelector, path: file } = source;
  const { errors } = projection;
  if (name !== undefined && signerName !== undefined) {
    const badValue = internalForm('ClusterTrustBundleProjection', source);
    errors.push(invalid(path, badValue, 'only one of name and signerName may be used'));
  } else if (name !== undefined) {
    const namePath = path.child('name');
    if (!name) errors.push(required(namePath, 'must be a valid object name'));
    const messages = validateClusterTrustBundleName(signerNameOfClusterTrustBundle(name), name, false);
    for (const message of messages)
      errors.push(invalid(namePath, name, `not a valid clustertrustbundlename: ${message}`));
    if (labelSelector)
      errors.push(
        invalid(
          path.child('labelSelector'),
          selectorForm(labelSelector),
          'labelSelector must be unset if name is specified',
        ),
      );
  } else if (signerName !== undefined) {
    const signerPath = path.child('signerName');
    if (!signerName) errors.push(required(signerPath, 'must be a valid signer name'));
    errors.push(...validateSignerName(signerPath, signerName));
    validateLabelSelector(labelSelector, {}, path.child('labelSelector'), errors);
  } else {
    errors.push(required(path, 'either name or signerName must be specified'));
  }
  requiredFields(path, source, ['path'], errors);
  validateLocalNonReservedPath(file, path.child('path'), errors);
  projection.claim(file, file);
};

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const day = 24 * 60 * 60;

const validatePodCertificate: Validate<'podCertificate'> = (source, path, projection) => {
  const { signerName = '', keyType, maxExpirationSeconds: seconds } = source;
  const { errors } = projection;
  errors.push(...validateSignerName(path.child('signerName'), signerName));
  validateUserAnnotations(source.userAnnotations, path.child('userAnnotations'), errors);
  unlessSupported(path.child('keyType'), keyType, keyTypes, errors);
  if (seconds !== undefined) {
    const secondsPath = path.child('maxExpirationSeconds');
    const most = isKubernetesSignerName(signerName) ? day : 91 * day;
    if (seconds < 3600) errors.push(invalid(secondsPath, seconds, 'if provided, maxExpirationSeconds must be >= 3600'));
    if (seconds > most)
      errors.push(invalid(secondsPath, seconds, `if provided, maxExpirationSeconds must be <= ${most}`));
  }
  const files = (['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const).filter((name) => source[name]);
  for (const name of files) {
    const file = source[name]!;
    validateLocalNonReservedPath(file, path.child(name), errors);
    projection.claim(file, file);
  }
  if (files.length === 0)
    errors.push(required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
};

/** Validates the annotations that a pod passes to the signer of its certificates. */
function validateUserAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: Path,
  errors: ErrorList,
): void {
  let size = 0;
  for (const [key, value] of sortedEntries(annotations)) {
    errors.push(...isDomainPrefixedKey(path, key.toLowerCase()));
    size += byteLength(key) + byteLength(value);
  }
  if (size > totalAnnotationSizeLimitBytes) errors.push(tooLong(path, totalAnnotationSizeLimitBytes));
}

const validators: { readonly [T in SourceName]: Validate<T> } = {
  secret: validateItems,
  configMap: validateItems,
  downwardAPI: ({ items }, path, projection) => {
    for (const file of items ?? []) {
      validateDownwardAPIVolumeFile(file, path, projection.errors);
      if (file.path) projection.claim(file.path, file.path);
    }
  },
  serviceAccountToken: validateServiceAccountToken,
  clusterTrustBundle: validateClusterTrustBundle,
  podCertificate: validatePodCertificate,
};
const sourceNames = Object.keys(validators) as SourceName[];

export function validateProjectedVolumeSource(
  { defaultMode, sources }: v1.ProjectedVolumeSource,
  path: Path,
  errors: ErrorList,
  options: PodValidationOptions,
): void {
  checkFileMode(path, 'defaultMode', defaultMode, errors);
  const projection = new Projection(path, options, errors);
  sources?.forEach((source, i) => {
    const sourcePath = path.child('sources').index(i);
    let present = 0;
    for (const name of sourceNames) {
      const one = source[name];
      if (one === undefined) continue;
      present++;
      (validators[name] as Validate<SourceName>)(one, sourcePath.child(name), projection);
    }
    if (present > 1) errors.push(forbidden(sourcePath, 'may not specify more than 1 volume type per source'));
  });
}
