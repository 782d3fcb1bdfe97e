import {
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  isDns1123Label,
  notFound,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { Container, EphemeralContainer, PodSpec, Volume } from '../../../generated/core/v1.ts';
import { invalidEach, requiredSupported } from './checks.ts';
import { validateEnv, validateEnvFrom } from './container-env.ts';
import { validateVolumeDevices, validateVolumeMounts } from './container-mounts.ts';
import { validateContainerPorts, validateHostPorts } from './container-ports.ts';
import {
  validateContainerRestartPolicy,
  validateInitContainerRestartPolicy,
  validateResizePolicy,
} from './container-restart.ts';
import type { AnyContainer } from './containers.ts';
import { isRestartableInitContainer } from './pod-resources.ts';
import { type ProbeName, validateLifecycle, validateProbe } from './probe.ts';
import { validateContainerResourceRequirements } from './resource-requirements.ts';
import { validateSecurityContext } from './security-context.ts';
import type { PodValidationOptions } from './validation-options.ts';

/** What containers are judged by besides themselves. */
export interface ContainerContext {
  readonly spec: PodSpec;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly podClaimNames: readonly string[];
  readonly options: PodValidationOptions;
}

const probes: readonly ProbeName[] = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** What holds for containers of every sort. */
function validateContainer(container: AnyContainer, path: Path, context: ContainerContext): ErrorList {
  const { spec, volumes, podClaimNames, options } = context;
  const namePath = path.child('name');
  const { name, image } = container;
  const errors: ErrorList = name ? invalidEach(namePath, name, isDns1123Label(name)) : [required(namePath)];
  if (!image) errors.push(required(path.child('image')));
  errors.push(
    ...requiredSupported(path.child('terminationMessagePolicy'), container.terminationMessagePolicy, [
      'File',
      'FallbackToLogsOnError',
    ]),
    ...validateContainerPorts(container.ports ?? [], path.child('ports')),
    ...validateEnv(container.env ?? [], path.child('env'), options),
    ...validateEnvFrom(container.envFrom ?? [], path.child('envFrom')),
    ...validateVolumeMounts(container, volumes, path.child('volumeMounts')),
    ...validateVolumeDevices(container, volumes, path.child('volumeDevices')),
    ...requiredSupported(path.child('imagePullPolicy'), container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never']),
    ...validateContainerResourceRequirements(
      container.resources ?? {},
      podClaimNames,
      path.child('resources'),
      options,
    ),
    ...validateResizePolicy(container.resizePolicy ?? [], path.child('resizePolicy'), spec.restartPolicy),
    ...validateSecurityContext(
      container.securityContext,
      path.child('securityContext'),
      spec.hostUsers !== false,
      options,
    ),
  );
  return errors;
}

/** What only containers that go on running may have. */
function validateProbesAndLifecycle(container: Container, path: Path, { spec }: ContainerContext): ErrorList {
  const gracePeriod = spec.terminationGracePeriodSeconds;
  return [
    ...validateLifecycle(container.lifecycle, gracePeriod, spec.os, path.child('lifecycle')),
    ...probes.flatMap((name) => validateProbe(name, container[name], gracePeriod, path)),
  ];
}

export function validateContainers(containers: readonly Container[], path: Path, context: ContainerContext): ErrorList {
  if (containers.length === 0) return [required(path)];
  const { options } = context;
  const errors: ErrorList = [];
  const names = new Set<string>();
  containers.forEach((container, i) => {
    const at = path.index(i);
    errors.push(...validateContainer(container, at, context));
    if (names.has(container.name)) errors.push(duplicate(at.child('name'), container.name));
    names.add(container.name);
    errors.push(...validateProbesAndLifecycle(container, at, context));
    if (options.allowContainerRestartPolicyRules)
      errors.push(...validateContainerRestartPolicy(container, at, options));
    else if (container.restartPolicy !== undefined)
      errors.push(forbidden(at.child('restartPolicy'), 'may not be set for non-init containers'));
  });
  errors.push(...validateHostPorts(containers, path));
  return errors;
}

export function validateInitContainers(
  containers: readonly Container[],
  path: Path,
  context: ContainerContext,
): ErrorList {
  const { spec, options } = context;
  const errors: ErrorList = [];
  const names = new Set(spec.containers.map(({ name }) => name));
  containers.forEach((container, i) => {
    const at = path.index(i);
    const { name } = container;
    const sidecar = isRestartableInitContainer(container);
    errors.push(...validateContainer(container, at, context));
    errors.push(...validateInitContainerRestartPolicy(container, at, options));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    else if (name) names.add(name);
    // They run one by one, so only within one of them can ports collide. Upstream counts it as the first of the list.
    errors.push(...validateHostPorts([container], path));
    if (sidecar) errors.push(...validateProbesAndLifecycle(container, at, context));
    else
      for (const field of ['lifecycle', ...probes] as const)
        if (container[field])
          errors.push(forbidden(at.child(field), 'may not be set for init containers without restartPolicy=Always'));
    if (!sidecar && !options.allowExistingRestartContainerForNonSidecarInitContainer)
      container.resizePolicy?.forEach(({ restartPolicy }, j) => {
        if (restartPolicy !== 'RestartContainer') return;
        const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
        errors.push(invalid(at.child('resizePolicy').index(j).child('restartPolicy'), restartPolicy, detail));
      });
  });
  return errors;
}

/** Fields that ephemeral containers may not have, in the order of the type. */
const forbiddenInEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  ...probes,
  'lifecycle',
] as const;

export function validateEphemeralContainers(
  containers: readonly EphemeralContainer[],
  path: Path,
  context: ContainerContext,
): ErrorList {
  const { spec } = context;
  const errors: ErrorList = [];
  const others = new Set([...spec.containers, ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  const refusal = 'cannot be set for an Ephemeral Container';
  containers.forEach((container, i) => {
    const at = path.index(i);
    const { name = '', targetContainerName: target } = container;
    errors.push(...validateContainer(container, at, context), ...validateImageWhitespace(container, at));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    if (target && !others.has(target)) errors.push(notFound(at.child('targetContainerName'), target));
    for (const field of forbiddenInEphemeral)
      if (field === 'resources' ? asksForResources(container) : container[field] !== undefined)
        errors.push(forbidden(at.child(field), refusal));
    container.volumeMounts?.forEach((mount, j) => {
      for (const field of ['subPath', 'subPathExpr'] as const)
        if (mount[field]) errors.push(forbidden(at.child('volumeMounts').index(j).child(field), refusal));
    });
  });
  return errors;
}

/** `resources: {}` stands for none. */
const asksForResources = ({ resources }: AnyContainer): boolean => Object.keys(resources ?? {}).length > 0;

/** A template may have any text for an image, a pod may not. */
export function validateImageWhitespace({ image = '' }: AnyContainer, path: Path): ErrorList {
  return image.trim() === image
    ? []
    : [invalid(path.child('image'), image, 'must not have leading or trailing whitespace')];
}
