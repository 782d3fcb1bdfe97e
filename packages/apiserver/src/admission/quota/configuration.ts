import type { Scope } from '@coxswain/api';
import { aggregate, isJsonObject, Path, required } from '@coxswain/apimachinery';
import type { ObjectReader } from '../../configuration/object-reader.ts';

/** A resource that nobody may use without a quota for it. */
export interface LimitedResource {
  readonly apiGroup: string;
  readonly resource: string;
  /** Which of what its objects use: names that have one of these in them. */
  readonly matchContains: readonly string[];
  /** Which of its objects. */
  readonly matchScopes: readonly Scope[];
}

/** What the administrator says about quotas: `ResourceQuotaConfiguration`. */
export interface ResourceQuotaConfiguration {
  readonly limitedResources: readonly LimitedResource[];
}

/** Nothing is limited unless there is a quota. */
export const defaultResourceQuotaConfiguration: ResourceQuotaConfiguration = { limitedResources: [] };

const kind = { apiVersions: ['apiserver.config.k8s.io/v1'], kind: 'ResourceQuotaConfiguration' };
const legacyGroup = 'resourcequota.admission.k8s.io';
const legacyKind = { apiVersions: [`${legacyGroup}/v1beta1`, `${legacyGroup}/v1alpha1`], kind: 'Configuration' };

/** What an object of that version must be: it had another name once. */
export const resourceQuotaConfigurationKind = (value: unknown): typeof kind =>
  isJsonObject(value) && legacyKind.apiVersions.includes(String(value.apiVersion)) ? legacyKind : kind;

/** Reads `ResourceQuotaConfiguration`. Throws an Error that names everything wrong. */
export function readResourceQuotaConfiguration(reader: ObjectReader): ResourceQuotaConfiguration {
  reader.ignore('apiVersion', 'kind');
  const limitedResources = reader.objects('limitedResources').map((limited) => ({
    apiGroup: limited.string('apiGroup') ?? '',
    resource: limited.string('resource') ?? '',
    matchContains: limited.strings('matchContains'),
    matchScopes: limited.objects('matchScopes').map(
      (scope): Scope => ({
        scopeName: (scope.string('scopeName') ?? '') as Scope['scopeName'],
        operator: (scope.string('operator') ?? '') as Scope['operator'],
        values: scope.strings('values'),
      }),
    ),
  }));
  const unknown = reader.unknown.map((field) => `unknown field "${field}"`);
  if (unknown.length > 0) throw new Error(`strict decoding error: ${unknown.join(', ')}`);
  const errors = limitedResources.flatMap(({ resource }, index) =>
    resource === '' ? [required(Path.of('limitedResources').index(index).child('resource'), '')] : [],
  );
  if (errors.length > 0) throw new Error(aggregate(errors));
  return { limitedResources };
}
