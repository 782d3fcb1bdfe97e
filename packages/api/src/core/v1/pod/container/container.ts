import {
  checkRequiredField,
  duplicate,
  type ErrorList,
  forbidden,
  invalid,
  isDns1123Label,
  notFound,
  type Path,
  required,
} from '@coxswain/apimachinery';
import type { Container, EphemeralContainer, PodSpec, Volume } from '../../../../generated/core/v1.ts';
import { checkRequiredSupported } from '../../checks.ts';
import { validateContainerResourceRequirements } from '../../resources/resource-requirements.ts';
import { type AnyContainer, containersOf, regularAndInitContainers } from '../containers.ts';
import { isRestartableInitContainer } from '../resources/pod-resources.ts';
import { validateSecurityContext } from '../security/security-context.ts';
import type { PodValidationOptions } from '../validation-options.ts';
import { validateEnv, validateEnvFrom } from './container-env.ts';
import { validateVolumeDevices, validateVolumeMounts } from './container-mounts.ts';
import { validateContainerPorts, validateHostPorts } from './container-ports.ts';
import {
  validateContainerRestartPolicy,
  validateInitContainerRestartPolicy,
  validateResizePolicy,
} from './container-restart.ts';
import { pullPolicies } from './image-name.ts';
import { type ProbeName, validateLifecycle, validateProbe } from './probe.ts';

/** The inputs of container validation besides the container. */
export interface ContainerContext {
  readonly spec: PodSpec;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly podClaimNames: ReadonlySet<string>;
  readonly options: PodValidationOptions;
}

const probes: readonly ProbeName[] = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const terminationMessagePolicies = ['File', 'FallbackToLogsOnError'];

/** Applies the rules for containers of all kinds. */
function validateContainer(container: AnyContainer, path: Path, context: ContainerContext, errors: ErrorList): void {
  const { spec, volumes, podClaimNames, options } = context;
  const { name, image, ports, env, envFrom, resources, resizePolicy, securityContext } = container;
  checkRequiredField(path, 'name', name, isDns1123Label, errors);
  if (!image) errors.push(required(path.child('image')));
  const { terminationMessagePolicy, imagePullPolicy } = container;
  checkRequiredSupported(
    path,
    'terminationMessagePolicy',
    terminationMessagePolicy,
    terminationMessagePolicies,
    errors,
  );
  if (ports) validateContainerPorts(ports, path.child('ports'), errors);
  if (env) validateEnv(env, path.child('env'), options, errors);
  if (envFrom) validateEnvFrom(envFrom, path.child('envFrom'), errors);
  validateVolumeMounts(container, volumes, path.child('volumeMounts'), errors);
  validateVolumeDevices(container, volumes, path.child('volumeDevices'), errors);
  checkRequiredSupported(path, 'imagePullPolicy', imagePullPolicy, pullPolicies, errors);
  if (resources)
    validateContainerResourceRequirements(resources, podClaimNames, path.child('resources'), options, errors);
  if (resizePolicy) validateResizePolicy(resizePolicy, path.child('resizePolicy'), spec.restartPolicy, errors);
  if (securityContext)
    validateSecurityContext(securityContext, path.child('securityContext'), spec.hostUsers !== false, options, errors);
}

/** Validates probes and lifecycle, which only regular containers and sidecars may have. */
function validateProbesAndLifecycle(
  container: Container,
  path: Path,
  { spec }: ContainerContext,
  errors: ErrorList,
): void {
  const { terminationGracePeriodSeconds: gracePeriod, os } = spec;
  if (container.lifecycle) validateLifecycle(container.lifecycle, gracePeriod, os, path.child('lifecycle'), errors);
  for (const name of probes) {
    const probe = container[name];
    if (probe) validateProbe(name, probe, gracePeriod, path.child(name), errors);
  }
}

export function validateContainers(
  containers: readonly Container[],
  path: Path,
  context: ContainerContext,
  errors: ErrorList,
): void {
  const { options } = context;
  if (containers.length === 0) errors.push(required(path));
  const names = new Set<string>();
  containers.forEach((container, i) => {
    const at = path.index(i);
    validateContainer(container, at, context, errors);
    if (names.has(container.name)) errors.push(duplicate(at.child('name'), container.name));
    names.add(container.name);
    validateProbesAndLifecycle(container, at, context, errors);
    if (options.allowContainerRestartPolicyRules) validateContainerRestartPolicy(container, at, options, errors);
    else if (container.restartPolicy !== undefined)
      errors.push(forbidden(at.child('restartPolicy'), 'may not be set for non-init containers'));
  });
  validateHostPorts(containers, path, errors);
}

export function validateInitContainers(
  containers: readonly Container[],
  path: Path,
  context: ContainerContext,
  errors: ErrorList,
): void {
  const { spec, options } = context;
  const names = new Set(containersOf(spec).map(({ name }) => name));
  containers.forEach((container, i) => {
    const at = path.index(i);
    const { name } = container;
    const sidecar = isRestartableInitContainer(container);
    validateContainer(container, at, context, errors);
    validateInitContainerRestartPolicy(container, at, options, errors);
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    else if (name) names.add(name);
    // Init containers run one at a time, so ports can collide only within one of them. Upstream reports it as the first
    // of the list.
    validateHostPorts([container], path, errors);
    if (sidecar) validateProbesAndLifecycle(container, at, context, errors);
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
}

/** Fields that ephemeral containers must not have, in the order of Go's struct. */
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
  errors: ErrorList,
): void {
  const others = new Set(regularAndInitContainers(context.spec).map(({ name }) => name));
  const names = new Set(others);
  const refusal = 'cannot be set for an Ephemeral Container';
  containers.forEach((container, i) => {
    const at = path.index(i);
    const { name = '', targetContainerName: target } = container;
    validateContainer(container, at, context, errors);
    validateImageWhitespace(container, at, errors);
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
}

/** Reports whether the container has resource requirements; `resources: {}` counts as none. */
const asksForResources = ({ resources }: AnyContainer): boolean => Object.keys(resources ?? {}).length > 0;

/** Validates the whitespace of an image name. Upstream checks it for pods, not for templates. */
export function validateImageWhitespace({ image }: AnyContainer, path: Path, errors: ErrorList): void {
  if (image && image.trim() !== image)
    errors.push(invalid(path.child('image'), image, 'must not have leading or trailing whitespace'));
}
