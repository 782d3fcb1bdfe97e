import { CorefileError, errorAt, type Place } from './corefile-error.ts';
import { type Token, tokenize } from './tokenize.ts';

/** A line of a block: a plug-in or one of its options, with the block behind it. */
export interface Directive extends Place {
  readonly name: string;
  readonly args: readonly string[];
  readonly block?: readonly Directive[];
}

export interface ServerBlock extends Place {
  /** As they are written, such as `.:53` and `cluster.local`. */
  readonly keys: readonly string[];
  readonly directives: readonly Directive[];
}

/** Reads the files that a Corefile imports. */
export interface CorefileFiles {
  /** Returns the files that match a path with at most one `*`, in order, with their texts. */
  matching(pattern: string): readonly { readonly path: string; readonly text: string }[];
}

export const noFiles: CorefileFiles = { matching: () => [] };

export interface ParseCorefileOptions {
  /** Used in messages. */
  readonly file?: string;
  readonly files?: CorefileFiles;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const maxTokens = 100_000;
const maxImports = 10_000;
const maxDepth = 16;

/** Parses a Corefile into server blocks. Snippets and imports are resolved. Throws a CorefileError. */
export function parseCorefile(text: string, options: ParseCorefileOptions = {}): ServerBlock[] {
  const { file = 'Corefile', files = noFiles, env = {} } = options;
  return new Parser(tokenize(text, file, env), files, env).blocks(file);
}

class Parser {
  readonly #tokens: Token[];
  readonly #files: CorefileFiles;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #snippets = new Map<string, Token[]>();
  #at = 0;
  #imports = 0;

  constructor(tokens: Token[], files: CorefileFiles, env: Readonly<Record<string, string | undefined>>) {
    this.#tokens = tokens;
    this.#files = files;
    this.#env = env;
  }

  blocks(file: string): ServerBlock[] {
    const blocks: ServerBlock[] = [];
    while (this.#peek()) {
      const block = this.#block();
      if (block) blocks.push(block);
    }
    if (blocks.length === 0) throw new CorefileError(`${file} has no server blocks`);
    return blocks;
  }

  #block(): ServerBlock | undefined {
    const first = this.#peek();
    if (!first) return undefined;
    if (first.text === 'import') {
      this.#import();
      return undefined;
    }
    const keys = this.#keys();
    const hasBrace = this.#peek()?.text === '{';
    const [key = ''] = keys;
    if (keys.length === 1 && /^\(.*\)$/.test(key)) {
      if (!hasBrace)
        throw errorAt(first, `Syntax error - Unexpected token '${this.#peek()?.text ?? ''}', expecting '{'`);
      this.#snippet(key.slice(1, -1), first);
      return undefined;
    }
    if (hasBrace) this.#at++;
    return { ...placeOf(first), keys, directives: this.#directives(hasBrace ? first : undefined, 0) };
  }

  /** The addresses before a brace. Without a brace, the first line has them, and the rest of the file is their block. */
  #keys(): string[] {
    const keys: string[] = [];
    let expectsAnother = false;
    for (let token = this.#peek(); token; token = this.#peek()) {
      if (token.text === '{') {
        if (expectsAnother) throw errorAt(token, `Expected another address but had '{' - check for extra comma`);
        break;
      }
      if (token.text === '}') throw errorAt(token, `Syntax error - Unexpected token '}', expecting '{'`);
      const previous = this.#tokens[this.#at - 1];
      if (keys.length > 0 && !expectsAnother && previous && token.line > previous.endLine) break;
      expectsAnother = token.text.endsWith(',');
      keys.push(expectsAnother ? token.text.slice(0, -1) : token.text);
      this.#at++;
    }
    return keys.filter((key) => key !== '');
  }

  #snippet(name: string, place: Place): void {
    if (this.#snippets.has(name)) throw errorAt(place, `redeclaration of previously declared snippet ${name}`);
    const start = this.#at + 1;
    let depth = 0;
    for (; this.#at < this.#tokens.length; this.#at++) {
      const text = this.#tokens[this.#at]?.text;
      if (text === '{') depth++;
      if (text === '}') depth--;
      if (depth === 0) break;
    }
    if (depth > 0) throw errorAt(place, `Unexpected EOF`);
    this.#snippets.set(name, this.#tokens.slice(start, this.#at));
    this.#at++;
  }

  /** Reads lines up to the closing brace, or to the end of the file when nothing was opened. */
  #directives(opened: Place | undefined, depth: number): Directive[] {
    if (opened && depth > maxDepth) throw errorAt(opened, `blocks are nested more than ${maxDepth} deep`);
    const directives: Directive[] = [];
    for (let token = this.#peek(); token; token = this.#peek()) {
      if (token.text === '}') {
        if (!opened) throw errorAt(token, `Unexpected '}' because no matching opening brace`);
        this.#at++;
        return directives;
      }
      if (token.text === '{') throw errorAt(token, `Syntax error - Unexpected token '{', expecting a directive`);
      if (token.text === 'import') this.#import();
      else directives.push(this.#directive(token, depth));
    }
    if (opened) throw errorAt(this.#tokens.at(-1) ?? opened, 'Unexpected EOF');
    return directives;
  }

  #directive(first: Token, depth: number): Directive {
    this.#at++;
    const args: string[] = [];
    let { endLine } = first;
    for (let token = this.#peek(); token && token.line === endLine && token.file === first.file; token = this.#peek()) {
      if (token.text === '}') break;
      this.#at++;
      if (token.text === '{') {
        return { ...placeOf(first), name: first.text, args, block: this.#directives(token, depth + 1) };
      }
      args.push(token.text);
      ({ endLine } = token);
    }
    return { ...placeOf(first), name: first.text, args };
  }

  /** Replaces `import NAME` by the snippet, or by the files. */
  #import(): void {
    const token = this.#peek();
    const name = this.#tokens[this.#at + 1];
    if (!token || !name || name.line !== token.line) {
      throw errorAt(token ?? { file: '', line: 0 }, `Wrong argument count or unexpected line ending after 'import'`);
    }
    const after = this.#tokens[this.#at + 2];
    if (after?.line === token.line && after.text !== '}') {
      throw errorAt(token, 'Import takes only one argument (glob pattern or file)');
    }
    this.#imports++;
    const imported = this.#snippets.get(name.text) ?? this.#imported(name);
    if (this.#imports > maxImports || this.#tokens.length + imported.length > maxTokens) {
      throw errorAt(token, `maximum snippet import depth (${maxImports}) exceeded`);
    }
    this.#tokens.splice(this.#at, 2, ...imported);
  }

  #imported({ text, file, line }: Token): Token[] {
    if ((text.match(/[*?[]/g) ?? []).length > 1) {
      throw errorAt({ file, line }, `Glob pattern may only contain one wildcard (*), but has others: ${text}`);
    }
    const found = this.#files.matching(text);
    if (found.length === 0 && !/[*?[]/.test(text)) throw errorAt({ file, line }, `File to import not found: ${text}`);
    return found.flatMap((one) => tokenize(one.text, one.path, this.#env));
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at];
  }
}

const placeOf = ({ file, line }: Place): Place => ({ file, line });
