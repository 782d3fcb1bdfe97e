import {
  type ErrorList,
  fieldImmutableErrorMessage,
  invalid,
  isDns1123Label,
  labelSelectorHasInvalidLabelValue,
  nameIsDnsSubdomain,
  Path,
  required,
  semanticEqual,
  validateImmutableField,
  validateLabelSelector,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '@coxswain/apimachinery';
import { samePodTemplate } from '../../apps/v1/same-spec.ts';
import { selectorOf, validateImmutableSelector } from '../../apps/v1/selector.ts';
import type { WithSpec } from '../../apps/v1/with-spec.ts';
import { type PodValidationOptions, podTemplateValidationOptions, sortedEntries } from '../../core/v1/pod/index.ts';
import { samePodSpec } from '../../core/v1/pod/update/same-pod-spec.ts';
import type { Job as APIJob, JobSpec, JobStatus } from '../../generated/batch/v1.ts';
import type { Affinity, Container, PodSpec, PodTemplateSpec } from '../../generated/core/v1.ts';
import type { StrategyContext } from '../../strategy/strategy.ts';
import { internalForm, internalPodSpec, internalPodTemplate } from './internal-form.ts';
import { jobLabels, validateGeneratedSelector } from './job-selector.ts';
import { validateJobSpec } from './job-spec.ts';

type Job = WithSpec<APIJob>;

const path = Path.of('spec');
const metadataPath = Path.of('metadata');

export const hasTrueCondition = (status: JobStatus | undefined, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

function validateSpecAndSelector(spec: JobSpec, options: PodValidationOptions): ErrorList {
  const { selector, template } = spec;
  const { allowInvalidLabelValueInSelector } = options;
  const errors = validateJobSpec(spec, path, options);
  const at = path.child('selector');
  if (selector) errors.push(...validateLabelSelector(selector, { allowInvalidLabelValueInSelector }, at));
  else errors.push(required(at));
  const labels = template.metadata?.labels;
  if (selectorOf(selector)?.matches(labels ?? {}) === false) {
    const badValue = labels && Object.fromEntries(sortedEntries(labels));
    const detail = '`selector` does not match template `labels`';
    errors.push(invalid(path.child('template', 'metadata', 'labels'), badValue, detail));
  }
  return errors;
}

/** Validates the longest hostname of an indexed Job's pods, which consists of the Job's name and an index. */
function validateHostname({ metadata: { name = '' }, spec: { completionMode, completions = 0 } }: Job): ErrorList {
  if (completionMode !== 'Indexed' || completions <= 0) return [];
  const longest = `${name}-${completions - 1}`;
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  return isDns1123Label(longest).length > 0 ? [invalid(metadataPath.child('name'), name, detail)] : [];
}

function validateWhole(job: Job, requirePrefixedLabels: boolean, options: PodValidationOptions): ErrorList {
  return [
    ...validateGeneratedSelector(job, requirePrefixedLabels),
    ...validateSpecAndSelector(job.spec, options),
    ...validateHostname(job),
  ];
}

export const validateJob = (job: Job, context: StrategyContext): ErrorList =>
  validateWhole(job, true, podTemplateValidationOptions(context));

/** Validates the new object and then the change, so that errors in the spec appear twice, as upstream. */
export function validateJobUpdate(job: Job, old: Job, context: StrategyContext): ErrorList {
  const options = {
    ...podTemplateValidationOptions(context, old.spec.template),
    ...(labelSelectorHasInvalidLabelValue(old.spec.selector) && { allowInvalidLabelValueInSelector: true }),
  };
  const oldLabels = old.spec.template.metadata?.labels ?? {};
  const hadPrefixedLabels =
    Object.hasOwn(oldLabels, jobLabels.jobName) && Object.hasOwn(oldLabels, jobLabels.controllerUid);
  return [
    ...validateObjectMeta(job.metadata, true, nameIsDnsSubdomain, metadataPath),
    ...validateWhole(job, hadPrefixedLabels, options),
    ...validateObjectMetaUpdate(job.metadata, old.metadata, metadataPath),
    ...validateSpecAndSelector(job.spec, options),
    ...validateChange(job.spec, old, context),
  ];
}

function validateChange(spec: JobSpec, old: Job, context: StrategyContext): ErrorList {
  const before = old.spec;
  const immutable = (field: keyof JobSpec, form?: string): ErrorList => {
    const value = spec[field];
    if (semanticEqual(value, before[field])) return [];
    const printed = form !== undefined && typeof value === 'object' ? internalForm(form, value) : value;
    return [invalid(path.child(field), printed, fieldImmutableErrorMessage)];
  };
  return [
    ...validateCompletions(spec, before),
    ...validateImmutableSelector(spec.selector, before.selector, path.child('selector')),
    ...validateTemplateUpdate(spec.template, old, context),
    ...immutable('completionMode'),
    ...immutable('podFailurePolicy', 'PodFailurePolicy'),
    ...immutable('backoffLimitPerIndex'),
    ...immutable('managedBy'),
    ...immutable('successPolicy', 'SuccessPolicy'),
  ];
}

/** Completions are immutable, except that an indexed Job may change them to equal parallelism. */
function validateCompletions({ completionMode, completions, parallelism }: JobSpec, old: JobSpec): ErrorList {
  const at = path.child('completions');
  if (completionMode !== 'Indexed') return validateImmutableField(completions, old.completions, at);
  if (completions === undefined || completions === old.completions || completions === parallelism) return [];
  return [invalid(at, completions, 'can only be modified in tandem with spec.parallelism')];
}

/** While a Job is suspended and has no running pods, the scheduling directives and resources of its template may change. */
function validateTemplateUpdate(template: PodTemplateSpec, old: Job, { features }: StrategyContext): ErrorList {
  const { status } = old;
  const isSuspended = old.spec.suspend === true;
  const hasNotStarted = status?.startTime === undefined;
  const isIdle = isSuspended && (hasNotStarted || hasTrueCondition(status, 'Suspended')) && (status?.active ?? 0) === 0;
  const mayMove = features.enabled('MutableSchedulingDirectivesForSuspendedJobs')
    ? isIdle
    : isSuspended && hasNotStarted;
  const mayResize = features.enabled('MutablePodResourcesForSuspendedJobs') && isIdle;

  const before = mayMove ? withSchedulingOf(template, old.spec.template) : old.spec.template;
  const at = path.child('template');
  if (!mayResize)
    return samePodTemplate(template, before)
      ? []
      : [invalid(at, internalPodTemplate(template), fieldImmutableErrorMessage)];
  const spec = template.spec ?? { containers: [] };
  const resized = withResourcesOf(spec, before.spec ?? { containers: [] });
  return samePodSpec(spec, resized)
    ? []
    : [invalid(path.child('template.spec'), internalPodSpec(spec), fieldImmutableErrorMessage)];
}

/** Returns the old template with the scheduling directives, labels and annotations of the new one. */
function withSchedulingOf(template: PodTemplateSpec, old: PodTemplateSpec): PodTemplateSpec {
  const { labels, annotations } = template.metadata ?? {};
  const { nodeSelector, tolerations, schedulingGates, affinity } = template.spec ?? {};
  const spec = old.spec ?? { containers: [] };
  return {
    ...old,
    metadata: { ...old.metadata, labels, annotations },
    spec: {
      ...spec,
      nodeSelector,
      tolerations,
      schedulingGates,
      affinity: withNodeAffinityOf(affinity, spec.affinity),
    },
  };
}

function withNodeAffinityOf(affinity: Affinity | undefined, old: Affinity | undefined): Affinity | undefined {
  if (affinity) return { ...old, nodeAffinity: affinity.nodeAffinity };
  const { nodeAffinity: _, ...rest } = old ?? {};
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** Returns the old spec with the resources of the new one, for containers with the same index and name. */
function withResourcesOf(spec: PodSpec, old: PodSpec): PodSpec {
  const resize = (before: Container[] | undefined, after: Container[] | undefined): Container[] | undefined =>
    before?.length === after?.length
      ? before?.map((container, i) =>
          container.name === after![i]!.name ? { ...container, resources: after![i]!.resources } : container,
        )
      : before;
  return {
    ...old,
    containers: resize(old.containers, spec.containers) ?? [],
    initContainers: resize(old.initContainers, spec.initContainers),
  };
}
