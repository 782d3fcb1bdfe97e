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

/** Updates of other subresources cannot change what a pod runs, and are not checked. */
const podResources = ['pods', 'pods/ephemeralcontainers', 'pods/resize'];

/**
 * Checks pods against the labels of their namespace (`pod-security.kubernetes.io/enforce: baseline`): violations are
 * rejected, audited, or cause warnings. Violations of pod templates are audited or cause warnings. Rejects invalid
 * labels when they are set.
 */
export function podSecurity(
  context: Pick<AdmissionContext, 'listers' | 'client' | 'now'>,
  configuration: PodSecurityConfiguration = defaultPodSecurityConfiguration,
): AdmissionPlugin {
  const { exemptions, defaults } = configuration;
  // Cached, as the policy is needed for every pod. The keys are labels of objects in the lister, which are never
  // modified.
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
    /** Describes the violations; empty without any. */
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

/** Whether valid pods may violate the new policy. */
const asksForMore = (policy: LevelVersion, old: LevelVersion): boolean =>
  !sameLevelVersion(policy, old) &&
  policy.level !== 'privileged' &&
  !(policy.version === old.version && compareLevels(policy.level, old.level) <= 0);

/** Pod templates are accepted in a missing namespace; pods are rejected. */
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
