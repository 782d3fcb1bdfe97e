import {
  type ErrorList,
  forbidden,
  invalid,
  type Path,
  required,
  validateAnnotations,
  validateLabels,
} from '@coxswain/apimachinery';
import type { PodTemplateSpec } from '../../../generated/core/v1.ts';
import { inOrder, unlessSupported } from '../checks.ts';
import { emptyPodSpec } from './containers.ts';
import { validateAnnotationsMatchFields, validatePodAnnotations } from './pod-annotations.ts';
import { validatePodSpec } from './pod-spec.ts';
import type { PodValidationOptions } from './validation-options.ts';

/**
 * Validates a pod template. On update, `options` (`podTemplateValidationOptions`) of the old template allow what it
 * already had; otherwise the rules of create apply.
 */
export function validatePodTemplateSpec(
  template: PodTemplateSpec,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList = [],
): ErrorList {
  const { metadata = {}, spec = emptyPodSpec } = template;
  const specPath = path.child('spec');
  const annotationsPath = path.child('annotations');
  validateLabels(metadata.labels, path.child('labels'), errors);
  validateAnnotations(metadata.annotations, annotationsPath, errors);
  validatePodAnnotations(metadata.annotations, spec, annotationsPath, options, errors);
  validatePodSpec(spec, undefined, specPath, options, errors);
  validateAnnotationsMatchFields(metadata, spec, specPath, errors);
  if (spec.ephemeralContainers && spec.ephemeralContainers.length > 0)
    errors.push(forbidden(specPath.child('ephemeralContainers'), 'ephemeral containers not allowed in pod template'));
  return errors;
}

export interface ControllerTemplateRule {
  /**
   * Reports whether the controller's selector matches the template's labels; true when the selector is empty, which is
   * reported elsewhere.
   */
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean;
  /** The controller's name in the message about deadlines. */
  readonly controller: 'ReplicationController' | 'ReplicaSet' | 'DaemonSet' | 'StatefulSet';
}

/**
 * Validates the template of a controller that keeps its pods running: its selector must match, restartPolicy must be
 * Always, and pods must have no deadline.
 */
export function validatePodTemplateSpecForController(
  template: PodTemplateSpec,
  { matches, controller }: ControllerTemplateRule,
  path: Path,
  options: PodValidationOptions,
  errors: ErrorList = [],
): ErrorList {
  const { metadata, spec } = template;
  const labels = metadata?.labels;
  if (!matches(labels ?? {})) {
    errors.push(
      invalid(path.child('metadata', 'labels'), inOrder(labels), '`selector` does not match template `labels`'),
    );
  }
  validatePodTemplateSpec(template, path, options, errors);
  unlessSupported(path.child('spec', 'restartPolicy'), spec?.restartPolicy, ['Always'], errors);
  if (spec?.activeDeadlineSeconds !== undefined)
    errors.push(
      forbidden(path.child('spec', 'activeDeadlineSeconds'), `activeDeadlineSeconds in ${controller} is not Supported`),
    );
  return errors;
}

/** Validates the template of a ReplicationController, whose selector is a map. */
export function validatePodTemplateSpecForRC(
  template: PodTemplateSpec | undefined,
  selector: Readonly<Record<string, string>> | undefined,
  path: Path,
  options: PodValidationOptions,
): ErrorList {
  if (!template) return [required(path)];
  const wanted = Object.entries(selector ?? {});
  const matches = (labels: Readonly<Record<string, string>>) =>
    wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  return validatePodTemplateSpecForController(
    template,
    { matches, controller: 'ReplicationController' },
    path,
    options,
  );
}

/** Validates the template of a ReplicaSet or Deployment. `matches` reports whether the selector matches labels. */
export function validatePodTemplateSpecForReplicaSet(
  template: PodTemplateSpec,
  matches: ControllerTemplateRule['matches'],
  path: Path,
  options: PodValidationOptions,
): ErrorList {
  return validatePodTemplateSpecForController(template, { matches, controller: 'ReplicaSet' }, path, options);
}
