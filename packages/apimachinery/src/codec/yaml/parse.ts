import { type Alias, isAlias, isCollection, isMap, isScalar, isSeq, type Scalar, type YAMLMap } from 'yaml';
import { MAX_JSON_DEPTH } from '../../json/depth.ts';
import { setOwnEntry } from '../../json/own-entry.ts';
import { decodeBase64 } from '../../schema/base64.ts';
import { NumberLiteral } from '../../schema/number-literal.ts';
import { quote } from '../../strconv/quote.ts';
import { completed, type Steps } from '../../steps/index.ts';
import { decodeUtf8 } from '../utf8.ts';
import { composeFirstDocument } from './compose.ts';
import { formatGoFloat32 } from './go-float.ts';
import { type ResolvedScalar, resolveScalar, type ScalarTag } from './scalar.ts';
import { YamlError } from './yaml-error.ts';

export interface ParsedYaml {
  /** Integers beyond int64 are NumberLiterals. */
  readonly value: unknown;
  /** The duplicate keys of mappings, in upstream's words. */
  readonly duplicateKeys: readonly string[];
}

/**
 * Parses the first document of a YAML text as kubectl and the API server do: by the rules of YAML 1.1, with anchors and merge keys
 * resolved and all keys converted to strings. Without a document the value is null. Of duplicate keys the last wins. Throws YamlError for
 * a text that is not YAML, for values that JSON cannot represent, and for documents that aliases make excessively large.
 */
export const parseYaml = (input: string | Uint8Array): ParsedYaml => completed(parseYamlInSteps(input));

/** Like `parseYaml`, in steps. */
export function* parseYamlInSteps(input: string | Uint8Array): Steps<ParsedYaml> {
  const { text, document } = yield* composeFirstDocument(input);
  if (!document?.contents) return { value: null, duplicateKeys: [] };
  const converter = new Converter(text);
  converter.findAnchors(document.contents);
  yield;
  return { value: yield* converter.convert(document.contents, 0), duplicateKeys: converter.duplicateKeys };
}

const tagPrefix = 'tag:yaml.org,2002:';

/** Upstream allows documents with up to this many nodes to consist almost entirely of expanded aliases. */
const smallDocument = 400_000;
const largeDocument = 4_000_000;

function allowedAliasRatio(nodes: number): number {
  if (nodes <= smallDocument) return 0.99;
  if (nodes >= largeDocument) return 0.1;
  return 0.99 - 0.89 * ((nodes - smallDocument) / (largeDocument - smallDocument));
}

/** Differs from upstream: more aliased nodes than an object can have are refused, whatever else is in the document. */
const maxAliasedNodes = 100_000;

/** The maximum number of duplicate keys reported, as for JSON. */
const maxDuplicateKeys = 100;

const nodesBetweenYields = 1024;

