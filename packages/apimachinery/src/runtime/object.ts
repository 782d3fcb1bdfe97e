/** The version of a hub that is not a version of the API. */
export const API_VERSION_INTERNAL = '__internal';

/**
 * Any API object: a plain object with apiVersion and kind. It corresponds to upstream's `runtime.Object`, without methods, since every
 * plain object can be copied and has its kind as a property.
 */
export interface RuntimeObject {
  apiVersion: string;
  kind: string;
}

/** Whether the value is an object with apiVersion and kind. */
export function isObject(value: unknown): value is RuntimeObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    'apiVersion' in value &&
    typeof value.apiVersion === 'string' &&
    value.apiVersion !== '' &&
    'kind' in value &&
    typeof value.kind === 'string' &&
    value.kind !== ''
  );
}
