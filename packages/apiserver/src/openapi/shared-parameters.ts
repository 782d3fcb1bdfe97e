import type { JsonObject } from './dialect.ts';

/** Old versions of kubectl look for `dryRun` and `fieldValidation` in the operation itself. */
const neverShared: ReadonlySet<unknown> = new Set(['name', 'dryRun', 'fieldValidation']);

/** Collects the shared parameters of a v2 document, which operations refer to. */
export class SharedParameters {
  readonly #shared = new Map<string, JsonObject>();
  /** Names of shared parameters, by their JSON. */
  readonly #names = new Map<string, string>();

  parameters(): JsonObject {
    return Object.fromEntries([...this.#shared].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the parameter itself, or a reference to the shared one. */
  share(parameter: JsonObject): JsonObject {
    if (neverShared.has(parameter.name) || isOwnBody(parameter)) return parameter;
    const text = JSON.stringify(parameter);
    let name = this.#names.get(text);
    if (name === undefined) {
      name = `${parameter.name}-${shortHash(text)}`;
      this.#names.set(text, name);
      this.#shared.set(name, parameter);
    }
    return { $ref: `#/parameters/${name}` };
  }
}

/** Returns whether a parameter is a body of one kind. Only bodies with options and patches are shared between kinds. */
function isOwnBody({ in: place, schema }: JsonObject): boolean {
  if (place !== 'body' || typeof schema !== 'object' || schema === null) return false;
  return !('$ref' in schema) || !String(schema.$ref).startsWith('#/definitions/io.k8s.apimachinery');
}

/** Upstream's hash, so that names are the same: six bytes of a 64-bit FNV-1 hash in base64. */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, hash * 0x100000001b3n) ^ BigInt(byte);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(hash);
  return bytes.subarray(0, 6).toString('base64url');
}
