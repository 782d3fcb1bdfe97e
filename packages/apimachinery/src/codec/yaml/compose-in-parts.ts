import {
  Composer,
  type CST,
  type Document,
  isCollection,
  isPair,
  type Node,
  type YAMLError,
  YAMLMap,
  YAMLSeq,
} from 'yaml';
import type { Steps } from '../../steps/index.ts';

/**
 * The library composes a document in one go, which takes a tenth of a second for the largest ones that are accepted. Here large
 * collections are composed without their items. The items are composed afterwards, some at a time, each time as a separate document, and
 * then added to their collections. Collections that are not larger than a part are composed as they are.
 *
 * Invariant: the nodes, and whether there is an error, are the same either way. (Comments, and which of several errors is found first,
 * may differ.)
 */
export const defaultPartTokens = 1024;

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;
type Item = Collection['items'][number];

/** The items taken out of a collection. */
interface Detached {
  readonly token: Collection;
  readonly items: readonly Item[];
}

export const composerOptions = {
  version: '1.1',
  schema: 'failsafe',
  merge: false,
  uniqueKeys: false,
  strict: true,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

export class PartComposer {
  readonly #detached: Detached[] = [];
  readonly #nodes = new Map<Collection, YAMLMap | YAMLSeq>();
  readonly #directives: readonly CST.Directive[];

  readonly #partTokens: number;

  /** `directives` are those of the document. */
  constructor(directives: readonly CST.Directive[], partTokens: number) {
    this.#directives = directives;
    this.#partTokens = partTokens;
  }

  /** Takes the items out of the document's large collections. Must be called before the document is composed. */
  detach({ value }: CST.Document): void {
    if (value) this.#weigh(value);
  }

  /** Adds the items to the nodes of a document that was composed without them. Returns the first error among them. */
  *complete({ contents }: Document.Parsed): Steps<YAMLError | undefined> {
    if (this.#detached.length === 0) return undefined;
    this.#find(contents);
    // Outer collections come last in the list and are completed first, which creates the nodes of the inner ones.
    for (let i = this.#detached.length - 1; i >= 0; i--) {
      const { token, items } = this.#detached[i]!;
      const target = this.#nodes.get(token);
      for (const part of parts(items, token.type, this.#partTokens)) {
        const document = quietly(() => this.#compose(token, part));
        const [error] = document.errors;
        if (error) return error;
        if (!isCollection(document.contents) || !target) continue;
        for (const item of document.contents.items) {
          target.items.push(item as never);
          this.#find(item);
        }
        yield;
      }
    }
    return undefined;
  }

  #compose(token: Collection, items: readonly Item[]): Document.Parsed {
    const composer = new Composer({ ...composerOptions, keepSourceTokens: true });
    const offset = startOf(items[0]!) - (token.type === 'flow-collection' ? token.start.source.length : 0);
    const value = { ...token, offset, items } as Collection;
    const start: CST.SourceToken[] =
      this.#directives.length === 0
        ? []
        : [
            { type: 'doc-start', offset, indent: 0, source: '---' },
            { type: 'newline', offset, indent: 0, source: '\n' },
          ];
    const documents = composer.compose([...this.#directives, { type: 'document', offset, start, value }]);
    const first = documents.next();
    if (first.done) throw new Error('a part of a document was not composed');
    return first.value;
  }

  /** Empties large collections inside the token. Returns the number of tokens that are left in it. */
  #weigh(token: CST.Token): number {
    if (!('items' in token)) return 1;
    let weight = 1;
    let wasEmptied = false;
    for (const item of token.items) {
      const { start, key } = item;
      const value: CST.Token | undefined = item.value;
      if (start.length > maxStart) item.start = withoutExcess(start);
      // An emptied collection seems to end where it begins: the key after it needs a token with its own position.
      if (wasEmptied && start.length === 0 && key)
        start.push({ type: 'space', offset: key.offset, indent: 0, source: '' });
      const before = this.#detached.length;
      weight += weightWithoutValue(item) + (value ? this.#weigh(value) : 0);
      wasEmptied = this.#detached.length > before;
    }
    if (weight <= this.#partTokens) return weight;
    this.#detached.push({ token, items: token.items });
    token.items = [];
    return 1;
  }

  /** Remembers the nodes of emptied collections. */
  #find(node: unknown): void {
    if (isPair(node)) {
      this.#find(node.value);
      return;
    }
    if (!isCollection(node)) return;
    const token = (node as Node).srcToken;
    if (node.items.length > 0) for (const item of node.items) this.#find(item);
    else if (token && 'items' in token && (node instanceof YAMLMap || node instanceof YAMLSeq))
      this.#nodes.set(token, node);
  }
}

/** Calls `run` without stack traces for the errors it creates: they are not used, and for a text that is not YAML they cost the most. */
export function quietly<T>(run: () => T): T {
  const { stackTraceLimit } = traces;
  traces.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    traces.stackTraceLimit = stackTraceLimit;
  }
}

/** `stackTraceLimit` exists in V8. In other engines it is an ordinary property without effect. */
const traces: ErrorConstructor & { stackTraceLimit?: number | undefined } = Error;

/** Yields the items in parts. In a flow collection every part after the first would begin with a comma, which is left out. */
function* parts(items: readonly Item[], type: Collection['type'], partTokens: number): Generator<readonly Item[]> {
  const isFlow = type === 'flow-collection';
  let part: Item[] = [];
  let weight = 0;
  for (const item of items) {
    if (weight > partTokens && (!isFlow || item.start.some(isComma))) {
      yield part;
      part = [isFlow ? withoutComma(item) : item];
      weight = 0;
    } else part.push(item);
    weight += weightWithoutValue(item) + (item.value ? weightOf(item.value) : 0);
  }
  if (part.length > 0) yield part;
}

/** Each of many commas in a row would be an error, and one is enough: longer starts of items lose all but two commas. */
const maxStart = 100;
const withoutExcess = (start: readonly CST.SourceToken[]): CST.SourceToken[] => {
  let commas = 0;
  return start.filter((token) => !isComma(token) || ++commas <= 2);
};

const isComma = ({ type }: CST.SourceToken): boolean => type === 'comma';

function withoutComma(item: Item): Item {
  const at = item.start.findIndex(isComma);
  return { ...item, start: item.start.filter((_, i) => i !== at) } as Item;
}

const weightWithoutValue = ({ start, key, sep }: Item): number =>
  1 + start.length + (sep?.length ?? 0) + (key ? weightOf(key) : 0);

function weightOf(token: CST.Token): number {
  if (!('items' in token)) return 1;
  let weight = 1;
  for (const item of token.items) {
    const value: CST.Token | undefined = item.value;
    weight += weightWithoutValue(item) + (value ? weightOf(value) : 0);
  }
  return weight;
}

const startOf = ({ start, key, sep, value }: Item): number => (start[0] ?? key ?? sep?.[0] ?? value)?.offset ?? 0;
