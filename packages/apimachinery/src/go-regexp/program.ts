import { type Assertion, type CharacterSet, GoRegexpError, type Node } from './syntax.ts';

/**
 * One instruction of a program. A thread continues with the next instruction unless the comment says otherwise; past the last one, it has
 * matched.
 */
type Instruction =
  | { readonly is: 'characters'; readonly set: CharacterSet }
  | { readonly is: 'assertion'; readonly assertion: Assertion }
  /** Continues at each of the targets. The first one is preferred. */
  | { readonly is: 'branch'; readonly targets: readonly number[] }
  /** Records the position. */
  | { readonly is: 'save'; readonly slot: number };

/** The program of an expression. Slots 0 and 1 are the whole match; each group has two more. */
export interface Program {
  readonly instructions: readonly Instruction[];
  readonly slots: number;
  readonly hasAssertions: boolean;
  /** A match can begin only at the beginning of the text. */
  readonly anchored: boolean;
}

const maxInstructions = 100_000;

/** Compiles a parsed expression. Throws GoRegexpError when the program would be too large. */
export function compileProgram(node: Node, captures: number, pattern: string): Program {
  const compiler = new Compiler(pattern);
  compiler.compile(node);
  const { instructions } = compiler;
  return {
    instructions,
    slots: 2 * (captures + 1),
    hasAssertions: instructions.some(({ is }) => is === 'assertion'),
    anchored: isAnchored(instructions),
  };
}

class Compiler {
  readonly instructions: Instruction[] = [];
  readonly #pattern: string;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  compile(node: Node): void {
    switch (node.is) {
      case 'characters':
      case 'assertion':
        this.#add(node);
        return;
      case 'sequence':
        for (const part of node.nodes) this.compile(part);
        return;
      case 'alternatives':
        this.#alternatives(node.nodes);
        return;
      case 'capture':
        this.#add({ is: 'save', slot: 2 * node.index });
        this.compile(node.node);
        this.#add({ is: 'save', slot: 2 * node.index + 1 });
        return;
      case 'repetition':
        this.#repetition(node.node, node.min, node.max, node.greedy);
    }
  }

  get #end(): number {
    return this.instructions.length;
  }

  #add(instruction: Instruction): void {
    if (this.#end >= maxInstructions) throw new GoRegexpError('expression too large', this.#pattern);
    this.instructions.push(instruction);
  }

  #branch(...targets: number[]): number[] {
    this.#add({ is: 'branch', targets });
    return targets;
  }

  #alternatives(nodes: readonly Node[]): void {
    const starts = this.#branch();
    const ends: number[][] = [];
    for (const node of nodes) {
      starts.push(this.#end);
      this.compile(node);
      ends.push(this.#branch());
    }
    for (const end of ends) end.push(this.#end);
  }

  #repetition(node: Node, min: number, max: number, greedy: boolean): void {
    const unbounded = max === Number.POSITIVE_INFINITY;
    const copies = unbounded ? Math.max(0, min - 1) : min;
    for (let i = 0; i < copies; i++) this.compile(node);
    if (!unbounded) this.#optional(node, max - min, greedy);
    else if (min > 0) this.#oneOrMore(node, greedy);
    else if (canBeEmpty(node)) {
      // As `(x+)?`: a loop whose body can be empty would otherwise try its exit in the wrong order.
      const targets = this.#branch();
      const start = this.#end;
      this.#oneOrMore(node, greedy);
      targets.push(...ordered(start, this.#end, greedy));
    } else {
      const start = this.#end;
      const targets = this.#branch();
      this.compile(node);
      this.#branch(start);
      targets.push(...ordered(start + 1, this.#end, greedy));
    }
  }

  #oneOrMore(node: Node, greedy: boolean): void {
    const start = this.#end;
    this.compile(node);
    const targets = this.#branch();
    targets.push(...ordered(start, this.#end, greedy));
  }

  #optional(node: Node, times: number, greedy: boolean): void {
    const waysOut: [targets: number[], start: number][] = [];
    for (let i = 0; i < times; i++) {
      const targets = this.#branch();
      waysOut.push([targets, this.#end]);
      this.compile(node);
    }
    for (const [targets, start] of waysOut) targets.push(...ordered(start, this.#end, greedy));
  }
}

/** Whether it can match without reading a character. */
function canBeEmpty(node: Node): boolean {
  switch (node.is) {
    case 'characters':
      return false;
    case 'assertion':
      return true;
    case 'sequence':
      return node.nodes.every(canBeEmpty);
    case 'alternatives':
      return node.nodes.some(canBeEmpty);
    case 'capture':
      return canBeEmpty(node.node);
    case 'repetition':
      return node.min === 0 || canBeEmpty(node.node);
  }
}

function ordered(again: number, out: number, greedy: boolean): [number, number] {
  return greedy ? [again, out] : [out, again];
}

/** Whether every thread passes a textStart assertion before it reads a character. */
function isAnchored(instructions: readonly Instruction[]): boolean {
  const seen = new Set<number>();
  const pending = [0];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (seen.has(index)) continue;
    seen.add(index);
    const instruction = instructions[index];
    if (!instruction || instruction.is === 'characters') return false;
    if (instruction.is === 'branch') {
      for (const target of instruction.targets) pending.push(target);
    } else if (instruction.is !== 'assertion' || instruction.assertion !== 'textStart') pending.push(index + 1);
  }
  return true;
}
