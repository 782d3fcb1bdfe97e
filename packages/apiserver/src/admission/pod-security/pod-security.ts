import type { Namespace, Pod } from '@coxswain/api/core/v1';
import { aggregate, newForbidden, newInternalError, newInvalid, quote } from '@coxswain/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { findObject } from '../find-object.ts';
import type { AdmissionContext } from '../plugin-context.ts';
import type { PodLike, Violation } from './checks/index.ts';
import { defaultPodSecurityConfiguration, type PodSecurityConfiguration } from './configuration.ts';
import { detailsOf, evaluatePod } from './evaluate-pod.ts';
import { existingPodWarnings } from './existing-pods.ts';
import { podLike, podTemplateOf, resourcesWithTemplate } from './pod-template.ts';
import {
  compareLevels,
  describe,
  isEquivalent,
  isFullyPrivileged,
  type LevelVersion,
  labelPrefix,
  levelLabel,
  modes,
  type ParsedPolicy,
  type Policy,
  policyOf,
  sameLevelVersion,
  versionLabel,
} from './policy.ts';
import { isSignificantUpdate } from './significant-update.ts';

/** Of pods' subresources, those that cannot change what the pod runs are not looked at. */
const podResources = ['pods', 'pods/ephemeralcontainers', 'pods/resize'];

/**
 * Pods are as their namespace's labels want them (`pod-security.kubernetes.io/enforce: baseline`), or refused, told of,
 * or recorded; what makes pods is told of and recorded. Labels that make no sense are refused where they are set.
 */
