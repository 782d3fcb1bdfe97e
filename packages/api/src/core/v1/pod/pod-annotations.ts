import {
  type ErrorList,
  forbidden,
  invalid,
  isJsonObject,
  type ObjectMeta,
  ownEntry,
  type Path,
  quote,
} from '@coxswain/apimachinery';
import type { AppArmorProfile, PodSpec, SeccompProfile, Toleration } from '../../../generated/core/v1.ts';
import { sortedEntries, sortedKeys } from '../checks.ts';
import { JsonTextError, readJsonText } from '../json-text.ts';
import { validateLocalDescendingPath } from '../volume/path-rules.ts';
import { type AnyContainer, containersWithPath, someContainer } from './containers.ts';
import { mirrorPodAnnotation } from './mirror-pod.ts';
import { validateTolerations } from './scheduling/tolerations.ts';
import type { PodValidationOptions } from './validation-options.ts';

type Annotations = Readonly<Record<string, string>>;

export const seccompPodAnnotation = 'seccomp.security.alpha.kubernetes.io/pod';
export const seccompContainerAnnotationPrefix = 'container.seccomp.security.alpha.kubernetes.io/';
export const appArmorAnnotationPrefix = 'container.apparmor.security.beta.kubernetes.io/';
const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations';
const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';
const localhostPrefix = 'localhost/';

/** Reports whether the pod deletion cost, if any, is an int32 without plus sign or leading zeroes. */
export function deletionCostIsValid(annotations: Annotations | undefined): boolean {
  const cost = ownEntry(annotations, deletionCostAnnotation);
  return cost === undefined || (/^(0|-[0-9]+|[1-9][0-9]*)$/.test(cost) && Number(cost) === (Number(cost) | 0));
}

/** Validates the annotations of a pod or template that have a meaning to the server. */
export function validatePodAnnotations(
  annotations: Annotations | undefined,
  spec: PodSpec,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList = [],
): ErrorList {
  if (!annotations) return errors;
  const mirror = ownEntry(annotations, mirrorPodAnnotation);
  if (mirror !== undefined && !spec.nodeName) {
    const detail = 'must set spec.nodeName if mirror pod annotation is set';
    errors.push(invalid(path.key(mirrorPodAnnotation), mirror, detail));
  }
  const tolerations = ownEntry(annotations, tolerationsAnnotation);
  if (tolerations) validateTolerationsAnnotation(tolerations, path, options, errors);
  if (!options.allowInvalidPodDeletionCost && !deletionCostIsValid(annotations))
    errors.push(
      invalid(path.key(deletionCostAnnotation), annotations[deletionCostAnnotation], 'must be a 32bit integer'),
    );
  const seccomp = ownEntry(annotations, seccompPodAnnotation);
  if (seccomp !== undefined) validateSeccompAnnotation(seccomp, path.child(seccompPodAnnotation), errors);
  const keys = sortedKeys(annotations);
  for (const key of keys)
    if (key.startsWith(seccompContainerAnnotationPrefix))
      validateSeccompAnnotation(annotations[key]!, path.child(key), errors);
  for (const key of keys)
    if (key.startsWith(appArmorAnnotationPrefix))
      validateAppArmorAnnotation(annotations[key]!, key, spec, path.key(key), errors);
  return errors;
}

function validateTolerationsAnnotation(
  text: string,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList,
): void {
  let tolerations: unknown[];
  try {
    tolerations = readJsonText(text, '[]core.Toleration', Array.isArray) ?? [];
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    errors.push(invalid(path, tolerationsAnnotation, error.message));
    return;
  }
  validateTolerations(tolerations.map(asToleration), path.child(tolerationsAnnotation), options, errors);
}

/** Converts a value to a Toleration. Field names match case-insensitively, as in Go. */
function asToleration(value: unknown): Toleration {
  const names = ['key', 'operator', 'value', 'effect', 'tolerationSeconds'] as const;
  const entries = Object.entries(isJsonObject(value) ? value : {}).flatMap(([key, part]) => {
    const name = names.find((one) => one.toLowerCase() === key.toLowerCase());
    return name ? [[name, part]] : [];
  });
  return Object.fromEntries(entries) as Toleration;
}

function validateSeccompAnnotation(profile: string, path: Path, errors: ErrorList): void {
  if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') return;
  if (profile.startsWith(localhostPrefix))
    validateLocalDescendingPath(profile.slice(localhostPrefix.length), path, errors);
  else errors.push(invalid(path, profile, 'must be a valid seccomp profile'));
}

