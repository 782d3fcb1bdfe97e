import { readFile } from 'node:fs/promises';
import {
  aggregate,
  type ErrorList,
  invalid,
  nameIsDnsSubdomain,
  notSupported,
  Path,
  required,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { Logger } from '@coxswain/apimachinery/log';
import { type ObjectReader, readConfiguration } from '../configuration/object-reader.ts';
import {
  type AuditLevel,
  AuditPolicy,
  type AuditPolicySpec,
  type AuditRule,
  type AuditStage,
  auditLevels,
  auditStages,
} from './audit-policy.ts';

/** Reads the file of `--audit-policy-file`. Throws an Error with upstream's message, which names the file. */
export async function loadAuditPolicy(path: string, logger: Logger): Promise<AuditPolicy> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`loading audit policy file: failed to read file path ${JSON.stringify(path)}: ${reason}`, {
      cause,
    });
  }
  try {
    return new AuditPolicy(parseAuditPolicy(text, logger));
  } catch (cause) {
    throw new Error(`loading audit policy file: ${messageOf(cause)}: from file ${path}`, { cause });
  }
}

/**
 * Parses an audit.k8s.io/v1 Policy in YAML or JSON. Unknown fields are logged as a warning and ignored, as upstream
 * does. Throws an Error that names the field at fault.
 */
export function parseAuditPolicy(text: string, logger: Logger): AuditPolicySpec {
  const document = readConfiguration(text);
  const { apiVersion, kind } = document.raw;
  if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy')
    throw new Error(`unknown group version field ${apiVersion ?? ''}, Kind=${kind ?? ''} in policy`);
  const policy: AuditPolicySpec = {
    omitStages: document.strings('omitStages') as AuditStage[],
    omitManagedFields: document.boolean('omitManagedFields') ?? false,
    rules: document.objects('rules').map(readRule),
  };
  document.ignore('apiVersion', 'kind', 'metadata');
  if (document.unknown.length > 0) {
    const problems = document.unknown.map((field) => `unknown field ${JSON.stringify(field)}`).join(', ');
    logger.warn('Audit policy contains errors, falling back to lenient decoding', {
      err: `strict decoding error: ${problems}`,
    });
  }
  const errors = validatePolicy(policy);
  if (errors.length > 0) throw new Error(aggregate(errors));
  if (policy.rules.length === 0) throw new Error('loaded illegal policy with 0 rules');
  return policy;
}

function readRule(rule: ObjectReader): AuditRule {
  return {
    level: (rule.string('level') ?? '') as AuditLevel,
    users: rule.strings('users'),
    userGroups: rule.strings('userGroups'),
    verbs: rule.strings('verbs'),
    resources: rule.objects('resources').map((resource) => ({
      group: resource.string('group') ?? '',
      resources: resource.strings('resources'),
      resourceNames: resource.strings('resourceNames'),
    })),
    namespaces: rule.strings('namespaces'),
    nonResourceURLs: rule.strings('nonResourceURLs'),
    omitStages: rule.strings('omitStages') as AuditStage[],
    omitManagedFields: rule.boolean('omitManagedFields'),
  };
}

function validatePolicy(policy: AuditPolicySpec): ErrorList {
  const errors: ErrorList = [];
  validateStages(policy.omitStages, Path.of('omitStages'), errors);
  for (const [index, rule] of policy.rules.entries()) validateRule(rule, Path.of('rules').index(index), errors);
  return errors;
}

function validateRule(rule: AuditRule, path: Path, errors: ErrorList): void {
  const { level, nonResourceURLs, resources, namespaces } = rule;
  const levelPath = path.child('level');
  if ((level as string) === '') errors.push(required(levelPath));
  else if (!auditLevels.includes(level)) errors.push(notSupported(levelPath, level, auditLevels));
  const urlsPath = path.child('nonResourceURLs');
  for (const [index, url] of nonResourceURLs.entries()) {
    if (url === '*') continue;
    if (!url.startsWith('/'))
      errors.push(invalid(urlsPath.index(index), url, "non-resource URL rules must begin with a '/' character"));
    if (url.slice(0, -1).includes('*'))
      errors.push(
        invalid(urlsPath.index(index), url, "non-resource URL wildcards '*' must be the final character of the rule"),
      );
  }
  const resourcesPath = path.child('resources');
  for (const { group, resources: names, resourceNames } of resources) {
    const problems = group === '' || group === '*' ? [] : nameIsDnsSubdomain(group, false);
    if (problems.length > 0) errors.push(invalid(resourcesPath.child('group'), group, problems.join(',')));
    if (resourceNames.length > 0 && names.length === 0)
      errors.push(
        invalid(
          resourcesPath.child('resourceNames'),
          resourceNames,
          'using resourceNames requires at least one resource',
        ),
      );
  }
  validateStages(rule.omitStages, path.child('omitStages'), errors);
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0))
    errors.push(
      invalid(urlsPath, nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs'),
    );
}

function validateStages(stages: readonly AuditStage[], path: Path, errors: ErrorList): void {
  for (const [index, stage] of stages.entries())
    if (!auditStages.includes(stage))
      errors.push(invalid(path.index(index), stage, `allowed stages are ${auditStages.join(',')}`));
}