export function podSecurity(
  context: Pick<AdmissionContext, 'listers' | 'client' | 'now'>,
  configuration: PodSecurityConfiguration = defaultPodSecurityConfiguration,
): AdmissionPlugin {
  const { exemptions, defaults } = configuration;
  // Of namespaces as the lister has them, which nobody changes: they are asked for with every pod.
  const policies = new WeakMap<object, ParsedPolicy>();
  const policyFor = ({ metadata: { labels } }: Namespace): ParsedPolicy => {
    const known = labels && policies.get(labels);
    if (known) return known;
    const policy = policyOf(labels, defaults);
    if (labels) policies.set(labels, policy);
    return policy;
  };

  const judge = (attributes: AdmissionAttributes, pod: PodLike, { policy, errors }: ParsedPolicy): void => {
    const { runtimeClassName = '' } = pod.spec;
    if (exemptions.runtimeClasses.has(runtimeClassName)) {
      annotate(attributes, 'exempt', 'runtimeClass');
      return;
    }
    if (errors.length > 0) annotate(attributes, 'error', `Failed to parse policy: ${aggregate(errors)}`);
    const found = new Map<string, Violation[]>();
    /** What is wrong in words, empty for nothing. */
    const evaluate = (wanted: LevelVersion): string => {
      const name = describe(wanted);
      const violations = found.get(name) ?? evaluatePod(wanted, pod);
      found.set(name, violations);
      return violations.length > 0 ? `PodSecurity ${quote(name)}: ${detailsOf(violations)}` : '';
    };
    const enforces = isPod(attributes);
    const refused = enforces ? evaluate(policy.enforce) : '';
    if (enforces) annotate(attributes, 'enforce-policy', describe(policy.enforce));
    const recorded = evaluate(policy.audit);
    if (recorded) annotate(attributes, 'audit-violations', `would violate ${recorded}`);
    if (refused) throw newForbidden(attributes.resource.groupResource, attributes.name, `violates ${refused}`);
    const told = evaluate(policy.warn);
    if (told) attributes.warn(`would violate ${told}`);
  };

  const validatePodOrController = async (attributes: AdmissionAttributes): Promise<void> => {
    const { namespace, resource, object, oldObject, user } = attributes;
    if (exemptions.namespaces.has(namespace)) return annotate(attributes, 'exempt', 'namespace');
    if (exemptions.usernames.has(user.username ?? '')) return annotate(attributes, 'exempt', 'user');
    const found =
      context.listers.lister<Namespace>('', 'namespaces').get('', namespace) ??
      (await findObject<Namespace>(context, '', 'namespaces', '', namespace));
    if (!found) return namespaceUnknown(attributes);
    const parsed = policyFor(found);
    const { policy, errors } = parsed;
    if (isPod(attributes)) {
      if (errors.length === 0 && isFullyPrivileged(policy))
        return annotate(attributes, 'enforce-policy', 'privileged:latest');
      if (oldObject && !isSignificantUpdate(object as Pod, oldObject as Pod)) return;
      return judge(attributes, podLike(object as Pod), parsed);
    }
    if (errors.length === 0 && policy.warn.level === 'privileged' && policy.audit.level === 'privileged') return;
    const template = object && podTemplateOf(`${resource.groupResource}`, object);
    if (template) judge(attributes, template, parsed);
  };

  const validateNamespace = async (attributes: AdmissionAttributes): Promise<void> => {
    const { kind, name, namespace, object, oldObject, warn, eventLoop } = attributes;
    const labels = object?.metadata?.labels ?? {};
    const { policy, errors } = policyOf(labels, defaults);
    const old = oldObject && policyOf(oldObject.metadata?.labels, defaults);
    const complaints = errors.join('\n');
    if (errors.length > 0 && complaints !== old?.errors.join('\n')) throw newInvalid(kind.groupKind, name, errors);
    if (old && !asksForMore(policy.enforce, old.policy.enforce)) return;
    if (exemptions.namespaces.has(namespace)) {
      if (!isFullyPrivileged(policy) && !isEquivalent(policy, defaults)) warn(exemptWarning(name, policy, labels));
      return;
    }
    if (!old) return;
    const pods = context.listers.lister<Pod>('', 'pods');
    await pods.synced;
    const warnings = await existingPodWarnings(pods.list(name), {
      namespace: name,
      enforce: policy.enforce,
      isExempt: ({ spec }) => exemptions.runtimeClasses.has(spec?.runtimeClassName ?? ''),
      now: context.now,
      eventLoop,
    });
    for (const warning of warnings) warn(warning);
  };

  return {
    name: 'PodSecurity',
    operations: ['CREATE', 'UPDATE'],
    resources: ['namespaces', ...podResources, ...resourcesWithTemplate],
    validate: (attributes) =>
      attributes.resource.resource === 'namespaces'
        ? validateNamespace(attributes)
        : validatePodOrController(attributes),
  };
}

const isPod = ({ resource }: AdmissionAttributes): boolean => resource.resource === 'pods';

const annotate = (attributes: AdmissionAttributes, key: string, value: string): void =>
  attributes.annotate(`${labelPrefix}${key}`, value);

/** Whether pods that were good enough might no longer be. */
const asksForMore = (policy: LevelVersion, old: LevelVersion): boolean =>
  !sameLevelVersion(policy, old) &&
  policy.level !== 'privileged' &&
  !(policy.version === old.version && compareLevels(policy.level, old.level) <= 0);

/** Whoever makes pods is let through: the pods are not. */
function namespaceUnknown(attributes: AdmissionAttributes): void {
  const message = `failed to lookup namespace ${quote(attributes.namespace)}`;
  annotate(attributes, 'error', `${message}: namespace ${quote(attributes.namespace)} not found`);
  if (isPod(attributes)) throw newInternalError(message);
}

function exemptWarning(name: string, policy: Policy, labels: Readonly<Record<string, string>>): string {
  const said = modes.filter(
    (mode) =>
      policy[mode].level !== 'privileged' &&
      (Object.hasOwn(labels, levelLabel(mode)) || Object.hasOwn(labels, versionLabel(mode))),
  );
  const parts = said.map((mode) => `${mode}=${describe(policy[mode])}`).join(', ');
  return `namespace ${quote(name)} is exempt from Pod Security, and the policy (${parts}) will be ignored`;
}
