import {
  type ErrorList,
  forbidden,
  inclusiveRangeError,
  invalid,
  Path,
  required,
  semanticEqual,
} from '@coxswain/apimachinery';
import type { Container, NodeAffinity, NodeSelectorTerm, Pod, PodSpec } from '../../../../generated/core/v1.ts';
import { inOrder } from '../../checks.ts';
import { internalDiff } from '../../internal-form/internal-diff.ts';
import { internalForm, withHostFields } from '../../internal-form/internal-form.ts';
import { validateImageWhitespace } from '../container/container.ts';
import { containersOf, emptyPodSpec } from '../containers.ts';
import { validatePodAnnotationsUpdate } from '../pod-annotations.ts';
import { validatePodMetadataAndSpec } from '../pod-validation.ts';
import { validateOnlyAddedTolerations } from '../scheduling/tolerations.ts';
import type { PodValidationOptions } from '../validation-options.ts';
import { samePodSpec } from './same-pod-spec.ts';

const specPath = Path.of('spec');
const annotationsPath = Path.of('metadata', 'annotations');
const maxInt32 = 2 ** 31 - 1;

const updatableFields = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/**
 * Validates an update. Only images, activeDeadlineSeconds, tolerations and scheduling gates may change: the deadline
 * may only decrease, tolerations may only be added, gates may only be removed.
 */
export function validatePodUpdate(pod: Pod, old: Pod, options: PodValidationOptions): ErrorList {
  const { spec = emptyPodSpec } = pod;
  const { spec: oldSpec = emptyPodSpec } = old;
  const errors = [
    ...validatePodMetadataAndSpec(pod, options),
    ...validatePodAnnotationsUpdate(pod.metadata.annotations, old.metadata.annotations, spec, annotationsPath, options),
  ];
  for (const list of ['containers', 'initContainers'] as const) {
    const containers = spec[list] ?? [];
    if (containers.length !== (oldSpec[list] ?? []).length)
      return [...errors, forbidden(specPath.child(list), 'pod updates may not add or remove containers')];
    containers.forEach((container, i) => {
      const at = specPath.child(list).index(i);
      if (!container.image) errors.push(required(at.child('image')));
      validateImageWhitespace(container, at, errors);
    });
  }
  const deadline = validateDeadline(spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds);
  errors.push(...deadline);
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) return errors;
  const { tolerations = [] } = spec;
  validateOnlyAddedTolerations(tolerations, oldSpec.tolerations ?? [], specPath.child('tolerations'), options, errors);
  validateOnlyDeletedSchedulingGates(spec, oldSpec, errors);
  if (samePodSpec(spec, oldSpec)) return errors;
  const rest = withoutUpdatableFields(spec, oldSpec);
  if ((oldSpec.schedulingGates ?? []).length > 0) takeSchedulingDirectives(rest, oldSpec, errors);
  if (!samePodSpec(rest, oldSpec)) {
    const difference = internalDiff('PodSpec', withHostFields(oldSpec), withHostFields(rest));
    errors.push(forbidden(specPath, `pod updates may not change fields other than ${updatableFields}\n${difference}`));
  }
  return errors;
}

/** Validates activeDeadlineSeconds, which can be set and then only decrease. */
function validateDeadline(deadline: number | undefined, old: number | undefined): ErrorList {
  const path = specPath.child('activeDeadlineSeconds');
  if (deadline === undefined)
    return old === undefined ? [] : [invalid(path, undefined, 'must not update from a positive integer to nil value')];
  if (deadline < 0 || deadline > maxInt32) return [invalid(path, deadline, inclusiveRangeError(0, maxInt32))];
  return old !== undefined && old < deadline
    ? [invalid(path, deadline, 'must be less than or equal to previous value')]
    : [];
}

