import type { JsonObject } from './dialect.ts';

/** Old kubectl looks for these two in the operation itself. */
const neverShared: ReadonlySet<unknown> = new Set(['name', 'dryRun', 'fieldValidation']);

/** Writes parameters that many operations have once, and refers to them from then on. */
export class SharedParameters {
  readonly #shared = new Map<string, JsonObject>();
  /** By the parameter's text. */
  readonly #names = new Map<string, string>();

  parameters(): JsonObject {
    return Object.fromEntries([...this.#shared].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The parameter itself, or a reference that stands for it. */
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

/** A body of a kind is used by that kind alone; only options and patches are everybody's. */
function isOwnBody({ in: place, schema }: JsonObject): boolean {
  if (place !== 'body' || typeof schema !== 'object' || schema === null) return false;
  return !('$ref' in schema) || !String(schema.$ref).startsWith('#/definitions/io.k8s.apimachinery');
}

/** Upstream's: FNV-1 of 64 bits, of which six bytes in base64. Names are the same as there. */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, hash * 0x100000001b3n) ^ BigInt(byte);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(hash);
  return bytes.subarray(0, 6).toString('base64url');
}
