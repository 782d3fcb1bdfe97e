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
import type * as v1 from '../../../generated/core/v1.ts';
import { invalidEach, requiredFields, sortedEntries, unlessSupported } from './checks.ts';
import { validateObjectFieldSelector, validateResourceFieldSelector, volumeFieldPaths } from './downward-api.ts';
import { internalForm, selectorForm } from './internal-form.ts';
import { validateLocalNonReservedPath } from './path-rules.ts';
import {
  isKubernetesSignerName,
  signerNameOfClusterTrustBundle,
  validateClusterTrustBundleName,
  validateSignerName,
} from './signer-name.ts';
import type { PodValidationOptions } from './validation-options.ts';
import { validateFileMode, validateKeyToPath } from './volume-sources.ts';

function validateDownwardAPIVolumeFile(file: v1.DownwardAPIVolumeFile, path: Path): ErrorList {
  const { fieldRef, resourceFieldRef } = file;
  const errors = requiredFields(path, file, ['path']);
  errors.push(...validateLocalNonReservedPath(file.path, path.child('path')));
  if (fieldRef) {
    errors.push(...validateObjectFieldSelector(fieldRef, volumeFieldPaths, path.child('fieldRef')));
    if (resourceFieldRef)
      errors.push(invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (resourceFieldRef) {
    errors.push(...validateResourceFieldSelector(resourceFieldRef, path.child('resourceFieldRef'), true));
  } else {
    errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  }
  errors.push(...validateFileMode(file.mode, path.child('mode')));
  return errors;
}

/** Upstream's messages about a file point to the volume, not to the file's place in it. */
export const validateDownwardAPIVolumeSource = (source: v1.DownwardAPIVolumeSource, path: Path): ErrorList => [
  ...validateFileMode(source.defaultMode, path.child('defaultMode')),
  ...(source.items ?? []).flatMap((file) => validateDownwardAPIVolumeFile(file, path)),
];

type SourceName = keyof v1.VolumeProjection;

interface Projection {
  /** Where the volume is. */
  readonly volume: Path;
  /** Notes a file of the volume; two at one path are a problem. */
  readonly claim: (file: string, badValue: string) => ErrorList;
  readonly options: PodValidationOptions;
}

type Validate<T extends SourceName> = (
  source: NonNullable<v1.VolumeProjection[T]>,
  path: Path,
  projection: Projection,
) => ErrorList;

const validateItems: Validate<'secret' | 'configMap'> = (source, path, { claim }) => [
  ...requiredFields(path, source, ['name']),
  ...(source.items ?? []).flatMap((item, i) => [
    ...validateKeyToPath(item, path.child('items').index(i)),
    ...(item.path ? claim(item.path, source.name ?? '') : []),
  ]),
];

const validateServiceAccountToken: Validate<'serviceAccountToken'> = (source, path, { volume, options }) => {
  const { expirationSeconds = 0, path: file } = source;
  const errors: ErrorList = [];
  const expirationPath = path.child('expirationSeconds');
  if (expirationSeconds < 600)
    errors.push(invalid(expirationPath, expirationSeconds, 'may not specify a duration less than 10 minutes'));
  if (expirationSeconds > 2 ** 32)
    errors.push(invalid(expirationPath, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  if (!file) errors.push(required(volume.child('path')));
  else if (!options.allowNonLocalProjectedTokenPath)
    errors.push(...validateLocalNonReservedPath(file, volume.child('path')));
  return errors;
};

const validateClusterTrustBundle: Validate<'clusterTrustBundle'> = (source, path, { claim }) => {
  const { name, signerName, labelSelector, path: file } = source;
  const errors: ErrorList = [];
  if (name !== undefined && signerName !== undefined) {
    const badValue = internalForm('ClusterTrustBundleProjection', source);
    errors.push(invalid(path, badValue, 'only one of name and signerName may be used'));
  } else if (name !== undefined) {
    const namePath = path.child('name');
    if (!name) errors.push(required(namePath, 'must be a valid object name'));
    const messages = validateClusterTrustBundleName(signerNameOfClusterTrustBundle(name), name, false);
    errors.push(
      ...invalidEach(
        namePath,
        name,
        messages.map((message) => `not a valid clustertrustbundlename: ${message}`),
      ),
    );
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
    errors.push(...validateLabelSelector(labelSelector, {}, path.child('labelSelector')));
  } else {
    errors.push(required(path, 'either name or signerName must be specified'));
  }
  errors.push(...requiredFields(path, source, ['path']));
  errors.push(...validateLocalNonReservedPath(file, path.child('path')), ...claim(file, file));
  return errors;
};

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const day = 24 * 60 * 60;

const validatePodCertificate: Validate<'podCertificate'> = (source, path, { claim }) => {
  const { signerName = '', keyType, maxExpirationSeconds: seconds } = source;
  const errors = validateSignerName(path.child('signerName'), signerName);
  errors.push(...validateUserAnnotations(source.userAnnotations, path.child('userAnnotations')));
  errors.push(...unlessSupported(path.child('keyType'), keyType, keyTypes));
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
    errors.push(...validateLocalNonReservedPath(file, path.child(name)), ...claim(file, file));
  }
  if (files.length === 0)
    errors.push(required(path, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
  return errors;
};

/** Annotations that a pod hands to the signer of its certificates. */
export function validateUserAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: Path,
): ErrorList {
  const errors: ErrorList = [];
  let size = 0;
  for (const [key, value] of sortedEntries(annotations)) {
    errors.push(...isDomainPrefixedKey(path, key.toLowerCase()));
    size += byteLength(key) + byteLength(value);
  }
  if (size > totalAnnotationSizeLimitBytes) errors.push(tooLong(path, totalAnnotationSizeLimitBytes));
  return errors;
}

const validators: { readonly [T in SourceName]: Validate<T> } = {
  secret: validateItems,
  configMap: validateItems,
  downwardAPI: (source, path, { claim }) =>
    (source.items ?? []).flatMap((file) => [
      ...validateDownwardAPIVolumeFile(file, path),
      ...(file.path ? claim(file.path, file.path) : []),
    ]),
  serviceAccountToken: validateServiceAccountToken,
  clusterTrustBundle: validateClusterTrustBundle,
  podCertificate: validatePodCertificate,
};
const sourceNames = Object.keys(validators) as SourceName[];

export function validateProjectedVolumeSource(
  { defaultMode, sources }: v1.ProjectedVolumeSource,
  path: Path,
  options: PodValidationOptions,
): ErrorList {
  const errors = validateFileMode(defaultMode, path.child('defaultMode'));
  const files = new Set<string>();
  const claim = (file: string, badValue: string): ErrorList => {
    if (files.has(file)) return [invalid(path, badValue, 'conflicting duplicate paths')];
    files.add(file);
    return [];
  };
  sources?.forEach((source, i) => {
    const sourcePath = path.child('sources').index(i);
    const present = sourceNames.filter((name) => source[name] !== undefined);
    for (const name of present) {
      const validate = validators[name] as Validate<SourceName>;
      errors.push(...validate(source[name]!, sourcePath.child(name), { volume: path, claim, options }));
    }
    if (present.length > 1) errors.push(forbidden(sourcePath, 'may not specify more than 1 volume type per source'));
  });
  return errors;
}