function validateOnlyDeletedSchedulingGates({ schedulingGates = [] }: PodSpec, old: PodSpec, errors: ErrorList): void {
  const known = new Set(old.schedulingGates?.map(({ name }) => name));
  const last = new Map(schedulingGates.map(({ name }, i) => [name, i]));
  schedulingGates.forEach(({ name }, i) => {
    if (known.has(name) || last.get(name) !== i) return;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbidden(specPath.child('schedulingGates').index(i).child('name'), detail));
  });
}

/** Returns a copy with the old values of all mutable fields. */
function withoutUpdatableFields(spec: PodSpec, old: PodSpec): PodSpec {
  const rest: PodSpec = { ...spec, containers: withImages(containersOf(spec), containersOf(old)) };
  if (spec.initContainers) rest.initContainers = withImages(spec.initContainers, old.initContainers ?? []);
  replace(rest, 'activeDeadlineSeconds', old.activeDeadlineSeconds);
  replace(rest, 'schedulingGates', old.schedulingGates);
  replace(rest, 'tolerations', old.tolerations);
  return rest;
}

const withImages = (containers: readonly Container[], old: readonly Container[]): Container[] =>
  containers.map(({ image: _, ...container }, i) => {
    const image = old[i]?.image;
    return image === undefined ? container : { ...container, image };
  });

/**
 * While a pod has scheduling gates, node selector and node affinity may become stricter. Validates their changes, and
 * restores the old values in `spec`.
 */
function takeSchedulingDirectives(spec: PodSpec, old: PodSpec, errors: ErrorList): void {
  const { nodeSelector = {}, affinity } = spec;
  if (!semanticEqual(spec.nodeSelector, old.nodeSelector)) {
    const kept = Object.entries(old.nodeSelector ?? {}).every(([key, value]) => nodeSelector[key] === value);
    if (!kept) {
      const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
      errors.push(invalid(specPath.child('nodeSelector'), inOrder(spec.nodeSelector), detail));
    }
    replace(spec, 'nodeSelector', old.nodeSelector);
  }
  const oldNodeAffinity = old.affinity?.nodeAffinity;
  if (semanticEqual(affinity?.nodeAffinity, oldNodeAffinity)) return;
  validateNodeAffinityMutation(affinity?.nodeAffinity, oldNodeAffinity, errors);
  if (affinity && !old.affinity && !affinity.podAffinity && !affinity.podAntiAffinity) delete spec.affinity;
  else {
    const { nodeAffinity: _, ...others } = affinity ?? {};
    spec.affinity = oldNodeAffinity ? { nodeAffinity: oldNodeAffinity, ...others } : others;
  }
}

function replace<K extends keyof PodSpec>(spec: PodSpec, field: K, value: PodSpec[K] | undefined): void {
  if (value === undefined) delete spec[field];
  else spec[field] = value;
}

function validateNodeAffinityMutation(
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
  errors: ErrorList,
): void {
  const oldTerms = old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (oldTerms.length === 0) return;
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const path = specPath
    .child('affinity', 'nodeAffinity')
    .child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  const printed = terms?.map((term) => internalForm('NodeSelectorTerm', term));
  if (terms?.length !== oldTerms.length) {
    errors.push(invalid(path, printed, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'));
    return;
  }
  oldTerms.forEach((before, i) => {
    if (!onlyAddsTo(before, terms[i]!))
      errors.push(invalid(path.index(i), printed![i], 'only additions are allowed (no mutations or deletions)'));
  });
}

/**
 * Reports whether the new term only adds requirements to the old one. None may be added to an empty term: it matches no
 * nodes, so the result would match more.
 */
function onlyAddsTo(old: NodeSelectorTerm, term: NodeSelectorTerm): boolean {
  const lists = ['matchExpressions', 'matchFields'] as const;
  const count = (one: NodeSelectorTerm) => lists.reduce((sum, list) => sum + (one[list] ?? []).length, 0);
  if (count(old) === 0 && count(term) > 0) return false;
  return lists.every((list) => {
    const before = old[list] ?? [];
    return semanticEqual((term[list] ?? []).slice(0, before.length), before);
  });
}
