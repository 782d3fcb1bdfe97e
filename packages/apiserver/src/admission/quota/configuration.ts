import type { Scope } from '@coxswain/api';
import { aggregate, isJsonObject, Path, required } from '@coxswain/apimachinery';
import type { ObjectReader } from '../../configuration/object-reader.ts';

/** A resource that must not be used without a quota that covers it. */
export interface LimitedResource {
  readonly apiGroup: string;
  readonly resource: string;
  /** Substrings of the names of usage that requires a quota. */
  readonly matchContains: readonly string[];
  /** Scopes of objects that require a quota. */
  readonly matchScopes: readonly Scope[];
}

/** The configuration of the ResourceQuota plug-in: `ResourceQuotaConfiguration`. */
export interface ResourceQuotaConfiguration {
  readonly limitedResources: readonly LimitedResource[];
}

/** No resources are limited without a quota. */
export const defaultResourceQuotaConfiguration: ResourceQuotaConfiguration = { limitedResources: [] };

const kind = { apiVersions: ['apiserver.config.k8s.io/v1'], kind: 'ResourceQuotaConfiguration' };
const legacyGroup = 'resourcequota.admission.k8s.io';
const legacyKind = { apiVersions: [`${legacyGroup}/v1beta1`, `${legacyGroup}/v1alpha1`], kind: 'Configuration' };

/** The expected kind, which differs for legacy versions. */
export const resourceQuotaConfigurationKind = (value: unknown): typeof kind =>
  isJsonObject(value) && legacyKind.apiVersions.includes(String(value.apiVersion)) ? legacyKind : kind;

/** Reads a `ResourceQuotaConfiguration`. Throws an Error with all problems. */
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