function validateAppArmorAnnotation(value: string, key: string, spec: PodSpec, path: Path, errors: ErrorList): void {
  const name = key.slice(appArmorAnnotationPrefix.length);
  if (!someContainer(spec, (container) => container.name === name))
    errors.push(invalid(path, name, 'container not found'));
  if (value !== '' && value !== 'runtime/default' && value !== 'unconfined' && !value.startsWith(localhostPrefix))
    errors.push(invalid(path, value, `invalid AppArmor profile name: ${quote(value)}`));
}

/** Validates the changes of annotations, then applies `validatePodAnnotations`. */
export function validatePodAnnotationsUpdate(
  annotations: Annotations | undefined,
  old: Annotations | undefined,
  spec: PodSpec,
  path: Path,
  options: PodValidationOptions,
): ErrorList {
  const errors: ErrorList = [];
  const guarded = (key: string) =>
    key.startsWith(appArmorAnnotationPrefix)
      ? 'AppArmor annotations'
      : key === mirrorPodAnnotation
        ? 'mirror pod annotation'
        : undefined;
  for (const [key, before] of sortedEntries(old)) {
    const what = guarded(key);
    if (what && ownEntry(annotations, key) !== before)
      errors.push(forbidden(path.key(key), `may not remove or update ${what}`));
  }
  for (const [key] of sortedEntries(annotations)) {
    const what = guarded(key);
    if (what && ownEntry(old, key) === undefined) errors.push(forbidden(path.key(key), `may not add ${what}`));
  }
  return validatePodAnnotations(annotations, spec, path, options, errors);
}

const hasProfile = ({ securityContext }: Pick<AnyContainer | PodSpec, 'securityContext'>): boolean =>
  securityContext?.seccompProfile !== undefined || securityContext?.appArmorProfile !== undefined;

/** Validates that legacy annotations for seccomp and AppArmor profiles agree with the fields. */
export function validateAnnotationsMatchFields(
  { annotations }: ObjectMeta,
  spec: PodSpec,
  specPath: Path,
  errors: ErrorList,
): void {
  if (!annotations || !(hasProfile(spec) || someContainer(spec, hasProfile))) return;
  const compare = (
    profile: SeccompProfile | AppArmorProfile | undefined,
    key: string,
    path: Path,
    what: 'seccomp' | 'apparmor',
  ) => {
    const annotation = profile && ownEntry(annotations, key);
    if (annotation === undefined || !profile) return;
    const mismatch = profileMismatch(profile, annotation, what === 'seccomp');
    if (mismatch)
      errors.push(
        forbidden(
          path.child('securityContext', `${what === 'seccomp' ? 'seccomp' : 'appArmor'}Profile`, mismatch),
          `${what} ${mismatch === 'type' ? 'type' : 'profile'} in annotation and field must match`,
        ),
      );
  };
  const pod = spec.securityContext;
  compare(pod?.seccompProfile, seccompPodAnnotation, specPath, 'seccomp');
  for (const [{ name = '', securityContext }, path] of containersWithPath(spec, specPath))
    compare(securityContext?.seccompProfile, seccompContainerAnnotationPrefix + name, path, 'seccomp');
  if (spec.os?.name === 'windows') return;
  for (const [{ name = '', securityContext }, path] of containersWithPath(spec, specPath))
    compare(
      securityContext?.appArmorProfile ?? pod?.appArmorProfile,
      appArmorAnnotationPrefix + name,
      path,
      'apparmor',
    );
}

/** Returns the field of the profile that the annotation contradicts. */
function profileMismatch(
  { type, localhostProfile }: SeccompProfile | AppArmorProfile,
  annotation: string,
  dockerDefault: boolean,
): 'type' | 'localhostProfile' | undefined {
  switch (type) {
    case 'Unconfined':
      return annotation === 'unconfined' ? undefined : 'type';
    case 'RuntimeDefault':
      return annotation === 'runtime/default' || (dockerDefault && annotation === 'docker/default')
        ? undefined
        : 'type';
    case 'Localhost':
      if (!annotation.startsWith(localhostPrefix)) return 'type';
      return annotation.slice(localhostPrefix.length) === localhostProfile ? undefined : 'localhostProfile';
    default:
      return undefined;
  }
}

/** Returns the AppArmor profile that an annotation stands for; undefined if it is invalid. */
export function appArmorProfileOfAnnotation(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  const localhostProfile = annotation.startsWith(localhostPrefix) ? annotation.slice(localhostPrefix.length) : '';
  return localhostProfile ? { type: 'Localhost', localhostProfile } : undefined;
}