class Converter {
  readonly duplicateKeys: string[] = [];
  readonly #text: string;
  readonly #targets = new Map<Alias, unknown>();
  /** The aliases that are being expanded. */
  readonly #open = new Set<Alias>();
  #nodes = 0;
  #aliasedNodes = 0;
  /** The offsets at which lines begin, computed when a line is first needed. */
  #lines: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Finds the node of each alias: the last node before it that has its anchor. */
  findAnchors(root: unknown): void {
    const anchors = new Map<string, unknown>();
    const visit = (node: unknown): void => {
      if (isAlias(node)) {
        if (!anchors.has(node.source)) throw new YamlError(`yaml: unknown anchor '${node.source}' referenced`);
        this.#targets.set(node, anchors.get(node.source));
        return;
      }
      if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor) anchors.set(node.anchor, node);
      if (isSeq(node)) node.items.forEach(visit);
      if (isMap(node)) {
        for (const pair of node.items) {
          visit(pair.key);
          visit(pair.value);
        }
      }
    };
    visit(root);
  }

  *convert(node: unknown, depth: number): Steps<unknown> {
    if (this.#count()) yield;
    if (depth > MAX_JSON_DEPTH) throw new YamlError(`yaml: exceeded max depth of ${MAX_JSON_DEPTH}`);
    if (isAlias(node)) {
      const value = yield* this.convert(this.#enter(node), depth);
      this.#open.delete(node);
      return value;
    }
    if (isSeq(node)) {
      const list: unknown[] = [];
      for (const item of node.items) {
        if (isLeaf(item)) {
          if (this.#count()) yield;
          list.push(this.#leaf(item));
        } else list.push(yield* this.convert(item, depth + 1));
      }
      return list;
    }
    if (isMap(node)) {
      const object: Record<string, unknown> = {};
      yield* this.#fill(object, new Set(), node, depth);
      return object;
    }
    return this.#leaf(node);
  }

  #leaf(node: unknown): unknown {
    const { tag, value } = isScalar(node) ? this.#scalar(node) : { tag: 'null', value: null };
    if (tag === 'float' && !Number.isFinite(value)) {
      const name = Number.isNaN(value) ? 'NaN' : Number(value) > 0 ? '+Inf' : '-Inf';
      throw new YamlError(`json: unsupported value: ${name}`);
    }
    return value;
  }

  /** Adds a mapping's entries to an object. When mappings are merged, the object has entries already. */
  *#fill(object: Record<string, unknown>, seen: Set<string>, node: YAMLMap, depth: number): Steps<void> {
    for (const { key, value } of node.items) {
      if (isMergeKey(key)) {
        for (const source of this.#mergeSources(value)) yield* this.#merge(object, seen, source, depth);
        continue;
      }
      if (this.#count()) yield;
      const { text, tag } = this.#keyOf(key);
      const identity = `${tag} ${text}`;
      if (seen.has(identity) && this.duplicateKeys.length < maxDuplicateKeys) {
        const printed = tag === 'str' || tag === 'timestamp' ? quote(text) : text;
        this.duplicateKeys.push(`line ${this.#lineOf(value, key)}: key ${printed} already set in map`);
      }
      seen.add(identity);
      if (isLeaf(value)) {
        if (this.#count()) yield;
        setOwnEntry(object, text, this.#leaf(value));
      } else setOwnEntry(object, text, yield* this.convert(value, depth + 1));
    }
  }

  *#merge(object: Record<string, unknown>, seen: Set<string>, source: unknown, depth: number): Steps<void> {
    if (this.#count()) yield;
    if (isAlias(source)) {
      yield* this.#merge(object, seen, this.#enter(source), depth);
      this.#open.delete(source);
    } else if (isMap(source)) yield* this.#fill(object, seen, source, depth);
    else throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
  }

  /** Returns the maps of a merge key in the order in which they are merged. Earlier maps win, so they come last. */
  #mergeSources(value: unknown): unknown[] {
    return isSeq(value) ? [...value.items].reverse() : [value];
  }

  /** Returns the node that the alias stands for, and marks the alias as being expanded. */
  #enter(alias: Alias): unknown {
    if (this.#open.has(alias)) throw new YamlError(`yaml: anchor '${alias.source}' value contains itself`);
    this.#open.add(alias);
    return this.#targets.get(alias);
  }

  /** Counts a node. Returns whether it is time to yield. */
  #count(): boolean {
    this.#nodes++;
    if (this.#open.size > 0) this.#aliasedNodes++;
    if (this.#aliasedNodes > 100 && this.#nodes > 1000) {
      const excessive =
        this.#aliasedNodes > maxAliasedNodes || this.#aliasedNodes / this.#nodes > allowedAliasRatio(this.#nodes);
      if (excessive) throw new YamlError('yaml: document contains excessive aliasing');
    }
    return this.#nodes % nodesBetweenYields === 0;
  }

  #keyOf(node: unknown): { text: string; tag: ScalarTag } {
    if (isAlias(node)) {
      const key = this.#keyOf(this.#enter(node));
      this.#open.delete(node);
      return key;
    }
    if (isSeq(node) || isMap(node)) throw new YamlError(`yaml: invalid map key: ${isSeq(node) ? 'a list' : 'a map'}`);
    const { tag, value } = isScalar(node) ? this.#scalar(node) : ({ tag: 'null', value: null } as const);
    if (tag === 'null') throw new YamlError('unsupported map key of type: %!s(<nil>), key: <nil>');
    if (value instanceof NumberLiteral) throw new YamlError(`unsupported map key of type: uint64, key: ${value.text}`);
    return { text: tag === 'float' ? formatGoFloat32(Number(value)) : String(value), tag };
  }

  #scalar(node: Scalar): ResolvedScalar {
    const source = node.source ?? '';
    if (node.type === 'QUOTE_DOUBLE' && /\p{Surrogate}/u.test(source)) {
      throw new YamlError('yaml: found invalid Unicode character escape code');
    }
    const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED';
    // At the end of a text without a final line break, a block scalar has no line break to keep.
    const atEnd = isBlock && !this.#text.endsWith('\n') && (node.range?.[1] ?? 0) >= this.#text.length;
    return resolveNode(node, atEnd ? source.replace(/\n$/, '') : source);
  }

  #lineOf(node: unknown, fallback: unknown): number {
    for (const candidate of [node, fallback]) {
      const known = isScalar(candidate) || isMap(candidate) || isSeq(candidate) || isAlias(candidate);
      if (known && candidate.range) return this.#lineAt(candidate.range[0]);
    }
    return 1;
  }

  #lineAt(offset: number): number {
    if (!this.#lines) {
      const lines = [0];
      for (let i = this.#text.indexOf('\n'); i !== -1; i = this.#text.indexOf('\n', i + 1)) lines.push(i + 1);
      this.#lines = lines;
    }
    let low = 0;
    let high = this.#lines.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#lines[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Most nodes are leaves, which are converted without a generator. */
const isLeaf = (node: unknown): boolean => !isCollection(node) && !isAlias(node);

const isMergeKey = (key: unknown): boolean =>
  isScalar(key) && key.source === '<<' && (key.tag === `${tagPrefix}merge` || (key.type === 'PLAIN' && !key.tag));

/** Resolves a scalar by its tag, by its quotes, or else by its text. */
function resolveNode(node: Scalar, text: string): ResolvedScalar {
  if (!node.tag) return node.type === 'PLAIN' ? resolveScalar(text) : { tag: 'str', value: text };
  if (!node.tag.startsWith(tagPrefix)) return { tag: 'str', value: text };
  const wanted = node.tag.slice(tagPrefix.length);
  switch (wanted) {
    case 'binary':
      return { tag: 'str', value: binary(text) };
    case 'bool':
    case 'int':
    case 'float':
    case 'null':
    case 'timestamp': {
      const found = resolveScalar(text);
      if (found.tag === wanted || (wanted === 'float' && found.tag === 'int'))
        return { tag: wanted, value: found.value };
      throw new YamlError(`yaml: cannot decode !!${found.tag} \`${text}\` as a !!${wanted}`);
    }
    default:
      return { tag: 'str', value: text };
  }
}

function binary(text: string): string {
  try {
    return decodeUtf8(decodeBase64(text));
  } catch (cause) {
    throw new YamlError('yaml: !!binary value contains invalid base64 data', { cause });
  }
}
