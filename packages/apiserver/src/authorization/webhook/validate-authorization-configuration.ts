import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import {
  canonicalDuration,
  duplicate,
  durationToMs,
  type ErrorList,
  type FieldError,
  invalid,
  isDns1123Subdomain,
  notSupported,
  Path,
  required,
  tooMany,
} from '@coxswain/apimachinery';
import { messageOf } from '@coxswain/apimachinery/errors';
import type { AuthorizationConfiguration, WebhookConfiguration } from './authorization-configuration.ts';

/** Compiles a match condition. Throws an Error when it is invalid. */
export type CompileCondition = (expression: string) => unknown;

const types = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'];
const maxConditions = 64;
const maxTimeoutMs = 30_000;

/** Returns all problems of a configuration, with upstream's messages. */
export async function validateAuthorizationConfiguration(
  { authorizers }: AuthorizationConfiguration,
  compile: CompileCondition,
): Promise<ErrorList> {
  const path = Path.of('authorizers');
  if (authorizers.length === 0) return [required(path, 'at least one authorization mode must be defined')];
  const errors: FieldError[] = [];
  const seenTypes = new Set<string>();
  const names = new Set<string>();
  for (const [index, { type, name, webhook }] of authorizers.entries()) {
    const at = path.index(index);
    const typeProblem = checkType(at.child('type'), type, seenTypes);
    if (typeProblem) {
      errors.push(typeProblem);
      continue;
    }
    seenTypes.add(type);
    errors.push(...checkName(at.child('name'), name, names));
    names.add(name);
    if (type !== 'Webhook') {
      if (webhook) errors.push(invalid(at.child('webhook'), 'non-null', 'may only be specified when type=Webhook'));
    } else if (webhook) errors.push(...(await checkWebhook(at, webhook, compile)));
    else errors.push(required(at.child('webhook'), 'required when type=Webhook'));
  }
  return errors;
}

function checkType(path: Path, type: string, seen: ReadonlySet<string>): FieldError | undefined {
  if (type === '') return required(path);
  if (!types.includes(type)) return notSupported(path, type, types);
  return seen.has(type) && type !== 'Webhook' ? duplicate(path, type) : undefined;
}

function checkName(path: Path, name: string, seen: ReadonlySet<string>): ErrorList {
  if (name === '') return [required(path)];
  if (seen.has(name)) return [duplicate(path, name)];
  const problems = isDns1123Subdomain(name);
  return problems.length > 0 ? [invalid(path, name, `authorizer name is invalid: ${problems.join(', ')}`)] : [];
}

async function checkWebhook(path: Path, webhook: WebhookConfiguration, compile: CompileCondition): Promise<ErrorList> {
  const { subjectAccessReviewVersion, matchConditionSubjectAccessReviewVersion: conditionVersion } = webhook;
  return [
    ...checkDuration(path.child('timeout'), webhook.timeout, 'must be > 0s and <= 30s', maxTimeoutMs),
    ...checkDuration(path.child('authorizedTTL'), webhook.authorizedTTL, 'must be > 0s'),
    ...checkDuration(path.child('unauthorizedTTL'), webhook.unauthorizedTTL, 'must be > 0s'),
    ...oneOf(path.child('subjectAccessReviewVersion'), subjectAccessReviewVersion, ['v1', 'v1beta1']),
    ...(conditionVersion !== '' || webhook.matchConditions.length > 0
      ? oneOf(
          path.child('matchConditionSubjectAccessReviewVersion'),
          conditionVersion,
          ['v1'],
          'required if match conditions are specified',
        )
      : []),
    ...oneOf(path.child('failurePolicy'), webhook.failurePolicy, ['NoOpinion', 'Deny']),
    ...(await checkConnection(path.child('connectionInfo'), webhook.connectionInfo)),
    ...checkConditions(path.child('matchConditions'), webhook.matchConditions, compile),
  ];
}

function checkDuration(path: Path, text: string, complaint: string, max = Number.POSITIVE_INFINITY): ErrorList {
  const ms = durationToMs(text);
  if (ms === 0) return [required(path)];
  return ms < 0 || ms > max ? [invalid(path, canonicalDuration(text), complaint)] : [];
}

function oneOf(path: Path, value: string, supported: readonly string[], whenMissing = ''): ErrorList {
  if (value === '') return [required(path, whenMissing)];
  return supported.includes(value) ? [] : [notSupported(path, value, supported)];
}

async function checkConnection(path: Path, info: WebhookConfiguration['connectionInfo']): Promise<ErrorList> {
  const { type, kubeConfigFile: file } = info;
  const filePath = path.child('kubeConfigFile');
  if (type === '') return [required(path.child('type'))];
  if (type === 'InClusterConfig')
    return file === undefined ? [] : [invalid(filePath, file, 'can only be set when type=KubeConfigFile')];
  if (type !== 'KubeConfigFile')
    // Go's names of the fields.
    return [
      notSupported(path.child('type'), { Type: type, KubeConfigFile: file ?? null }, [
        'InClusterConfig',
        'KubeConfigFile',
      ]),
    ];
  if (!file) return [required(filePath)];
  if (!isAbsolute(file)) return [invalid(filePath, file, 'must be an absolute path')];
  try {
    return (await stat(file)).isFile() ? [] : [invalid(filePath, file, 'must be a regular file')];
  } catch {
    return [invalid(filePath, file, `error loading file: stat ${file}: no such file or directory`)];
  }
}

function checkConditions(
  path: Path,
  conditions: WebhookConfiguration['matchConditions'],
  compile: CompileCondition,
): ErrorList {
  if (conditions.length > maxConditions) return [tooMany(path, conditions.length, maxConditions)];
  const seen = new Set<string>();
  return conditions.flatMap(({ expression }, index) => {
    const at = path.index(index).child('expression');
    if (expression.trim() === '') return [required(at)];
    if (seen.has(expression)) return [duplicate(at, expression)];
    seen.add(expression);
    try {
      compile(expression);
      return [];
    } catch (error) {
      return [invalid(at, expression, messageOf(error))];
    }
  });
}
