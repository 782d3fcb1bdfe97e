/** The version of hub forms that are no version of the API. */
export const API_VERSION_INTERNAL = '__internal';

/**
 * Any API object: a plain object that says what it is. Upstream's `runtime.Object` with nothing to implement, since
 * every plain object can be copied and asked for its kind.
 */
export interface RuntimeObject {
  apiVersion: string;
  kind: string;
}

/** Whether the value is an object that says what it is. */
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
