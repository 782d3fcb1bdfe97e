import type { JsonObject } from './scenario.ts';

const uuids = /\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/g;
const times = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?(Z|[+-]\d\d:\d\d)/g;
const jwt = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
const recentMs = 2 * 3_600_000;

/**
 * Replaces values that differ between servers and runs by stable names: the first uid is always `uid-1`. Values that occur in the
 * requests are not replaced.
 */
export class Normalizer {
  readonly #said: string;
  readonly #namespace: string;
  readonly #names = new Map<string, Map<string, string>>();
  /** Replacements of whole words, in any text. */
  readonly #words = new Map<string, string>();

  /** `said` is the text of all requests. */
  constructor(said: string, namespace: string) {
    this.#said = said;
    this.#namespace = namespace;
  }

  /** Returns the stable name of a value of this sort. */
  #name(sort: string, value: string): string {
    const names = this.#names.get(sort) ?? new Map<string, string>();
    this.#names.set(sort, names);
    const name = names.get(value) ?? `${sort}-${names.size + 1}`;
    names.set(value, name);
    return name;
  }

  text(text: string): string {
    const short =
      text.length > 1000 ? text.replace(/(\w)\1{999,}/g, (run, one) => `{{${one} ${run.length} times}}`) : text;
    let result = short.replaceAll(this.#namespace, '{{ns}}').replace(uuids, (uid) => this.#name('uid', uid));
    for (const [word, name] of this.#words) result = result.replaceAll(word, name);
    // A volume that admission adds to pods.
    result = result.replace(/\bkube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-{{gen}}');
    return result.replace(times, (time, micros) =>
      Math.abs(Date.now() - Date.parse(time)) < recentMs && !this.#said.includes(time)
        ? `{{${micros === undefined ? 'time' : 'microtime'}}}`
        : time,
    );
  }

  /** Normalizes a message, which may quote resource versions. */
  message(text: string): string {
    const known = this.#names.get('rv');
    const dated = text.replace(/^(too old resource version: \d+) \(\d+\)$/, '$1 (rv-of-collection)');
    return this.text(dated).replace(/(?<![\w.-])\d{2,}(?![\w.-]|\.\d)/g, (digits) => known?.get(digits) ?? digits);
  }

  /** Normalizes a header like a message, except for the code of a warning. */
  header(text: string): string {
    const [, code = '', rest = ''] = /^(299 - )?(.*)$/s.exec(text) ?? [];
    return code + this.message(rest);
  }

  value(value: unknown, key = ''): unknown {
    if (key === 'managedFields' && Array.isArray(value))
      return [...value].sort(byManager).map((item) => this.value(item));
    if (Array.isArray(value)) return value.map((item) => this.value(item, key === 'clusterIPs' ? 'clusterIP' : key));
    if (typeof value === 'object' && value !== null) return this.#object(value as JsonObject);
    if (typeof value === 'string') return this.#string(value, key);
    if (typeof value === 'number' && /nodePort$/i.test(key) && value > 0 && !this.#said.includes(String(value)))
      return this.#name('port', String(value));
    return value;
  }

  #object(object: JsonObject): JsonObject {
    const metadata = object.metadata as JsonObject | undefined;
    const isCollection = /(List|Table)$/.test(String(object.kind ?? ''));
    const isBookmark = object.type === 'BOOKMARK';
    if (metadata && typeof metadata === 'object') {
      const { generateName, name } = metadata;
      if (typeof generateName === 'string' && typeof name === 'string' && /^.+[a-z0-9]{5}$/.test(name)) {
        if (!this.#said.includes(name) && name.length >= 6)
          this.#words.set(name, `${this.text(name.slice(0, -5))}${this.#name('gen', name)}`);
      }
    }
    const { name } = (object.details ?? {}) as { name?: unknown };
    if (typeof name === 'string') {
      const prefix = name.slice(0, -5);
      if (prefix && this.#said.includes(`"generateName":"${prefix}"`)) this.#words.set(name, `${prefix}{{gen}}`);
    }
    const result: JsonObject = {};
    for (const [key, value] of Object.entries(object)) {
      if (key === 'metadata' && isCollection) result[key] = this.#collectionMeta(value as JsonObject);
      else if (key === 'object' && isBookmark) result[key] = this.#bookmark(value as JsonObject);
      else result[this.text(key)] = this.value(value, key);
    }
    return result;
  }

  /** Removes the resourceVersion of a collection, which depends on unrelated writes. */
  #collectionMeta(metadata: JsonObject): JsonObject {
    const { resourceVersion, ...rest } = this.value({ ...metadata, resourceVersion: '' }) as JsonObject;
    return { ...(metadata.resourceVersion !== undefined && { resourceVersion: 'rv-of-collection' }), ...rest };
  }

  #bookmark(object: JsonObject): JsonObject {
    const metadata = object.metadata as JsonObject;
    return { ...object, metadata: { ...(this.value(metadata) as JsonObject), resourceVersion: 'rv-of-collection' } };
  }

  #string(text: string, key: string): string {
    switch (key) {
      case 'resourceVersion':
        return text === '' || text === '0' ? text : this.#name('rv', text);
      case 'message':
      case 'reason':
        return this.message(text);
      case 'continue':
        return this.#continue(text);
      case 'clusterIP':
        return this.#address(text);
      case 'storageVersionHash':
        // The hash depends on the group, and the group on the namespace.
        return this.#said.includes('CustomResourceDefinition') ? '{{hash}}' : text;
      case 'token':
        return jwt.test(text) ? '{{jwt}}' : this.text(text);
      case 'cells':
        return /^(\d+[smhdy])+$/.test(text) ? '{{age}}' : this.message(this.#address(text));
      default:
        return this.text(text);
    }
  }

  #address(text: string): string {
    return /^(10\.96\.|fd00:10:96::)/.test(text) && !this.#said.includes(text) ? this.#name('ip', text) : text;
  }

  #continue(text: string): string {
    if (text === '') return text;
    const { v, start, rv, ...rest } = JSON.parse(Buffer.from(text, 'base64').toString());
    return `${v} ${this.text(start.replace(/^\//, ''))} ${rv > 0 ? 'rv-of-collection' : rv} ${JSON.stringify(rest)}`;
  }
}

/** Sorts managedFields by manager, because upstream sorts them by time first, which varies between runs. */
const byManager = (a: JsonObject, b: JsonObject): number => nameOf(a).localeCompare(nameOf(b));

const nameOf = ({ operation, manager, subresource, apiVersion }: JsonObject): string =>
  `${operation} ${manager} ${subresource} ${apiVersion}`;
