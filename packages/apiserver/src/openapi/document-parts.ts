import { versionInfo } from '../version/index.ts';
import type { JsonObject } from './dialect.ts';

export const info: JsonObject = { title: 'Kubernetes', version: `${versionInfo.major}.${versionInfo.minor}` };

export const securityScheme: JsonObject = {
  type: 'apiKey',
  description: 'Bearer Token authentication',
  name: 'authorization',
  in: 'header',
};

export const sortedRecord = (entries: readonly (readonly [string, JsonObject])[]): JsonObject =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Returns the object without members that are undefined, an empty list or an empty object. */
export const withoutEmpty = (object: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) =>
        value !== undefined && (typeof value !== 'object' || value === null || Object.keys(value).length > 0),
    ),
  );
