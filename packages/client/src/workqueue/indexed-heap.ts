/** A node of a heap. It stores its index, so that it can be moved or removed without a search. */
export interface HeapNode {
  /** Its index in the heap; -1 outside of one. */
  heapIndex: number;
}

/** A binary heap with the least element on top. All changes are O(log n). */
export class IndexedHeap<N extends HeapNode> {
  /** `#nodes[i].heapIndex === i`, and no node is less than its parent `#nodes[(i - 1) >> 1]`. */
  readonly #nodes: N[] = [];
  readonly #isLess: (a: N, b: N) => boolean;

  constructor(isLess: (a: N, b: N) => boolean) {
    this.#isLess = isLess;
  }

  get size(): number {
    return this.#nodes.length;
  }

  peek(): N | undefined {
    return this.#nodes[0];
  }

  push(node: N): void {
    node.heapIndex = this.#nodes.length;
    this.#nodes.push(node);
    this.#up(node);
  }

  pop(): N | undefined {
    const top = this.#nodes[0];
    if (top) this.remove(top);
    return top;
  }

  /** Moves a node of this heap to its position after its order has changed. */
  fix(node: N): void {
    if (!this.#up(node)) this.#down(node);
  }

  /** Removes a node of this heap. */
  remove(node: N): void {
    const last = this.#nodes.pop()!;
    if (last !== node) {
      last.heapIndex = node.heapIndex;
      this.#nodes[last.heapIndex] = last;
      this.fix(last);
    }
    node.heapIndex = -1;
  }

  clear(): void {
    for (const node of this.#nodes) node.heapIndex = -1;
    this.#nodes.length = 0;
  }

  #up(node: N): boolean {
    const start = node.heapIndex;
    let index = start;
    while (index > 0) {
      const parent = this.#nodes[(index - 1) >> 1]!;
      if (!this.#isLess(node, parent)) break;
      this.#nodes[index] = parent;
      const freed = parent.heapIndex;
      parent.heapIndex = index;
      index = freed;
    }
    this.#nodes[index] = node;
    node.heapIndex = index;
    return index !== start;
  }

  #down(node: N): void {
    let index = node.heapIndex;
    for (;;) {
      let child = this.#nodes[2 * index + 1];
      const right = this.#nodes[2 * index + 2];
      if (child && right && this.#isLess(right, child)) child = right;
      if (!child || !this.#isLess(child, node)) break;
      this.#nodes[index] = child;
      const freed = child.heapIndex;
      child.heapIndex = index;
      index = freed;
    }
    this.#nodes[index] = node;
    node.heapIndex = index;
  }
}
